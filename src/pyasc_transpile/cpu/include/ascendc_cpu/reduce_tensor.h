// Reductions of whole tensors: ReduceSum, ReduceMax, ReduceMin, in the documented order of summation.
#ifndef ASCENDC_CPU_REDUCE_TENSOR_H
#define ASCENDC_CPU_REDUCE_TENSOR_H

#include "reduce_ops.h"

namespace AscendC::cpu::vec {

inline constexpr Types kReduceInts = kS16 | kU16 | kS32 | kU32;
struct ReduceSumOp {
    static constexpr const char* kName = "ReduceSum";
    static constexpr Legal kTypes = {kFloats, kFloats | kS32 | kU32 | k64};
};
template <ReduceType kType>
struct ReduceExtremeOp {
    static constexpr const char* kName = kType == ReduceType::MAX ? "ReduceMax" : "ReduceMin";
    static constexpr Legal kTypes = {kFloats, kFloats | kReduceInts | k64};
};

// How the old functions give a contiguous mask.
inline uint64_t MaskValue(int32_t mask) { return static_cast<uint64_t>(mask); }
inline const uint64_t* MaskValue(const uint64_t* mask) { return mask; }

// Elements of the work buffer that the documentation asks for.
template <typename T>
struct Workspace {
    static constexpr uint64_t kPerRepeat = ONE_REPEAT_BYTE_SIZE / sizeof(T);
    static constexpr uint64_t kPerBlock = ONE_BLK_SIZE / sizeof(T);
    static uint64_t RoundUp(uint64_t x, uint64_t unit) { return (x + unit - 1) / unit * unit; }
    static uint64_t Ceil(uint64_t x, uint64_t unit) { return (x + unit - 1) / unit; }

