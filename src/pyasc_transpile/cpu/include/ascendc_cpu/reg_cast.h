// Cast and Truncate of registers (API reference 8.5).
//
// Choices where the documentation is silent: a satMode of UNKNOWN saturates when the result is an integer, and lets floats
// that are too large become infinity.
#ifndef ASCENDC_CPU_REG_CAST_H
#define ASCENDC_CPU_REG_CAST_H

#include "reg_arithmetic.h"
#include "vector_cast.h"

namespace AscendC {
namespace cpu::reg {

using Reg::CastTrait;
using Reg::SatMode;

// The casts of registers are those of memory on c310, without those that the library makes of several instructions.
template <typename D, typename S>
constexpr vec::Modes RegisterCastModes()
{
    constexpr bool emulated = std::is_same_v<D, S> || std::is_same_v<D, double> || std::is_same_v<S, double> ||
                              (std::is_same_v<D, half> && std::is_same_v<S, int32_t>);
    return emulated ? vec::kNoCast : vec::CastModes<D, S>();
}

constexpr bool HasMode(vec::Modes modes, RoundMode mode)
{
    return mode != RoundMode::UNKNOWN && (modes >> (static_cast<uint32_t>(mode) & 31) & 1) != 0;
}

struct CastRow {
    static constexpr Types kTypes = kAll;
};

// The low bits of an integral value: what stays of one that is too large. Infinities give the limits, NaN 0.
template <typename D, typename V>
inline D LowBits(V x)
{
    if (x != x) {
        return D{0};
    }
    if (__builtin_isinf(x)) {
        return x > 0 ? std::numeric_limits<D>::max() : std::numeric_limits<D>::min();
    }
    double rest = static_cast<double>(x);
    if (__builtin_fabs(rest) >= 0x1p63) {
        rest -= 0x1p64 * __builtin_floor(rest * 0x1p-64);
        return static_cast<D>(static_cast<uint64_t>(rest));
    }
    return static_cast<D>(static_cast<int64_t>(rest));
}

// One lane. Rounding is that of the memory instruction; only what does not fit is treated as the trait says.
template <typename D, typename S, RoundMode round, SatMode sat>
struct CastOp {
    static constexpr const char* kName = "Cast";
    num::Wide<D> operator()(num::Wide<S> x) const
    {
        using Shared = vec::CastOp<D, S, round>;
        if constexpr (std::is_integral_v<D> && std::is_integral_v<S>) {
            return sat == SatMode::NO_SAT ? static_cast<D>(x) : Shared{}(x);
        } else if constexpr (std::is_integral_v<D> && sat == SatMode::NO_SAT) {
            return LowBits<D>(num::RoundToIntegral<round>(x));
        } else if constexpr (num::kIsFloat16<D> && sat == SatMode::SAT) {
            const float rounded = static_cast<float>(static_cast<D>(Shared{}(x)));
            const float largest = static_cast<float>(std::numeric_limits<D>::max());
            const float bounded = rounded > largest ? largest : rounded < -largest ? -largest : rounded;
            return x == x ? bounded : 0.0f;
        } else {
            return Shared{}(x);
        }
    }
};

}  // namespace cpu::reg

namespace Reg {

template <typename T = DefaultType, typename U = DefaultType, const CastTrait& trait = castTrait, typename S, typename V>
inline void Cast(S& dstReg, V& srcReg, MaskReg& mask)
{
    using D = typename S::ActualT;
    using F = typename V::ActualT;
    constexpr cpu::vec::Modes modes = cpu::reg::RegisterCastModes<D, F>();
    constexpr bool exact = modes == cpu::vec::kExact;
    cpu::reg::CheckElement<cpu::reg::CastRow, T, S>();
    cpu::reg::CheckElement<cpu::reg::CastRow, U, V>();
    static_assert(modes != cpu::vec::kNoCast, "Ascend C: there is no Cast of registers between these element types");
    static_assert(trait.mrgMode != MaskMergeMode::MERGING, "Ascend C: Cast has no other MaskMergeMode than ZEROING");
    static_assert(exact || modes == cpu::vec::kNoCast || cpu::reg::HasMode(modes, trait.roundMode),
                  "Ascend C: this Cast needs a CastTrait with a roundMode that exists for it");
    constexpr RoundMode round = exact || trait.roundMode == RoundMode::UNKNOWN ? RoundMode::CAST_NONE : trait.roundMode;
    using Wider = std::conditional_t<(sizeof(D) < sizeof(F)), V, S>;
    cpu::reg::StepOf<Wider>("Cast", cpu::reg::Issue::Paired);
    cpu::reg::RunSparse<trait.layoutMode>(cpu::reg::CastOp<D, F, round, trait.satMode>{}, dstReg, mask, srcReg);
}

// To an integral value of the same type.
template <typename T = DefaultType, RoundMode roundMode = RoundMode::CAST_NONE, MaskMergeMode mode = MaskMergeMode::ZEROING,
          typename S>
inline void Truncate(S& dstReg, S& srcReg, MaskReg& mask)
{
    static_assert(cpu::reg::HasMode(cpu::vec::kFive, roundMode), "Ascend C: Truncate needs a roundMode");
    using Op = cpu::vec::TruncateOp<typename S::ActualT, roundMode>;
    cpu::reg::Plain<cpu::reg::Row<Op, cpu::vec::kFloats | cpu::vec::kBf16>, T, mode>(dstReg, mask, srcReg);
}

}  // namespace Reg
}  // namespace AscendC

#endif
