// The mathematical functions of the advanced API (API reference 6.2), all forms: with and without work buffer and count.
//
// Accuracy is not documented; here every result is the exact value rounded once, whatever algorithm a Config selects.
#ifndef ASCENDC_CPU_VECTOR_MATH_H
#define ASCENDC_CPU_VECTOR_MATH_H

#include "math_ops.h"
#include "vector_scalar.h"
#include "vector_unary.h"

namespace AscendC {
namespace cpu::vec {

// A work buffer is written with nothing of value.
inline void UseWorkspace(const char* name, LT<uint8_t> tmp)
{
    if constexpr (kChecked) {
        Instruction(name, PIPE_V).WritesElements(tmp, tmp.GetSize()).Untracked();
        SetDefined(tmp.Data(), tmp.GetSize(), false);
    }
}

template <typename Op, typename T>
void MathUnary(LT<T> dst, LT<T> src, uint32_t count)
{
    CheckDtype<Op, T>();
    Run(Op{}, dst, count, src);
}
template <typename Op, typename T>
void MathUnary(LT<T> dst, LT<T> src, LT<uint8_t> tmp, uint32_t count)
{
    UseWorkspace(Op::kName, tmp);
    MathUnary<Op>(dst, src, count);
}

template <typename Op, typename T>
void MathBinary(LT<T> dst, LT<T> src0, LT<T> src1, uint32_t count)
{
    CheckDtype<Op, T>();
    Run(Op{}, dst, count, src0, src1);
}
template <typename Op, typename T>
void MathBinary(LT<T> dst, LT<T> src0, LT<T> src1, LT<uint8_t> tmp, uint32_t count)
{
    UseWorkspace(Op::kName, tmp);
    MathBinary<Op>(dst, src0, src1, count);
}

// kFirst: the number is the first operand.
template <typename Op, bool kFirst, typename T>
void MathNumber(LT<T> dst, LT<T> src, const T& number, uint32_t count)
{
    CheckDtype<Op, T>();
    Run(Bound<Op, num::Wide<T>, kFirst>{static_cast<num::Wide<T>>(number)}, dst, count, src);
}
template <typename Op, bool kFirst, typename T>
void MathNumber(LT<T> dst, LT<T> src, const T& number, LT<uint8_t> tmp, uint32_t count)
{
    UseWorkspace(Op::kName, tmp);
    MathNumber<Op, kFirst>(dst, src, number, count);
}

// dst[r][c] = src[r][0] + ... + src[r][c] along the last axis, or down the columns; every sum is rounded.
template <typename T>
void CumulativeSum(LT<T> dst, LT<T> lastRow, LT<T> src, uint32_t rows, uint32_t columns, bool lastAxis, bool outputLastRow)
{
    Instruction instruction("CumSum", PIPE_V, int64_t{rows} * columns);
    instruction.Writes(dst).Reads(src);
    if (outputLastRow) {
        instruction.WritesElements(lastRow, columns);
    }
    instruction.All();
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < columns; ++c) {
            const size_t at = size_t{r} * columns + c;
            const bool first = lastAxis ? c == 0 : r == 0;
            dst.Data()[at] = first ? src.Data()[at] : static_cast<T>(dst.Data()[at - (lastAxis ? 1 : columns)] + src.Data()[at]);
        }
    }
    for (uint32_t c = 0; outputLastRow && rows != 0 && c < columns; ++c) {
        lastRow.Data()[c] = dst.Data()[size_t{rows - 1} * columns + c];
    }
}

}  // namespace cpu::vec

