// Mathematical functions of one source (API reference 6.2), all forms: with and without work buffer and count.
#ifndef ASCENDC_CPU_VECTOR_MATH_H
#define ASCENDC_CPU_VECTOR_MATH_H

#include "math_family.h"
#include "vector_unary.h"

namespace AscendC {

// ---- one source, count optional --------------------------------------------------------------------------------------

template <typename T, bool isReuseSource = false>
void Acos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::AcosOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Acos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AcosOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Acos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::AcosOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Acos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AcosOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Acosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::AcoshOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Acosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AcoshOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Acosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::AcoshOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Acosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AcoshOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Asin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::AsinOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Asin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AsinOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Asin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::AsinOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Asin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AsinOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Asinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::AsinhOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Asinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AsinhOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Asinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::AsinhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Asinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AsinhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Atanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::AtanhOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Atanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AtanhOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Atanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::AtanhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Atanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AtanhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Cosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::CoshOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Cosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::CoshOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Cosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::CoshOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Cosh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::CoshOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Erfc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::ErfcOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Erfc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::ErfcOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Erfc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::ErfcOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Erfc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::ErfcOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Frac(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::FracOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Frac(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::FracOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Frac(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::FracOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Frac(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::FracOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Log2(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::Log2Op>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Log2(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::Log2Op>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Log2(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::Log2Op>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Log2(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::Log2Op>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Sign(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::SignOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Sign(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::SignOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Sign(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::SignOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Sign(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::SignOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Sinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::SinhOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Sinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::SinhOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Sinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::SinhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Sinh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::SinhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Tan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::TanOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Tan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::TanOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Tan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::TanOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Tan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::TanOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Trunc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::TruncOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Trunc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::TruncOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Trunc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::TruncOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Trunc(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::TruncOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

// ---- one source, count required or no work buffer ----------------------------------------------------------------------

template <typename T, bool isReuseSource = false>
void Ceil(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::CeilOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Ceil(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::CeilOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Floor(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::FloorOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Floor(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::FloorOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Lgamma(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::LgammaOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Lgamma(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::LgammaOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Round(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::RoundOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Round(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::RoundOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Digamma(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::DigammaOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Digamma(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::DigammaOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Log(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::LogOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Log(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::LogOp>(dstTensor, srcTensor, calCount);
}

template <typename T, bool isReuseSource = false>
void Log10(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::Log10Op>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Log10(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::Log10Op>(dstTensor, srcTensor, calCount);
}

template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(cpu::LT<T> dstLocal, cpu::LT<T> srcLocal, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::ExpTaylorOp>(dstLocal, srcLocal, calCount);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(cpu::LT<T> dstLocal, cpu::LT<T> srcLocal, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::ExpTaylorOp>(dstLocal, srcLocal, sharedTmpBuffer, calCount);
}

}  // namespace AscendC

#include "vector_logic.h"
#include "vector_math_config.h"
#include "vector_power.h"

#endif
