// Instructions with one tensor source (API reference 5.5): count, contiguous mask and bit mask forms.
#ifndef ASCENDC_CPU_VECTOR_UNARY_H
#define ASCENDC_CPU_VECTOR_UNARY_H

#include "elementary.h"
#include "vector_family.h"
#include "vector_ops.h"

namespace AscendC {
namespace cpu::vec {

// The results are correctly rounded. (Compilers vectorise the roots under -fno-math-errno only.) (On c220 Reciprocal and Rsqrt are approximations in the hardware; no accuracy is
// documented, so the exact values are the only ones that a kernel can be tested against.)
struct ExpOp {
    static constexpr const char* kName = "Exp";
    static constexpr Legal kTypes = {kFloats, kFloats};
    double operator()(float x) const { return num::Exp(double{x}); }
};
struct LnOp {
    static constexpr const char* kName = "Ln";
    static constexpr Legal kTypes = {kFloats, kFloats};
    double operator()(float x) const { return num::Log(double{x}); }
};
struct SqrtOp {
    static constexpr const char* kName = "Sqrt";
    static constexpr Legal kTypes = {kFloats, kFloats};
    float operator()(float x) const { return __builtin_sqrtf(x); }
};
struct RsqrtOp {
    static constexpr const char* kName = "Rsqrt";
    static constexpr Legal kTypes = {kFloats, kFloats};
    double operator()(float x) const { return 1.0 / __builtin_sqrt(double{x}); }
};
struct ReciprocalOp {
    static constexpr const char* kName = "Reciprocal";
    static constexpr Legal kTypes = {kFloats, kFloats | k64};
    template <typename T>
    T operator()(T x) const
    {
        return DivOp{}(T{1}, x);
    }
};

template <typename Op, typename T>
void UnaryCount(LT<T> dst, LT<T> src, int64_t count)
{
    CheckDtype<Op, T>();
    Run(Op{}, dst, count, src);
}

template <typename Op, bool isSetMask, typename T, typename M>
void UnaryStrided(LT<T> dst, LT<T> src, M mask, uint8_t repeat, const UnaryRepeatParams& p)
{
    CheckStridedDtype<Op, T>();
    RunStrided(Op{}, MakeLanes<T, isSetMask>(mask, repeat), Strided<T>{dst, {p.dstBlkStride, p.dstRepStride}},
               Strided<T>{src, {p.srcBlkStride, p.srcRepStride}});
}

template <typename T>
void NotCount(LT<T> dst, LT<T> src, int64_t count)
{
    CheckDtype<NotOp, T>();
    Run(NotOp{}, AsWords(dst), count, AsWords(src));
}

template <bool isSetMask, typename T, typename M>
void NotStrided(LT<T> dst, LT<T> src, M mask, uint8_t repeat, const UnaryRepeatParams& p)
{
    CheckStridedDtype<NotOp, T>();
    const auto to = AsWords(dst);
    const auto from = AsWords(src);
    RunStrided(NotOp{}, MakeLanes<T, isSetMask>(mask, repeat), Strided<Word<sizeof(T)>>{to, {p.dstBlkStride, p.dstRepStride}},
               Strided<Word<sizeof(T)>>{from, {p.srcBlkStride, p.srcRepStride}});
}

}  // namespace cpu::vec

template <typename T>
void Abs(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::AbsOp>(dst, src, count);
}
template <typename T, bool isSetMask = true>
void Abs(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::AbsOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Abs(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::AbsOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T>
void Relu(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::ReluOp>(dst, src, count);
}
template <typename T, bool isSetMask = true>
void Relu(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ReluOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Relu(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ReluOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T>
void Not(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::NotCount(dst, src, count);
}
template <typename T, bool isSetMask = true>
void Not(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::NotStrided<isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Not(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::NotStrided<isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T>
void Neg(cpu::LT<T> dst, cpu::LT<T> src, const uint32_t count)
{
    cpu::vec::UnaryCount<cpu::vec::NegOp>(dst, src, count);
}

#if __NPU_ARCH__ == 2201

template <typename T>
void Exp(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::ExpOp>(dst, src, count);
}
template <typename T, bool isSetMask = true>
void Exp(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ExpOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Exp(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ExpOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T>
void Ln(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::LnOp>(dst, src, count);
}
template <typename T, bool isSetMask = true>
void Ln(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::LnOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Ln(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::LnOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T>
void Sqrt(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::SqrtOp>(dst, src, count);
}
template <typename T, bool isSetMask = true>
void Sqrt(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::SqrtOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Sqrt(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::SqrtOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T>
void Rsqrt(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::RsqrtOp>(dst, src, count);
}
template <typename T, bool isSetMask = true>
void Rsqrt(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::RsqrtOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Rsqrt(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::RsqrtOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T>
void Reciprocal(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::ReciprocalOp>(dst, src, count);
}
template <typename T, bool isSetMask = true>
void Reciprocal(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ReciprocalOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Reciprocal(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ReciprocalOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

#else

// Which algorithm the device uses; here all of them give the correctly rounded value and none flushes subnormals.
enum class ExpAlgo { INTRINSIC = 0, PRECISION_1ULP_FTZ_TRUE = 1, PRECISION_1ULP_FTZ_FALSE = 2 };
enum class LnAlgo { INTRINSIC = 0, PRECISION_1ULP_FTZ_TRUE = 1, PRECISION_1ULP_FTZ_FALSE = 2 };
enum class ReciprocalAlgo { INTRINSIC = 0, PRECISION_1ULP_FTZ_TRUE = 1, PRECISION_1ULP_FTZ_FALSE = 2 };
enum class RsqrtAlgo {
    INTRINSIC = 0,
    FAST_INVERSE = 1,
    PRECISION_1ULP_FTZ_TRUE = 2,
    PRECISION_0ULP_FTZ_FALSE = 3,
    PRECISION_1ULP_FTZ_FALSE = 4
};
enum class SqrtAlgo {
    INTRINSIC = 0,
    FAST_INVERSE = 1,
    PRECISION_1ULP_FTZ_TRUE = 2,
    PRECISION_0ULP_FTZ_FALSE = 3,
    PRECISION_1ULP_FTZ_FALSE = 4
};

struct ExpConfig {
    ExpAlgo algo = ExpAlgo::INTRINSIC;
};
inline constexpr ExpConfig DEFAULT_EXP_CONFIG = {ExpAlgo::INTRINSIC};

struct LnConfig {
    LnAlgo algo = LnAlgo::INTRINSIC;
};
inline constexpr LnConfig DEFAULT_LN_CONFIG = {LnAlgo::INTRINSIC};

struct SqrtConfig {
    SqrtAlgo algo = SqrtAlgo::INTRINSIC;
};
inline constexpr SqrtConfig DEFAULT_SQRT_CONFIG = {SqrtAlgo::INTRINSIC};

struct RsqrtConfig {
    RsqrtAlgo algo = RsqrtAlgo::INTRINSIC;
};
inline constexpr RsqrtConfig DEFAULT_RSQRT_CONFIG = {RsqrtAlgo::INTRINSIC};

struct ReciprocalConfig {
    ReciprocalAlgo algo = ReciprocalAlgo::INTRINSIC;
};
inline constexpr ReciprocalConfig DEFAULT_RECIPROCAL_CONFIG = {ReciprocalAlgo::INTRINSIC};

template <typename T, const ExpConfig& config = DEFAULT_EXP_CONFIG>
void Exp(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::ExpOp>(dst, src, count);
}
template <typename T, bool isSetMask = true, const ExpConfig& config = DEFAULT_EXP_CONFIG>
void Exp(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ExpOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true, const ExpConfig& config = DEFAULT_EXP_CONFIG>
void Exp(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ExpOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T, const LnConfig& config = DEFAULT_LN_CONFIG>
void Ln(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::LnOp>(dst, src, count);
}
template <typename T, bool isSetMask = true, const LnConfig& config = DEFAULT_LN_CONFIG>
void Ln(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::LnOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true, const LnConfig& config = DEFAULT_LN_CONFIG>
void Ln(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::LnOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T, const SqrtConfig& config = DEFAULT_SQRT_CONFIG>
void Sqrt(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::SqrtOp>(dst, src, count);
}
template <typename T, bool isSetMask = true, const SqrtConfig& config = DEFAULT_SQRT_CONFIG>
void Sqrt(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::SqrtOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true, const SqrtConfig& config = DEFAULT_SQRT_CONFIG>
void Sqrt(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::SqrtOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T, const RsqrtConfig& config = DEFAULT_RSQRT_CONFIG>
void Rsqrt(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::RsqrtOp>(dst, src, count);
}
template <typename T, bool isSetMask = true, const RsqrtConfig& config = DEFAULT_RSQRT_CONFIG>
void Rsqrt(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::RsqrtOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true, const RsqrtConfig& config = DEFAULT_RSQRT_CONFIG>
void Rsqrt(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::RsqrtOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

template <typename T, const ReciprocalConfig& config = DEFAULT_RECIPROCAL_CONFIG>
void Reciprocal(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::UnaryCount<cpu::vec::ReciprocalOp>(dst, src, count);
}
template <typename T, bool isSetMask = true, const ReciprocalConfig& config = DEFAULT_RECIPROCAL_CONFIG>
void Reciprocal(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ReciprocalOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true, const ReciprocalConfig& config = DEFAULT_RECIPROCAL_CONFIG>
void Reciprocal(cpu::LT<T> dst, cpu::LT<T> src, uint64_t mask[], const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams)
{
    cpu::vec::UnaryStrided<cpu::vec::ReciprocalOp, isSetMask>(dst, src, mask, repeatTime, repeatParams);
}

#endif

}  // namespace AscendC

#endif