#if __NPU_ARCH__ == 3510
enum class AtanAlgo { TAYLOR_EXPANSION = 0, POLYNOMIAL_APPROXIMATION = 1 };
enum class CosAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION = 1 };
enum class ErfAlgo { PADE_APPROXIMATION = 0, SUBSECTION_POLYNOMIAL_APPROXIMATION = 1 };
enum class FmodAlgo { NORMAL = 0, ITERATION_COMPENSATION = 1 };
enum class SinAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION = 1 };
enum class TanhAlgo { INTRINSIC = 0, SUBSECTION_COMPENSATION = 1 };
enum class PowerAlgo { INTRINSIC = 0 };
constexpr uint32_t FMOD_ITERATION_NUM_MAX = 11;
struct AtanConfig {
    AtanAlgo algo = AtanAlgo::TAYLOR_EXPANSION;
};
struct CosConfig {
    CosAlgo algo = CosAlgo::POLYNOMIAL_APPROXIMATION;
};
struct ErfConfig {
    ErfAlgo algo = ErfAlgo::PADE_APPROXIMATION;
};
struct FmodConfig {
    FmodAlgo algo = FmodAlgo::NORMAL;
    uint32_t iterationNum = FMOD_ITERATION_NUM_MAX;
};
struct SinConfig {
    SinAlgo algo = SinAlgo::POLYNOMIAL_APPROXIMATION;
};
struct TanhConfig {
    TanhAlgo algo = TanhAlgo::INTRINSIC;
};
struct PowerConfig {
    PowerAlgo algo = PowerAlgo::INTRINSIC;
};
inline constexpr AtanConfig defaultAtanConfig = {};
inline constexpr CosConfig defaultCosConfig = {};
inline constexpr ErfConfig defaultErfConfig = {};
inline constexpr FmodConfig DEFAULT_FMOD_CONFIG = {};
inline constexpr SinConfig defaultSinConfig = {};
inline constexpr TanhConfig DEFAULT_TANH_CONFIG = {};
inline constexpr PowerConfig defaultPowerConfig = {};
#endif

// ---- one source, count optional --------------------------------------------------------------------------------------

template <typename T, bool isReuseSource = false>
void Acos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::AcosOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Acos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AcosOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Acos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::AcosOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Acos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AcosOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Acosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::AcoshOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Acosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AcoshOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Acosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::AcoshOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Acosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AcoshOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Asin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::AsinOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Asin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AsinOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Asin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::AsinOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Asin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AsinOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Asinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::AsinhOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Asinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AsinhOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Asinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::AsinhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Asinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AsinhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Atanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::AtanhOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Atanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AtanhOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Atanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::AtanhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Atanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AtanhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Cosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::CoshOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Cosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::CoshOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Cosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::CoshOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Cosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::CoshOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Erfc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::ErfcOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Erfc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::ErfcOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Erfc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::ErfcOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Erfc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::ErfcOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Frac(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::FracOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Frac(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::FracOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Frac(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::FracOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Frac(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::FracOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Log2(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::Log2Op>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Log2(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::Log2Op>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Log2(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::Log2Op>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Log2(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::Log2Op>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Sign(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::SignOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Sign(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::SignOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Sign(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::SignOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Sign(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::SignOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Sinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::SinhOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Sinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::SinhOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Sinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::SinhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Sinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::SinhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Tan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::TanOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Tan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::TanOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Tan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::TanOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Tan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::TanOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Trunc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::TruncOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Trunc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::TruncOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Trunc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::TruncOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Trunc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::TruncOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

#if __NPU_ARCH__ == 2201

template <typename T, bool isReuseSource = false>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

#else

template <typename T, bool isReuseSource = false, const AtanConfig& config = defaultAtanConfig>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const AtanConfig& config = defaultAtanConfig>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false, const AtanConfig& config = defaultAtanConfig>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const AtanConfig& config = defaultAtanConfig>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false, const CosConfig& config = defaultCosConfig>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const CosConfig& config = defaultCosConfig>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false, const CosConfig& config = defaultCosConfig>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const CosConfig& config = defaultCosConfig>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false, const ErfConfig& config = defaultErfConfig>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const ErfConfig& config = defaultErfConfig>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false, const ErfConfig& config = defaultErfConfig>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const ErfConfig& config = defaultErfConfig>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false, const SinConfig& config = defaultSinConfig>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const SinConfig& config = defaultSinConfig>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false, const SinConfig& config = defaultSinConfig>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const SinConfig& config = defaultSinConfig>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false, const TanhConfig& config = DEFAULT_TANH_CONFIG>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const TanhConfig& config = DEFAULT_TANH_CONFIG>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false, const TanhConfig& config = DEFAULT_TANH_CONFIG>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false, const TanhConfig& config = DEFAULT_TANH_CONFIG>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

#endif

// ---- one source, count required or no work buffer ----------------------------------------------------------------------

template <typename T, bool isReuseSource = false>
void Ceil(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::CeilOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Ceil(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::CeilOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Floor(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::FloorOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Floor(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::FloorOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Lgamma(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::LgammaOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Lgamma(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::LgammaOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Round(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::RoundOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Round(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::RoundOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Digamma(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::DigammaOp>(dstTensor, srcTensor, calCount); }
template <typename T, bool isReuseSource = false>
void Digamma(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::DigammaOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Log(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::LogOp>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Log(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::LogOp>(dstTensor, srcTensor, calCount); }

template <typename T, bool isReuseSource = false>
void Log10(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor) { cpu::vec::MathUnary<cpu::vec::Log10Op>(dstTensor, srcTensor, srcTensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Log10(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::Log10Op>(dstTensor, srcTensor, calCount); }

template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(cpu::LT<T> dstLocal, cpu::LT<T> srcLocal, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::ExpTaylorOp>(dstLocal, srcLocal, calCount); }
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(cpu::LT<T> dstLocal, cpu::LT<T> srcLocal, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount) { cpu::vec::MathUnary<cpu::vec::ExpTaylorOp>(dstLocal, srcLocal, sharedTmpBuffer, calCount); }

// ---- two sources -----------------------------------------------------------------------------------------------------

template <typename T, bool isReuseSource = false>
void Xor(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor) { cpu::vec::MathBinary<cpu::vec::XorOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Xor(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::XorOp>(dstTensor, src0Tensor, src1Tensor, calCount); }
template <typename T, bool isReuseSource = false>
void Xor(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathBinary<cpu::vec::XorOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Xor(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::XorOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Hypot(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor) { cpu::vec::MathBinary<cpu::vec::HypotOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Hypot(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::HypotOp>(dstTensor, src0Tensor, src1Tensor, calCount); }
template <typename T, bool isReuseSource = false>
void Hypot(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathBinary<cpu::vec::HypotOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Hypot(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::HypotOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount); }

#if __NPU_ARCH__ == 2201

template <typename T, bool isReuseSource = false>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor) { cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, calCount); }
template <typename T, bool isReuseSource = false>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor) { cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, calCount); }
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar) { cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, calCount); }
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, sharedTmpBuffer, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor) { cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, src1Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, calCount); }
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, sharedTmpBuffer, src1Tensor.GetSize()); }
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, sharedTmpBuffer, calCount); }

#else

template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor) { cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, calCount); }
template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor) { cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, calCount); }
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar) { cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, calCount); }
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, sharedTmpBuffer, src0Tensor.GetSize()); }
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor) { cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, src1Tensor.GetSize()); }
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, calCount); }
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer) { cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, sharedTmpBuffer, src1Tensor.GetSize()); }
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer, uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, sharedTmpBuffer, calCount); }