    static uint64_t Sum(uint64_t repeats) { return RoundUp(repeats, kPerBlock); }
    static uint64_t Extreme(uint64_t repeats, bool withIndex)
    {
        const uint64_t first = RoundUp(2 * repeats, kPerBlock);
        uint64_t total = first;
        uint64_t values = 2 * repeats;
        while (withIndex && values > 2) {
            values = 2 * Ceil(values, kPerRepeat);
            total += RoundUp(values, kPerBlock);
        }
        return total;
    }
};

// The work buffer's contents are lost; it may share its place with the destination and, in part, with the source.
template <typename T>
void SpoilWorkspace(LT<T> dst, uint64_t results, LT<T> tmp, uint64_t elements)
{
    if constexpr (kChecked) {
        const bool defined = IsDefined(dst.Data(), results * sizeof(T));
        SetDefined(tmp.Data(), elements * sizeof(T), false);
        SetDefined(dst.Data(), results * sizeof(T), defined);
    }
}

// The sum of `repeats` repeat sums: in order (c220 count form) or by the tree again, repeat by repeat of sums.
template <typename T>
num::Wide<T> CombineSums(num::Wide<T>* sums, uint32_t count, bool inOrder)
{
    using V = num::Wide<T>;
    constexpr uint32_t lanes = kLanesPerRepeat<T>;
    if (inOrder) {
        V total = sums[0];
        for (uint32_t i = 1; i < count; ++i) {
            total = AddRounded<T>(total, sums[i]);
        }
        return total;
    }
    while (count > 1) {
        uint32_t next = 0;
        for (uint32_t i = 0; i < count; i += lanes) {
            V values[lanes];
            for (uint32_t k = 0; k < lanes; ++k) {
                values[k] = i + k < count ? sums[i + k] : V(0);
            }
            sums[next++] = TreeSum<T, lanes>(values);
        }
        count = next;
    }
    return sums[0];
}

// UB holds at most this many repeats, and repeats with strides may overlap, so longer sequences are combined in portions.
inline constexpr uint32_t kMaxRepeatSums = 2048;

// One instruction for the checks, also when Counter mode ends in a short repeat. Only strided operands need two.
template <typename T>
void TellWhole(const char* name, LT<T> dst, uint64_t results, LT<T> tmp, uint64_t workspace, const Lanes& lanes,
               const Strided<T>& source)
{
    if constexpr (kFollowed) {
        const bool split = lanes.tail != 0 && lanes.main.repeats != 0;
        const bool dense = source.strides.template Dense<T>(lanes.main.lanes);
        Shape shape = lanes.main;
        if (split && dense) {
            shape = Shape::Count(lanes.main.repeats * lanes.main.lanes + lanes.tail);
        } else if (lanes.tail != 0) {
            shape = Shape::First(1, lanes.main.lanes, lanes.tail);
        }
        if (split && !dense) {
            Instruction(name, PIPE_V, lanes.main).Reads(source.tensor, source.AsLayout()).Untracked();
        }
        Instruction instruction(name, PIPE_V, shape);
        instruction.WritesElements(dst, results, Align::Natural);
        if (split && dense) {
            instruction.Reads(source.tensor);
        } else {
            instruction.Reads(source.From(split ? lanes.main.repeats : 0), source.AsLayout());
        }
        if (workspace != 0) {
            instruction.WritesElements(tmp, workspace);
        }
        instruction.All();
    } else {
        Instruction(name, PIPE_V, lanes.main).Writes(dst).Reads(source.tensor).All();
    }
}

template <typename T>
void SumTensor(LT<T> dst, LT<T> tmp, uint64_t workspace, const Lanes& lanes, const Strided<T>& source, bool inOrder)
{
    using V = num::Wide<T>;
    constexpr uint32_t perRepeat = kLanesPerRepeat<T>;
    if (lanes.main.repeats == 0 && lanes.tail == 0) {
        return;
    }
    TellWhole("ReduceSum", dst, 1, tmp, workspace, lanes, source);
    V sums[kMaxRepeatSums];
    uint32_t count = 0;
    ForEachShape(lanes, [&](const Shape& shape, uint32_t first) {
        for (uint32_t r = 0; r < shape.repeats; ++r) {
            if (count == kMaxRepeatSums) {
                sums[0] = CombineSums<T>(sums, count, inOrder);
                count = 1;
            }
            V values[perRepeat];
            LoadRepeat(shape, source, first, r, V(0), values);
            sums[count++] = TreeSum<T, perRepeat>(values);
        }
    });
    dst.Data()[0] = static_cast<T>(CombineSums<T>(sums, count, inOrder));
    Registers().sum = BitsOf(dst.Data()[0]);
    SpoilWorkspace(dst, 1, tmp, workspace);
}

// The scalar unit fetches the sum and waits for that: on c220 it also stores it, and the vector unit and the stores wait
// for the scalar unit; on c310 it keeps sums of floats. Flags set and awaited:
template <typename T>
inline constexpr uint32_t kSumFlags = kC220 ? 6 : std::is_same_v<T, float> || std::is_same_v<T, half> ? 2 : 0;

template <typename T>
void SumCount(LT<T> dst, LT<T> src, LT<T> tmp, int32_t count)
{
    CheckDtype<ReduceSumOp, T>();
    const uint64_t repeats = static_cast<uint64_t>(count) / kLanesPerRepeat<T>;
    const uint64_t workspace = kC220 ? 0 : Workspace<T>::Sum(repeats == 0 ? 1 : repeats);
    SumTensor(dst, tmp, workspace, Lanes::Counted(static_cast<uint64_t>(count), kLanesPerRepeat<T>), Strided<T>{src, {1, 8}},
              kC220);
    if constexpr (kSumFlags<T> != 0) {
        trace::ScalarWaits(PIPE_V, kSumFlags<T>);
    }
}

template <typename T, typename M>
void SumMasked(LT<T> dst, LT<T> src, LT<T> tmp, M mask, int32_t repeat, int32_t srcRep)
{
    CheckDtype<ReduceSumOp, T>();
    const Lanes lanes = MakeLanes<T, true>(MaskValue(mask), static_cast<uint32_t>(repeat));
    SumTensor(dst, tmp, Workspace<T>::Sum(static_cast<uint64_t>(repeat)), lanes,
              Strided<T>{src, {1, static_cast<uint32_t>(srcRep)}}, false);
}

template <ReduceType kType, typename T>
void ExtremeTensor(LT<T> dst, LT<T> tmp, uint32_t repeats, bool withIndex, const Lanes& lanes, const Strided<T>& source)
{
    using Op = ReduceExtremeOp<kType>;
    using V = num::Wide<T>;
    CheckDtype<Op, T>();
    constexpr uint32_t perRepeat = kLanesPerRepeat<T>;
    const uint64_t workspace = kC310 ? 0 : Workspace<T>::Extreme(repeats, withIndex);
    const uint64_t results = withIndex ? 2 : 1;
    if (lanes.main.repeats == 0 && lanes.tail == 0) {
        return;
    }
    TellWhole(Op::kName, dst, results, tmp, workspace, lanes, source);
    Found<V> best{Loser<kType, V>(), 0};
    bool any = false;
    // `at` is the number of the first of the values. Better: the winner of the two and not the same. NaN is never replaced.
    const auto consider = [&](const Shape& shape, const V* values, uint64_t at) {
        const V value = Extreme<kType>(values, shape.lanes);
        const bool better =
            best.value == best.value && value != best.value && !(ExtremeOp<kType>{}(value, best.value) == best.value);
        if (!any || better) {
            best = {value, at + FirstLane(shape, values, value)};
        }
        best.value = ExtremeOp<kType>{}(best.value, value);  // the sign of a zero
        any = true;
    };
    ForEachShape(lanes, [&](const Shape& shape, uint32_t first) {
        if (!shape.masked && source.strides.template Dense<T>(shape.lanes)) {
            const uint64_t total = uint64_t{shape.repeats} * shape.lanes;
            Source<T> from(source.At(first, 0, 0));
            for (uint64_t at = 0; at < total; at += kChunk) {
                const uint32_t n = static_cast<uint32_t>(total - at < kChunk ? total - at : kChunk);
                consider(Shape::Count(n), from.Load(at, n), uint64_t{first} * perRepeat + at);
            }
            return;
        }
        for (uint32_t r = 0; r < shape.repeats; ++r) {
            V values[perRepeat];
            LoadRepeat(shape, source, first, r, Loser<kType, V>(), values);
            consider(shape, values, uint64_t{first + r} * perRepeat);
        }
    });
    dst.Data()[0] = static_cast<T>(best.value);
    if (withIndex) {
        dst.Data()[1] = IndexBits<T>(best.index);
    }
    Registers().extreme = BitsOf(dst.Data()[0]);
    Registers().index = best.index;
    SpoilWorkspace(dst, results, tmp, workspace);
}

template <ReduceType kType, typename T>
void ExtremeCount(LT<T> dst, LT<T> src, LT<T> tmp, int32_t count, bool withIndex)
{
    constexpr uint32_t lanes = kLanesPerRepeat<T>;
    const uint32_t repeats = (static_cast<uint32_t>(count) + lanes - 1) / lanes;
    ExtremeTensor<kType>(dst, tmp, repeats, withIndex, Lanes::Counted(static_cast<uint64_t>(count), lanes),
                         Strided<T>{src, {1, 8}});
}

template <ReduceType kType, typename T, typename M>
void ExtremeMasked(LT<T> dst, LT<T> src, LT<T> tmp, M mask, int32_t repeat, int32_t srcRep, bool withIndex)
{
    const Lanes lanes = MakeLanes<T, true>(MaskValue(mask), static_cast<uint32_t>(repeat));
    ExtremeTensor<kType>(dst, tmp, static_cast<uint32_t>(repeat), withIndex, lanes,
                         Strided<T>{src, {1, static_cast<uint32_t>(srcRep)}});
}

}  // namespace AscendC::cpu::vec

#endif
