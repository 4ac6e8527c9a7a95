// Conversions of a single bfloat16_t, which the scalar unit only stores: it computes in float.
#ifndef ASCENDC_CPU_SCALAR_CAST_H
#define ASCENDC_CPU_SCALAR_CAST_H

#include <type_traits>

#include "numeric.h"

namespace AscendC {

inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }

template <typename T>
float ToFloat(const T& value)
{
    static_assert(std::is_same_v<T, bfloat16_t>, "Ascend C: ToFloat takes bfloat16_t");
    return static_cast<float>(value);
}

}  // namespace AscendC

#endif
