// Which dtypes an instruction takes on which architecture, as small sets of bits, and the check that names both.
#ifndef ASCENDC_CPU_VECTOR_TYPES_H
#define ASCENDC_CPU_VECTOR_TYPES_H

#include "numeric.h"
#include "tensor.h"

namespace AscendC {

// Which source of an instruction with free operand types is the scalar, or the tensor used as one.
struct BinaryConfig {
    int8_t scalarTensorIndex = 1;
};
inline constexpr BinaryConfig DEFAULT_BINARY_CONFIG = {1};
struct BinaryDefaultType {};

namespace cpu {

// How instructions take their tensors.
template <typename T>
using LT = const LocalTensor<T>&;

}  // namespace cpu

namespace cpu::vec {

// A set of dtypes.
using Types = uint32_t;
inline constexpr Types kS8 = 1, kU8 = 2, kS16 = 4, kU16 = 8, kS32 = 16, kU32 = 32, kS64 = 64, kU64 = 128;
inline constexpr Types kHalf = 256, kBf16 = 512, kFloat = 1024, kDouble = 2048, kBool = 4096;
inline constexpr Types kNone = 0;
inline constexpr Types kInts = kS8 | kU8 | kS16 | kU16 | kS32 | kU32 | kS64 | kU64;
inline constexpr Types kFloats = kHalf | kFloat;
inline constexpr Types k64 = kS64 | kU64;

template <typename T>
inline constexpr Types kTypeOf = std::is_same_v<T, half>         ? kHalf
                                 : std::is_same_v<T, bfloat16_t> ? kBf16
                                 : std::is_same_v<T, float>      ? kFloat
                                 : std::is_same_v<T, double>     ? kDouble
                                 : std::is_same_v<T, bool>       ? kBool
                                 : !std::is_integral_v<T>        ? kNone
                                 : sizeof(T) == 1                ? (std::is_signed_v<T> ? kS8 : kU8)
                                 : sizeof(T) == 2                ? (std::is_signed_v<T> ? kS16 : kU16)
                                 : sizeof(T) == 4                ? (std::is_signed_v<T> ? kS32 : kU32)
                                                                 : (std::is_signed_v<T> ? kS64 : kU64);

// The dtypes of an instruction: one set per architecture.
struct Legal {
    Types c220;
    Types c310;
    constexpr bool Has(Types type) const { return ((kC220 ? c220 : c310) & type) != 0; }
    constexpr bool Exists() const { return (kC220 ? c220 : c310) != kNone; }
};

// Fails to compile, showing Instruction and Dtype in the line "In instantiation of ..." above the message.
template <typename Instruction, typename Dtype>
constexpr void CheckDtype()
{
    constexpr Legal legal = Instruction::kTypes;
    static_assert(!(legal.c220 == kNone && kC220),
                  "Ascend C: this Instruction does not exist on architecture c220 (__NPU_ARCH__ 2201)");
    static_assert(!(legal.c310 == kNone && kC310),
                  "Ascend C: this Instruction does not exist on architecture c310 (__NPU_ARCH__ 3510)");
    static_assert(!kC220 || legal.Has(kTypeOf<Dtype>),
                  "Ascend C: this Instruction does not take this Dtype on architecture c220 (__NPU_ARCH__ 2201)");
    static_assert(!kC310 || legal.Has(kTypeOf<Dtype>),
                  "Ascend C: this Instruction does not take this Dtype on architecture c310 (__NPU_ARCH__ 3510)");
}

// The forms with masks and repeats take 16 and 32 bit types only.
template <typename Instruction, typename Dtype>
constexpr void CheckStridedDtype()
{
    CheckDtype<Instruction, Dtype>();
    static_assert(sizeof(Dtype) == 2 || sizeof(Dtype) == 4,
                  "Ascend C: with 8 and 64 bit Dtypes this Instruction has its count form only");
}

// Existence of instructions whose operand types differ: Instruction is named in the line above the message.
template <typename Instruction, typename Dst, typename Src, bool kLegal>
constexpr void CheckDtypes()
{
    static_assert(!kC220 || kLegal,
                  "Ascend C: this Instruction does not take these Dst and Src dtypes on architecture c220 (__NPU_ARCH__ 2201)");
    static_assert(!kC310 || kLegal,
                  "Ascend C: this Instruction does not take these Dst and Src dtypes on architecture c310 (__NPU_ARCH__ 3510)");
}

// A tensor, whatever its element; other things are scalars.
template <typename X>
struct TensorTraits {
    static constexpr bool kIsTensor = false;
    using Element = X;
};
template <typename T>
struct TensorTraits<LocalTensor<T>> {
    static constexpr bool kIsTensor = true;
    using Element = T;
};
template <typename X>
inline constexpr bool kIsTensor = TensorTraits<X>::kIsTensor;
template <typename X>
using ElementOf = typename TensorTraits<X>::Element;

// The tensor seen as unsigned words of the same width: for instructions that move bits.
template <size_t kBytes>
using Word = std::conditional_t<kBytes == 1, uint8_t,
                                std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;
template <typename T>
inline LocalTensor<Word<sizeof(T)>> AsWords(const LocalTensor<T>& tensor)
{
    return tensor.template ReinterpretCast<Word<sizeof(T)>>();
}
template <typename T>
inline Word<sizeof(T)> AsWord(const T& value)
{
    return num::BitCast<Word<sizeof(T)>>(value);
}

}  // namespace cpu::vec
}  // namespace AscendC

#endif
