// Mathematical functions of two sources, clamps, the advanced Axpy and CumSum (API reference 6.2), all forms.
#ifndef ASCENDC_CPU_VECTOR_POWER_H
#define ASCENDC_CPU_VECTOR_POWER_H

#include "math_family.h"
#include "vector_scalar.h"

namespace AscendC {
namespace cpu::vec {

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
            dst.Data()[at] =
                first ? src.Data()[at] : static_cast<T>(dst.Data()[at - (lastAxis ? 1 : columns)] + src.Data()[at]);
        }
    }
    for (uint32_t c = 0; outputLastRow && rows != 0 && c < columns; ++c) {
        lastRow.Data()[c] = dst.Data()[size_t{rows - 1} * columns + c];
    }
}

}  // namespace cpu::vec

#if __NPU_ARCH__ == 3510
enum class FmodAlgo { NORMAL = 0, ITERATION_COMPENSATION = 1 };
enum class PowerAlgo { INTRINSIC = 0 };
constexpr uint32_t FMOD_ITERATION_NUM_MAX = 11;
struct FmodConfig {
    FmodAlgo algo = FmodAlgo::NORMAL;
    uint32_t iterationNum = FMOD_ITERATION_NUM_MAX;
};
struct PowerConfig {
    PowerAlgo algo = PowerAlgo::INTRINSIC;
};
inline constexpr FmodConfig DEFAULT_FMOD_CONFIG = {};
inline constexpr PowerConfig defaultPowerConfig = {};
#endif

template <typename T, bool isReuseSource = false>
void Xor(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor)
{
    cpu::vec::MathBinary<cpu::vec::XorOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Xor(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::XorOp>(dstTensor, src0Tensor, src1Tensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Xor(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathBinary<cpu::vec::XorOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Xor(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer,
         uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::XorOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Hypot(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor)
{
    cpu::vec::MathBinary<cpu::vec::HypotOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Hypot(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::HypotOp>(dstTensor, src0Tensor, src1Tensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Hypot(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathBinary<cpu::vec::HypotOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Hypot(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer,
           uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::HypotOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount);
}

#if __NPU_ARCH__ == 2201

template <typename T, bool isReuseSource = false>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor)
{
    cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer,
          uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor)
{
    cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, calCount);
}
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer,
           uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, calCount);
}
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, cpu::LT<uint8_t> sharedTmpBuffer,
           uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, src1Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, calCount);
}
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, sharedTmpBuffer, src1Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer,
           uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, sharedTmpBuffer, calCount);
}

#else

template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor)
{
    cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, calCount);
}
template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
void Fmod(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer,
          uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::FmodOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor)
{
    cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, calCount);
}
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer,
           uint32_t calCount)
{
    cpu::vec::MathBinary<cpu::vec::PowerOp>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, calCount);
}
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, cpu::LT<T> src0Tensor, const T& src1Scalar, cpu::LT<uint8_t> sharedTmpBuffer,
           uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, false>(dstTensor, src0Tensor, src1Scalar, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, src1Tensor.GetSize());
}
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, calCount);
}
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, sharedTmpBuffer, src1Tensor.GetSize());
}
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
void Power(cpu::LT<T> dstTensor, const T& src0Scalar, cpu::LT<T> src1Tensor, cpu::LT<uint8_t> sharedTmpBuffer,
           uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::PowerOp, true>(dstTensor, src1Tensor, src0Scalar, sharedTmpBuffer, calCount);
}

#endif

template <typename T, bool isReuseSource = false>
void ClampMax(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const T scalar, const uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::ClampMaxOp, false>(dstTensor, srcTensor, scalar, calCount);
}
template <typename T, bool isReuseSource = false>
void ClampMax(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const T scalar,
              const uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::ClampMaxOp, false>(dstTensor, srcTensor, scalar, sharedTmpBuffer, calCount);
}

template <typename T, bool isReuseSource = false>
void ClampMin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, const T scalar, const uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::ClampMinOp, false>(dstTensor, srcTensor, scalar, calCount);
}
template <typename T, bool isReuseSource = false>
void ClampMin(cpu::LT<T> dstTensor, cpu::LT<T> srcTensor, cpu::LT<uint8_t> sharedTmpBuffer, const T scalar,
              const uint32_t calCount)
{
    cpu::vec::MathNumber<cpu::vec::ClampMinOp, false>(dstTensor, srcTensor, scalar, sharedTmpBuffer, calCount);
}

template <typename T, typename U, bool isReuseSource = false>
void Axpy(cpu::LT<T> dstTensor, cpu::LT<U> srcTensor, const U scalarValue, cpu::LT<uint8_t> sharedTmpBuffer,
          const uint32_t calCount)
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
void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, cpu::LT<T> srcTensor, const CumSumInfo& cumSumInfo)
{
    cpu::vec::CumulativeSum<T>(dstTensor, lastRowTensor, srcTensor, cumSumInfo.outter, cumSumInfo.inner, config.isLastAxis,
                               config.outputLastRow);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, cpu::LT<T> srcTensor,
            LocalTensor<uint8_t>& sharedTmpBuffer, const CumSumInfo& cumSumInfo)
{
    cpu::vec::UseWorkspace("CumSum", sharedTmpBuffer);
    CumSum<T, config>(dstTensor, lastRowTensor, srcTensor, cumSumInfo);
}

}  // namespace AscendC

#endif
