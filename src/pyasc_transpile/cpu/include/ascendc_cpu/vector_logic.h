// Functions of the advanced API that exist on c310 only: bitwise, logical, classification, Clamp, Fma, Rint, SinCos, Where.
#ifndef ASCENDC_CPU_VECTOR_LOGIC_H
#define ASCENDC_CPU_VECTOR_LOGIC_H

#include "math_family.h"
#include "vector_free.h"

namespace AscendC {
namespace cpu::vec {

// Results of truth functions: bool, or 1 and 0 in the dtype of the destination.
template <typename Op, typename D, typename S>
void TruthUnary(LT<D> dst, LT<S> src, uint32_t count)
{
    CheckDtype<Op, S>();
    Run(Op{}, dst, count, src);
}
template <typename Op, typename D, typename S>
void TruthBinary(LT<D> dst, LT<S> src0, LT<S> src1, uint32_t count)
{
    CheckDtype<Op, S>();
    Run(Op{}, dst, count, src0, src1);
}
template <typename Op, int8_t kScalarIndex, typename D, typename S, typename V>
void TruthNumber(LT<D> dst, const S& src0, const V& src1, uint32_t count)
{
    constexpr bool first = kFirstIsScalar<kScalarIndex, S, V>;
    CheckDtype<Op, ElementOf<std::conditional_t<first, V, S>>>();
    if constexpr (first) {
        RunWithNumber<Op, true>(dst, src1, src0, count);
    } else {
        RunWithNumber<Op, false>(dst, src0, src1, count);
    }
}

// Clamp: the bounds are numbers or tensors of the same length; max(min) first, then min(max).
struct ClampOp {
    static constexpr const char* kName = "Clamp";
    static constexpr Legal kTypes = {kNone, kInts | kHalf | kBf16 | kFloat};
};
struct WhereOp {
    static constexpr const char* kName = "Where";
};

// Element i of an operand that is a tensor or a number.
template <typename T, typename X>
T ElementAt(const X& operand, [[maybe_unused]] size_t i)
{
    if constexpr (kIsTensor<X>) {
        return operand.Data()[i];
    } else {
        return static_cast<T>(operand);
    }
}
template <typename X>
void ReadOperand(Instruction& instruction, const X& operand)
{
    if constexpr (kIsTensor<X>) {
        instruction.Reads(operand);
    }
}

template <typename T, typename U, typename S>
void ClampCount(LT<T> dst, LT<T> src, const U& low, const S& high, uint32_t count)
{
    CheckDtype<ClampOp, T>();
    Instruction instruction("Clamp", PIPE_V, count);
    instruction.Writes(dst).Reads(src);
    ReadOperand(instruction, low);
    ReadOperand(instruction, high);
    instruction.Elementwise();
    using V = num::Wide<T>;
    for (uint32_t i = 0; i < count; ++i) {
        const V x = MaxOp{}(static_cast<V>(src.Data()[i]), static_cast<V>(ElementAt<T>(low, i)));
        dst.Data()[i] = static_cast<T>(MinOp{}(x, static_cast<V>(ElementAt<T>(high, i))));
    }
}

// condition ? src0 : src1.
template <typename T, typename U, typename S, typename V>
void WhereCount(LT<T> dst, const U& src0, const S& src1, LT<V> condition, uint32_t count)
{
    CheckDtypes<WhereOp, T, V, kC310 && sizeof(V) == 1>();
    Instruction instruction("Where", PIPE_V, count);
    instruction.Writes(dst).Reads(condition);
    ReadOperand(instruction, src0);
    ReadOperand(instruction, src1);
    instruction.Elementwise();
    for (uint32_t i = 0; i < count; ++i) {
        dst.Data()[i] = condition.Data()[i] ? ElementAt<T>(src0, i) : ElementAt<T>(src1, i);
    }
}

template <typename T>
void FmaCount(LT<T> dst, LT<T> src0, LT<T> src1, LT<T> src2, uint32_t count)
{
    CheckDtype<FmaOp<T>, T>();
    Run(FmaOp<T>{}, dst, count, src0, src1, src2);
}

// The source may be one of the destinations: the one written last.
template <typename T>
void SinCosCount(LT<T> sine, LT<T> cosine, LT<T> src, uint32_t count)
{
    static_assert(kC310 && sizeof(T) != 0, "Ascend C: SinCos exists on architecture c310 only");
    if (sine.Data() == src.Data()) {
        MathUnary<CosOp>(cosine, src, count);
        MathUnary<SinOp>(sine, src, count);
    } else {
        MathUnary<SinOp>(sine, src, count);
        MathUnary<CosOp>(cosine, src, count);
    }
}

}  // namespace cpu::vec

struct BitwiseAndConfig {
    bool isReuseSource;
};
inline constexpr BitwiseAndConfig DEFAULT_BITWISE_AND_CONFIG = {false};

struct BitwiseOrConfig {
    bool isReuseSource;
};
inline constexpr BitwiseOrConfig DEFAULT_BITWISE_OR_CONFIG = {false};

struct BitwiseXorConfig {
    bool isReuseSource;
};
inline constexpr BitwiseXorConfig DEFAULT_BITWISE_XOR_CONFIG = {false};

struct BitwiseNotConfig {
    bool isReuseSource;
};
inline constexpr BitwiseNotConfig DEFAULT_BITWISE_NOT_CONFIG = {false};

struct ClampConfig {
    bool isReuseSource;
};
inline constexpr ClampConfig DEFAULT_CLAMP_CONFIG = {false};

struct FmaConfig {
    bool isReuseSource;
};
inline constexpr FmaConfig DEFAULT_FMA_CONFIG = {false};

struct IsInfConfig {
    bool isReuseSource;
};
inline constexpr IsInfConfig DEFAULT_IS_INF_CONFIG = {false};

struct IsNanConfig {
    bool isReuseSource;
};
inline constexpr IsNanConfig DEFAULT_IS_NAN_CONFIG = {false};

struct LogicalAndConfig {
    bool isReuseSource;
};
inline constexpr LogicalAndConfig DEFAULT_LOGICAL_AND_CONFIG = {false};

struct LogicalAndsConfig {
    bool isReuseSource;
    int8_t scalarTensorIndex;
};
inline constexpr LogicalAndsConfig DEFAULT_LOGICAL_ANDS_CONFIG = {false, 1};

struct LogicalNotConfig {
    bool isReuseSource;
};
inline constexpr LogicalNotConfig DEFAULT_LOGICAL_NOT_CONFIG = {false};

struct LogicalOrConfig {
    bool isReuseSource;
};
inline constexpr LogicalOrConfig DEFAULT_LOGICAL_OR_CONFIG = {false};

struct LogicalOrsConfig {
    bool isReuseSource;
    int8_t scalarTensorIndex;
};
inline constexpr LogicalOrsConfig DEFAULT_LOGICAL_ORS_CONFIG = {false, 1};

struct LogicalXorConfig {
    bool isReuseSource;
};
inline constexpr LogicalXorConfig DEFAULT_LOGICAL_XOR_CONFIG = {false};

struct RintConfig {
    bool isReuseSource;
};
inline constexpr RintConfig DEFAULT_RINT_CONFIG = {false};

struct SinCosConfig {
    bool isReuseSource;
};
inline constexpr SinCosConfig DEFAULT_SINCOS_CONFIG = {false};

template <const BitwiseAndConfig& config = DEFAULT_BITWISE_AND_CONFIG, typename T>
void BitwiseAnd(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const uint32_t count)
{
    cpu::vec::MathBinary<cpu::vec::BitwiseAndOp>(dst, src0, src1, count);
}

template <const BitwiseOrConfig& config = DEFAULT_BITWISE_OR_CONFIG, typename T>
void BitwiseOr(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const uint32_t count)
{
    cpu::vec::MathBinary<cpu::vec::BitwiseOrOp>(dst, src0, src1, count);
}

template <const BitwiseXorConfig& config = DEFAULT_BITWISE_XOR_CONFIG, typename T>
void BitwiseXor(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const uint32_t count)
{
    cpu::vec::MathBinary<cpu::vec::BitwiseXorOp>(dst, src0, src1, count);
}

template <const BitwiseNotConfig& config = DEFAULT_BITWISE_NOT_CONFIG, typename T>
void BitwiseNot(cpu::LT<T> dst, cpu::LT<T> src, const uint32_t count)
{
    cpu::vec::MathUnary<cpu::vec::BitwiseNotOp>(dst, src, count);
}

template <const ClampConfig& config = DEFAULT_CLAMP_CONFIG, typename T, typename U, typename S>
void Clamp(cpu::LT<T> dst, cpu::LT<T> src, const U& min, const S& max, const uint32_t count)
{
    cpu::vec::ClampCount(dst, src, min, max, count);
}

template <const FmaConfig& config = DEFAULT_FMA_CONFIG, typename T>
void Fma(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, cpu::LT<T> src2, const uint32_t count)
{
    cpu::vec::FmaCount(dst, src0, src1, src2, count);
}
template <const FmaConfig& config = DEFAULT_FMA_CONFIG, typename T>
void Fma(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, cpu::LT<T> src2, cpu::LT<uint8_t> sharedTmpBuffer,
         const uint32_t count)
{
    cpu::vec::UseWorkspace("Fma", sharedTmpBuffer);
    cpu::vec::FmaCount(dst, src0, src1, src2, count);
}

template <typename T, typename U>
void IsFinite(cpu::LT<U> dst, cpu::LT<T> src, uint32_t calCount)
{
    cpu::vec::TruthUnary<cpu::vec::IsFiniteOp>(dst, src, calCount);
}

template <const IsInfConfig& config = DEFAULT_IS_INF_CONFIG, typename T, typename U>
void IsInf(cpu::LT<T> dst, cpu::LT<U> src, const uint32_t count)
{
    cpu::vec::TruthUnary<cpu::vec::IsInfOp>(dst, src, count);
}
template <const IsInfConfig& config = DEFAULT_IS_INF_CONFIG, typename T, typename U>
void IsInf(cpu::LT<T> dst, cpu::LT<U> src, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t count)
{
    cpu::vec::UseWorkspace("IsInf", sharedTmpBuffer);
    cpu::vec::TruthUnary<cpu::vec::IsInfOp>(dst, src, count);
}

template <const IsNanConfig& config = DEFAULT_IS_NAN_CONFIG, typename T, typename U>
void IsNan(cpu::LT<T> dst, cpu::LT<U> src, const uint32_t count)
{
    cpu::vec::TruthUnary<cpu::vec::IsNanOp>(dst, src, count);
}
template <const IsNanConfig& config = DEFAULT_IS_NAN_CONFIG, typename T, typename U>
void IsNan(cpu::LT<T> dst, cpu::LT<U> src, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t count)
{
    cpu::vec::UseWorkspace("IsNan", sharedTmpBuffer);
    cpu::vec::TruthUnary<cpu::vec::IsNanOp>(dst, src, count);
}

template <const LogicalAndConfig& config = DEFAULT_LOGICAL_AND_CONFIG, typename T, typename U>
void LogicalAnd(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint32_t count)
{
    cpu::vec::TruthBinary<cpu::vec::LogicalAndOp>(dst, src0, src1, count);
}

template <const LogicalOrConfig& config = DEFAULT_LOGICAL_OR_CONFIG, typename T, typename U>
void LogicalOr(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint32_t count)
{
    cpu::vec::TruthBinary<cpu::vec::LogicalOrOp>(dst, src0, src1, count);
}

template <const LogicalXorConfig& config = DEFAULT_LOGICAL_XOR_CONFIG, typename T, typename U>
void LogicalXor(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint32_t count)
{
    cpu::vec::TruthBinary<cpu::vec::LogicalXorOp>(dst, src0, src1, count);
}

template <const LogicalAndsConfig& config = DEFAULT_LOGICAL_ANDS_CONFIG, typename T, typename U, typename S>
void LogicalAnds(cpu::LT<T> dst, const U& src0, const S& src1, const uint32_t count)
{
    cpu::vec::TruthNumber<cpu::vec::LogicalAndOp, config.scalarTensorIndex>(dst, src0, src1, count);
}

template <const LogicalOrsConfig& config = DEFAULT_LOGICAL_ORS_CONFIG, typename T, typename U, typename S>
void LogicalOrs(cpu::LT<T> dst, const U& src0, const S& src1, const uint32_t count)
{
    cpu::vec::TruthNumber<cpu::vec::LogicalOrOp, config.scalarTensorIndex>(dst, src0, src1, count);
}

template <const LogicalNotConfig& config = DEFAULT_LOGICAL_NOT_CONFIG, typename T, typename U>
void LogicalNot(cpu::LT<T> dst, cpu::LT<U> src, const uint32_t count)
{
    cpu::vec::TruthUnary<cpu::vec::LogicalNotOp>(dst, src, count);
}

template <const RintConfig& config = DEFAULT_RINT_CONFIG, typename T>
void Rint(cpu::LT<T> dst, cpu::LT<T> src, const uint32_t count)
{
    cpu::vec::MathUnary<cpu::vec::RintOp>(dst, src, count);
}
template <const RintConfig& config = DEFAULT_RINT_CONFIG, typename T>
void Rint(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t count)
{
    cpu::vec::MathUnary<cpu::vec::RintOp>(dst, src, sharedTmpBuffer, count);
}

template <const SinCosConfig& config = DEFAULT_SINCOS_CONFIG, typename T>
void SinCos(cpu::LT<T> dst0, cpu::LT<T> dst1, cpu::LT<T> src, const uint32_t count)
{
    cpu::vec::SinCosCount(dst0, dst1, src, count);
}
template <const SinCosConfig& config = DEFAULT_SINCOS_CONFIG, typename T>
void SinCos(cpu::LT<T> dst0, cpu::LT<T> dst1, cpu::LT<T> src, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t count)
{
    cpu::vec::UseWorkspace("SinCos", sharedTmpBuffer);
    cpu::vec::SinCosCount(dst0, dst1, src, count);
}

template <typename T, typename U, typename S, typename V>
void Where(cpu::LT<T> dst, const U& src0, const S& src1, cpu::LT<V> condition, const uint32_t count)
{
    cpu::vec::WhereCount(dst, src0, src1, condition, count);
}

}  // namespace AscendC

#endif
