// The part of a memory that a tensor may touch.
#ifndef ASCENDC_CPU_EXTENT_H
#define ASCENDC_CPU_EXTENT_H

#include "types.h"

namespace AscendC {

template <typename T>
class LocalTensor;
template <typename T>
class GlobalTensor;

namespace cpu {

struct Extent {
    static constexpr uint64_t kUnknown = ~uint64_t{0};

    const void* base;
    uint64_t bytes;  // from base to the end of the tensor; kUnknown for global memory without a size
    TPosition position;
    const void* origin = nullptr;  // where the buffer begins that a tensor in global memory lies in
};

}  // namespace cpu
}  // namespace AscendC

#endif
