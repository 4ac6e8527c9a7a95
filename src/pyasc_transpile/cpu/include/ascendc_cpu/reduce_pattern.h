// Reductions of a two-dimensional tensor along a pattern: ReduceSum, ReduceMax, ReduceMin. A keeps an axis, R reduces it;
// the last letter is the innermost axis.
#ifndef ASCENDC_CPU_REDUCE_PATTERN_H
#define ASCENDC_CPU_REDUCE_PATTERN_H

#include "reduce_tensor.h"

namespace AscendC {

namespace Pattern::Reduce {
struct AR {};
struct RA {};
struct R {};
}  // namespace Pattern::Reduce

namespace cpu::vec {

template <typename T>
struct PatternShape {
    uint32_t kept;      // results
    uint32_t reduced;   // elements of each
    int64_t keep_step;  // elements between the first elements of two results
    int64_t step;       // elements between two elements of one result
    uint64_t touched;   // elements from the first to the last

    // Rows are padded to 32 bytes in memory if `padded`.
    template <typename Kind>
    static PatternShape Of(const uint32_t shape[], bool padded)
    {
        constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);
        if constexpr (std::is_same_v<Kind, Pattern::Reduce::R>) {
            return {1, shape[0], 0, 1, shape[0]};
        } else {
            const uint32_t rows = shape[0], columns = shape[1];
            const uint32_t pitch = padded ? (columns + block - 1) / block * block : columns;
            const uint64_t touched = rows == 0 ? 0 : uint64_t{rows - 1} * pitch + columns;
            if constexpr (std::is_same_v<Kind, Pattern::Reduce::AR>) {
                return {rows, columns, pitch, 1, touched};
            } else {
                static_assert(std::is_same_v<Kind, Pattern::Reduce::RA>, "patterns AR, RA and R are available");
                return {columns, rows, 1, pitch, touched};
            }
        }
    }
};

// The library copies into its work space first, so the destination may be the source.
template <typename Kind, typename T, typename Combine>
void ReducePattern(const char* name, LT<T> dst, LT<T> src, const LocalTensor<uint8_t>* tmp, const uint32_t shape[],
                   bool padded, const Combine& combine)
{
    const auto part = PatternShape<T>::template Of<Kind>(shape, padded);
    if (part.kept == 0 || part.reduced == 0) {
        return;
    }
    Instruction instruction(name, PIPE_V, Shape::Count(part.kept * part.reduced));
    instruction.WritesElements(dst, part.kept).ReadsElements(src, part.touched);
    if (tmp != nullptr) {
        instruction.WritesElements(*tmp, 1);
    }
    instruction.All();
    for (uint32_t k = 0; k < part.kept; ++k) {
        const T* from = src.Data() + k * part.keep_step;
        num::Wide<T> value = num::Wide<T>(from[0]);
        for (uint32_t i = 1; i < part.reduced; ++i) {
            value = combine(value, num::Wide<T>(from[i * part.step]));
        }
        dst.Data()[k] = static_cast<T>(value);
    }
}

struct PatternSum {
    template <typename V>
    V operator()(V a, V b) const { return AddOp{}(a, b); }
};

}  // namespace cpu::vec

template <typename T, typename pattern, bool isReuseSource = false>
void ReduceSum(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t srcShape[],
               bool srcInnerPad)
{
    cpu::vec::ReducePattern<pattern>("ReduceSum", dstTensor, srcTensor, &sharedTmpBuffer, srcShape, srcInnerPad,
                                     cpu::vec::PatternSum{});
}
template <typename T, typename pattern, bool isReuseSource = false>
void ReduceSum(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t srcShape[], bool srcInnerPad)
{
    cpu::vec::ReducePattern<pattern>("ReduceSum", dstTensor, srcTensor, nullptr, srcShape, srcInnerPad,
                                     cpu::vec::PatternSum{});
}

template <typename T, typename pattern, bool isReuseSource = false>
void ReduceMax(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t srcShape[],
               bool srcInnerPad)
{
    cpu::vec::ReducePattern<pattern>("ReduceMax", dstTensor, srcTensor, &sharedTmpBuffer, srcShape, srcInnerPad,
                                     cpu::vec::ExtremeOp<ReduceType::MAX>{});
}
template <typename T, typename pattern, bool isReuseSource = false>
void ReduceMax(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t srcShape[], bool srcInnerPad)
{
    cpu::vec::ReducePattern<pattern>("ReduceMax", dstTensor, srcTensor, nullptr, srcShape, srcInnerPad,
                                     cpu::vec::ExtremeOp<ReduceType::MAX>{});
}

template <typename T, typename pattern, bool isReuseSource = false>
void ReduceMin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t srcShape[],
               bool srcInnerPad)
{
    cpu::vec::ReducePattern<pattern>("ReduceMin", dstTensor, srcTensor, &sharedTmpBuffer, srcShape, srcInnerPad,
                                     cpu::vec::ExtremeOp<ReduceType::MIN>{});
}
template <typename T, typename pattern, bool isReuseSource = false>
void ReduceMin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t srcShape[], bool srcInnerPad)
{
    cpu::vec::ReducePattern<pattern>("ReduceMin", dstTensor, srcTensor, nullptr, srcShape, srcInnerPad,
                                     cpu::vec::ExtremeOp<ReduceType::MIN>{});
}

}  // namespace AscendC

#endif
