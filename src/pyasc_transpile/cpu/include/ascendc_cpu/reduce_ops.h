// How the lanes of one repeat are reduced: sums by a binary tree of neighbours, extremes with the lowest index.
//
// Choices where the documentation is silent: half sums are rounded at every level of the tree; lanes outside the mask
// count as 0 in sums; NaN wins maxima and minima, and the index is that of the first NaN.
#ifndef ASCENDC_CPU_REDUCE_OPS_H
#define ASCENDC_CPU_REDUCE_OPS_H

#include "vector_family.h"
#include "vector_ops.h"

namespace AscendC {

enum class ReduceType { NONE = -1, SUM = 0, MAX = 1, MIN = 2 };

namespace cpu::vec {

// One sum as T has it.
template <typename T>
inline num::Wide<T> AddRounded(num::Wide<T> a, num::Wide<T> b)
{
    if constexpr (std::is_same_v<T, half>) {
        return num::HalfBitsToFloat(num::FloatToHalfBits(a + b));
    } else if constexpr (std::is_same_v<T, bfloat16_t>) {
        return num::Bfloat16BitsToFloat(num::FloatToBfloat16Bits(a + b));
    } else {
        return AddOp{}(a, b);
    }
}

// Adds neighbours until one value is left; destroys the values. kLanes is a power of two.
template <typename T, uint32_t kLanes>
inline num::Wide<T> TreeSum(num::Wide<T>* values)
{
    if constexpr (num::kIsFloat16<T>) {
        T rounded[kLanes / 2];
        for (uint32_t width = kLanes / 2; width > 0; width /= 2) {
            for (uint32_t i = 0; i < width; ++i) {
                values[i] = values[2 * i] + values[2 * i + 1];
            }
            num::Narrow(values, rounded, width);
            num::Widen(rounded, values, width);
        }
    } else {
        for (uint32_t width = kLanes / 2; width > 0; width /= 2) {
            for (uint32_t i = 0; i < width; ++i) {
                values[i] = AddOp{}(values[2 * i], values[2 * i + 1]);
            }
        }
    }
    return values[0];
}

template <ReduceType kType>
using ExtremeOp = std::conditional_t<kType == ReduceType::MAX, MaxOp, MinOp>;

// The value that loses against every other.
template <ReduceType kType, typename V>
inline V Loser()
{
    using Limits = std::numeric_limits<V>;
    if constexpr (Limits::has_infinity) {
        return kType == ReduceType::MAX ? -Limits::infinity() : Limits::infinity();
    } else {
        return kType == ReduceType::MAX ? Limits::min() : Limits::max();
    }
}

template <typename V>
struct Found {
    V value;
    uint64_t index;
};

template <ReduceType kType, typename V>
inline V Extreme(const V* values, size_t count)
{
    constexpr size_t width = 64;
    V best[width];
    for (size_t k = 0; k < width; ++k) {
        best[k] = Loser<kType, V>();
    }
    size_t i = 0;
    for (; i + width <= count; i += width) {
        for (size_t k = 0; k < width; ++k) {
            best[k] = ExtremeOp<kType>{}(values[i + k], best[k]);
        }
    }
    for (size_t k = 0; i + k < count; ++k) {
        best[k] = ExtremeOp<kType>{}(values[i + k], best[k]);
    }
    for (size_t left = width / 2; left > 0; left /= 2) {
        for (size_t k = 0; k < left; ++k) {
            best[k] = ExtremeOp<kType>{}(best[k + left], best[k]);
        }
    }
    return best[0];
}

// The first active lane that holds a value; NaN finds the first NaN. (Inactive lanes hold the loser, which may be it.)
template <typename V>
inline uint32_t FirstLane(const Shape& shape, const V* values, V wanted)
{
    for (uint32_t i = 0; i < shape.lanes; ++i) {
        if ((values[i] == wanted || (wanted != wanted && values[i] != values[i])) && shape.Active(i)) {
            return i;
        }
    }
    return 0;
}

// The active lanes of one repeat as wide values, the others as `rest`.
template <typename T, typename V>
inline void LoadRepeat(const Shape& shape, const Strided<T>& src, uint32_t first, uint32_t r, V rest, V* values)
{
    for (uint32_t lane = 0; lane < kLanesPerRepeat<T>; ++lane) {
        values[lane] = rest;
    }
    Shape one = shape;
    one.repeats = 1;
    ForEachRun(one, ONE_BLK_SIZE / sizeof(T), src.strides.block == 1, src.strides.block == 1,
               [&](uint32_t, uint32_t lane, size_t n) {
                   const T* from = src.At(first, r, lane);
                   if constexpr (num::kIsFloat16<T>) {
                       num::Widen(from, values + lane, n);
                   } else {
                       for (size_t i = 0; i < n; ++i) {
                           values[lane + i] = static_cast<V>(from[i]);
                       }
                   }
               });
}

// An index as it is stored in a slot of type T: its low bits.
template <typename T>
inline T IndexBits(uint64_t index)
{
    return num::BitCast<T>(static_cast<Word<sizeof(T)>>(index));
}

template <typename T>
inline uint64_t BitsOf(const T& value)
{
    return AsWord(value);
}

}  // namespace cpu::vec
}  // namespace AscendC

#endif
