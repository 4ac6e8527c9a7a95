// Reductions of a register: all lanes, the lanes of each block of 32 bytes, and neighbours (API reference 8.4).
#ifndef ASCENDC_CPU_REG_REDUCE_H
#define ASCENDC_CPU_REG_REDUCE_H

#include "reg_rearrange.h"

namespace AscendC {
namespace cpu::reg {

using Reg::ReduceType;

// Which pairs of types a sum takes: 16-bit integers are added as 32-bit ones.
template <typename D, typename S>
constexpr bool SumExists()
{
    constexpr Types d = vec::kTypeOf<D>;
    constexpr Types s = vec::kTypeOf<S>;
    return (std::is_same_v<D, S> && (s & (vec::kFloats | kWords | vec::k64)) != 0) || (d == vec::kS32 && s == vec::kS16) ||
           (d == vec::kU32 && s == vec::kU16);
}
inline constexpr Types kOrdered = vec::kS16 | vec::kU16 | kWords | vec::kFloats | vec::k64;

// -0 counts as less than +0 in maxima and minima.
template <ReduceType type, typename V>
inline bool Wins(V value, V best)
{
    if constexpr (std::is_floating_point_v<V>) {
        if (value == 0 && best == 0) {
            const bool negative = __builtin_signbit(value);
            return negative != static_cast<bool>(__builtin_signbit(best)) && negative == (type == ReduceType::MIN);
        }
    }
    return type == ReduceType::MAX ? value > best : value < best;
}

// What a group of lanes is reduced to: a value, and for extremes the lane of the first that has it.
template <typename D>
struct Result {
    D value;
    uint32_t lane;
    bool sure;
};

template <ReduceType type, typename D, uint32_t kCount, typename Register>
inline Result<D> ReduceLanes(const Register& src, const Mask& mask, uint32_t first)
{
    using V = num::Wide<D>;
    Result<D> result{D(0), 0, true};
    V values[kCount];
    for (uint32_t i = 0; i < kCount; ++i) {
        const uint32_t at = (first + i) * Register::kPitch;
        values[i] = mask.On(at) ? static_cast<V>(src.lane[first + i]) : V{0};
        result.sure = result.sure && mask.Sure(at) && (!mask.On(at) || src.Sure(first + i));
    }
    if constexpr (type == ReduceType::SUM) {
        result.value = static_cast<D>(vec::TreeSum<D, kCount>(values));
    } else {
        // Nothing that is switched on leaves the value that loses against all others.
        V best = vec::Loser<type, V>();
        bool found = false;
        for (uint32_t i = 0; i < kCount && best == best; ++i) {
            if (mask.On((first + i) * Register::kPitch) && (!found || values[i] != values[i] || Wins<type>(values[i], best))) {
                best = values[i];
                result.lane = first + i;
                found = true;
            }
        }
        result.value = static_cast<D>(best);
    }
    return result;
}

struct ReduceName {
    static constexpr const char* kName = "Reduce";
};

template <ReduceType type, MaskMergeMode mode, typename Register, typename Source>
constexpr void CheckReduce()
{
    using D = typename Register::ActualT;
    using S = typename Source::ActualT;
    static_assert(type == ReduceType::SUM || type == ReduceType::MAX || type == ReduceType::MIN,
                  "Ascend C: reductions are SUM, MAX or MIN");
    static_assert(type == ReduceType::SUM ? SumExists<D, S>() : std::is_same_v<D, S> && (vec::kTypeOf<S> & kOrdered) != 0,
                  "Ascend C: this reduction does not take registers of these element types");
    static_assert(mode == MaskMergeMode::ZEROING, "Ascend C: reductions have no other MaskMergeMode than ZEROING");
}

template <typename Register>
inline void PutLane(Register& dst, uint32_t lane, typename Register::ActualT value, bool sure)
{
    dst.lane[lane] = value;
    dst.Know(lane, sure);
}

}  // namespace cpu::reg

namespace Reg {

// Lane 0: the result; lane 1 of maxima and minima: the first lane that has it, as bits.
template <ReduceType type = ReduceType::SUM, typename T = DefaultType, typename U = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
inline void Reduce(S& dstReg, V srcReg, MaskReg mask)
{
    using D = typename S::ActualT;
    cpu::reg::CheckReduce<type, mode, S, V>();
    cpu::reg::StepOf<V>("Reduce", cpu::reg::Issue::Alone);
    const auto result = cpu::reg::ReduceLanes<type, D, V::kLanes>(srcReg, mask, 0);
    cpu::reg::Broadcast(dstReg, static_cast<D>(0));
    cpu::reg::PutLane(dstReg, 0, result.value, result.sure);
    if constexpr (type != ReduceType::SUM) {
        cpu::reg::PutLane(dstReg, 1, cpu::vec::IndexBits<D>(result.lane), result.sure);
    }
}

// Lane k: the result of block k.
template <ReduceType type = ReduceType::SUM, typename T = DefaultType, typename U = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
inline void ReduceDataBlock(S& dstReg, V srcReg, MaskReg mask)
{
    using D = typename S::ActualT;
    cpu::reg::CheckReduce<type, mode, S, V>();
    static_assert(sizeof(typename V::ActualT) < 8, "Ascend C: ReduceDataBlock takes 16 and 32-bit elements");
    cpu::reg::StepOf<V>("ReduceDataBlock", cpu::reg::Issue::Alone);
    constexpr uint32_t lanes = ONE_BLK_SIZE / sizeof(typename V::ActualT);
    cpu::reg::Broadcast(dstReg, static_cast<D>(0));
    for (uint32_t block = 0; block < V::kLanes / lanes; ++block) {
        const auto result = cpu::reg::ReduceLanes<type, D, lanes>(srcReg, mask, block * lanes);
        cpu::reg::PutLane(dstReg, block, result.value, result.sure);
    }
}
// The form that is told one type only.
template <ReduceType type, typename T, MaskMergeMode mode, typename U>
inline void ReduceDataBlock(U& dstReg, U srcReg, MaskReg mask)
{
    ReduceDataBlock<type, T, T, mode>(dstReg, srcReg, mask);
}

// Lane i: the sum of lanes 2 i and 2 i + 1; the second half is 0.
template <PairReduce type = PairReduce::SUM, typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void PairReduceElem(U& dstReg, U srcReg, MaskReg mask)
{
    static_assert((cpu::vec::kTypeOf<typename U::ActualT> & cpu::vec::kFloats) != 0,
                  "Ascend C: PairReduceElem takes half and float");
    static_assert(mode == MaskMergeMode::ZEROING, "Ascend C: reductions have no other MaskMergeMode than ZEROING");
    using D = typename U::ActualT;
    cpu::reg::StepOf<U>("PairReduceElem", cpu::reg::Issue::Alone);
    cpu::reg::Broadcast(dstReg, static_cast<D>(0));
    for (uint32_t i = 0; i < U::kLanes / 2; ++i) {
        const auto result = cpu::reg::ReduceLanes<ReduceType::SUM, D, 2>(srcReg, mask, 2 * i);
        cpu::reg::PutLane(dstReg, i, result.value, result.sure);
    }
}

}  // namespace Reg
}  // namespace AscendC

#endif
