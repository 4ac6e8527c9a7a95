// Mathematical functions of one source whose algorithm can be chosen on c310: Atan, Cos, Erf, Sin, Tanh (API reference 6.2).
#ifndef ASCENDC_CPU_VECTOR_MATH_CONFIG_H
#define ASCENDC_CPU_VECTOR_MATH_CONFIG_H

#include "math_family.h"

namespace AscendC {

#if __NPU_ARCH__ == 3510
enum class AtanAlgo { TAYLOR_EXPANSION = 0, POLYNOMIAL_APPROXIMATION = 1 };
enum class CosAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION = 1 };
enum class ErfAlgo { PADE_APPROXIMATION = 0, SUBSECTION_POLYNOMIAL_APPROXIMATION = 1 };
enum class SinAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION = 1 };
enum class TanhAlgo { INTRINSIC = 0, SUBSECTION_COMPENSATION = 1 };
struct AtanConfig {
    AtanAlgo algo = AtanAlgo::TAYLOR_EXPANSION;
};
struct CosConfig {
    CosAlgo algo = CosAlgo::POLYNOMIAL_APPROXIMATION;
};
struct ErfConfig {
    ErfAlgo algo = ErfAlgo::PADE_APPROXIMATION;
};
struct SinConfig {
    SinAlgo algo = SinAlgo::POLYNOMIAL_APPROXIMATION;
};
struct TanhConfig {
    TanhAlgo algo = TanhAlgo::INTRINSIC;
};
inline constexpr AtanConfig defaultAtanConfig = {};
inline constexpr CosConfig defaultCosConfig = {};
inline constexpr ErfConfig defaultErfConfig = {};
inline constexpr SinConfig defaultSinConfig = {};
inline constexpr TanhConfig DEFAULT_TANH_CONFIG = {};
#endif

#if __NPU_ARCH__ == 2201

template <typename T, bool isReuseSource = false>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

#else

template <typename T, bool isReuseSource = false, const AtanConfig& config = defaultAtanConfig>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AtanConfig& config = defaultAtanConfig>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false, const AtanConfig& config = defaultAtanConfig>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AtanConfig& config = defaultAtanConfig>
void Atan(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::AtanOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false, const CosConfig& config = defaultCosConfig>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const CosConfig& config = defaultCosConfig>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false, const CosConfig& config = defaultCosConfig>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const CosConfig& config = defaultCosConfig>
void Cos(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::CosOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false, const ErfConfig& config = defaultErfConfig>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const ErfConfig& config = defaultErfConfig>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false, const ErfConfig& config = defaultErfConfig>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const ErfConfig& config = defaultErfConfig>
void Erf(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::ErfOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false, const SinConfig& config = defaultSinConfig>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const SinConfig& config = defaultSinConfig>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false, const SinConfig& config = defaultSinConfig>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const SinConfig& config = defaultSinConfig>
void Sin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::SinOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false, const TanhConfig& config = DEFAULT_TANH_CONFIG>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor)
{
    cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const TanhConfig& config = DEFAULT_TANH_CONFIG>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false, const TanhConfig& config = DEFAULT_TANH_CONFIG>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const TanhConfig& config = DEFAULT_TANH_CONFIG>
void Tanh(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const uint32_t calCount)
{
    cpu::vec::MathUnary<cpu::vec::TanhOp>(dstTensor, srcTensor, sharedTmpBuffer, calCount);
}

#endif

}  // namespace AscendC

#endif