#endif

template <typename T, bool isReuseSource = false>
void ClampMax(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const T scalar, const uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::ClampMaxOp, false>(dstTensor, srcTensor, scalar, calCount); }
template <typename T, bool isReuseSource = false>
void ClampMax(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const T scalar, const uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::ClampMaxOp, false>(dstTensor, srcTensor, scalar, sharedTmpBuffer, calCount); }

template <typename T, bool isReuseSource = false>
void ClampMin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const T scalar, const uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::ClampMinOp, false>(dstTensor, srcTensor, scalar, calCount); }
template <typename T, bool isReuseSource = false>
void ClampMin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const T scalar, const uint32_t calCount) { cpu::vec::MathNumber<cpu::vec::ClampMinOp, false>(dstTensor, srcTensor, scalar, sharedTmpBuffer, calCount); }

template <typename T, typename U, bool isReuseSource = false>
void Axpy(cpu::LT<T> dstTensor, cpu::LT<U> srcTensor, const U scalarValue, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::UseWorkspace("Axpy", sharedTmpBuffer);
    cpu::vec::AxpyCount(dstTensor, srcTensor, scalarValue, calCount);
}

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
inline constexpr CumSumConfig defaultCumSumConfig = {true, false, true, CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
struct CumSumInfo {
    uint32_t outter{0};
    uint32_t inner{0};
};

template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, cpu::LT<T> srcTensor, const CumSumInfo& cumSumInfo) { cpu::vec::CumulativeSum<T>(dstTensor, lastRowTensor, srcTensor, cumSumInfo.outter, cumSumInfo.inner, config.isLastAxis, config.outputLastRow); }
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, cpu::LT<T> srcTensor, LocalTensor<uint8_t>& sharedTmpBuffer, const CumSumInfo& cumSumInfo)
{
    cpu::vec::UseWorkspace("CumSum", sharedTmpBuffer);
    CumSum<T, config>(dstTensor, lastRowTensor, srcTensor, cumSumInfo);
}

}  // namespace AscendC

#include "vector_logic.h"

#endif
