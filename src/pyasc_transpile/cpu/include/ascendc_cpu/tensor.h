// LocalTensor, GlobalTensor and LocalMemAllocator: typed views of a core's memories and of global memory.
#ifndef ASCENDC_CPU_TENSOR_H
#define ASCENDC_CPU_TENSOR_H

#include "instruction.h"
#include "machine.h"
#include "scalar_access.h"

namespace AscendC {

// The element type of a tensor type. (Traits with a static layout would be unwrapped here.)
template <typename T>
using PrimT = T;

// `a + b` on tensors is only a note of what to do; assigning it to a tensor does it.
template <typename T, char Op>
struct SymbolOverride {
    const LocalTensor<T>& left;
    const LocalTensor<T>& right;
};

template <typename T>
struct SymbolOverrideCompare {
    const LocalTensor<T>& left;
    const LocalTensor<T>& right;
    CMPMODE mode;
};

template <typename T>
using SymbolOverrideAdd = SymbolOverride<T, '+'>;
template <typename T>
using SymbolOverrideSub = SymbolOverride<T, '-'>;
template <typename T>
using SymbolOverrideMul = SymbolOverride<T, '*'>;
template <typename T>
using SymbolOverrideDiv = SymbolOverride<T, '/'>;
template <typename T>
using SymbolOverrideOr = SymbolOverride<T, '|'>;
template <typename T>
using SymbolOverrideAnd = SymbolOverride<T, '&'>;

template <typename T>
class LocalTensor {
public:
    using PrimType = PrimT<T>;

    LocalTensor() = default;

    // addr: byte offset in the memory of `pos`; tileSize: elements.
    LocalTensor(TPosition pos, uint32_t addr, uint32_t tileSize)
        : data_(reinterpret_cast<PrimType*>(cpu::CurrentBlock().Memory(cpu::MemoryOf(pos)) + addr)), size_(tileSize),
          position_(pos)
    {
    }

    // --- for the instructions of this library -------------------------------------------------------------------
    PrimType* Data() const { return data_; }
    static LocalTensor At(PrimType* data, uint32_t size, TPosition pos)
    {
        LocalTensor tensor;
        tensor.data_ = data;
        tensor.size_ = size;
        tensor.position_ = pos;
        return tensor;
    }
    cpu::Extent Extent() const { return {data_, uint64_t{size_} * sizeof(PrimType), position_}; }

    // --- documented members ---------------------------------------------------------------------------------------
    uint64_t GetPhyAddr() const { return GetPhyAddr(0); }
    uint64_t GetPhyAddr(const uint32_t offset) const
    {
        cpu::NoteAddress(Extent());
        return reinterpret_cast<uint64_t>(data_ + offset);
    }
    int32_t GetPosition() const { return static_cast<int32_t>(position_); }
    uint32_t GetSize() const { return size_; }
    uint32_t GetLength() const { return size_ * sizeof(PrimType); }
    void SetSize(const uint32_t size) { size_ = size; }
    void SetBufferLen(uint32_t dataLen) { size_ = dataLen / sizeof(PrimType); }
    void SetUserTag(const TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }
    void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = shapeInfo; }
    ShapeInfo GetShapeInfo() const { return shape_; }

    PrimType GetValue(const uint32_t index) const { return cpu::ScalarRead<PrimType>("GetValue", *this, index); }
    template <typename S>
    void SetValue(const uint32_t index, const S value) const
    {
        cpu::ScalarWrite<PrimType>("SetValue", *this, index, static_cast<PrimType>(value));
    }
    cpu::ScalarReference<PrimType, LocalTensor> operator()(const uint32_t offset) const
    {
        return cpu::ReferTo<PrimType>(*this, offset);
    }

    LocalTensor operator[](const uint32_t offset) const
    {
        LocalTensor tensor = *this;
        tensor.data_ = data_ + offset;
        tensor.size_ = offset < size_ ? size_ - offset : 0;
        return tensor;
    }

    template <typename U>
    LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> tensor =
            LocalTensor<U>::At(reinterpret_cast<U*>(data_), static_cast<uint32_t>(uint64_t{size_} * sizeof(T) / sizeof(U)), position_);
        tensor.SetUserTag(tag_);
        tensor.SetShapeInfo(shape_);
        return tensor;
    }

    template <typename S>
    void SetAddrWithOffset(LocalTensor<S>& src, uint32_t offset)
    {
        data_ = reinterpret_cast<PrimType*>(src.Data() + offset);
        position_ = static_cast<TPosition>(src.GetPosition());
    }

    SymbolOverrideAdd<T> operator+(const LocalTensor& src1) const { return {*this, src1}; }
    SymbolOverrideSub<T> operator-(const LocalTensor& src1) const { return {*this, src1}; }
    SymbolOverrideMul<T> operator*(const LocalTensor& src1) const { return {*this, src1}; }
    SymbolOverrideDiv<T> operator/(const LocalTensor& src1) const { return {*this, src1}; }
    SymbolOverrideOr<T> operator|(const LocalTensor& src1) const { return {*this, src1}; }
    SymbolOverrideAnd<T> operator&(const LocalTensor& src1) const { return {*this, src1}; }
    SymbolOverrideCompare<T> operator<(const LocalTensor& src1) const { return {*this, src1, CMPMODE::LT}; }
    SymbolOverrideCompare<T> operator>(const LocalTensor& src1) const { return {*this, src1, CMPMODE::GT}; }
    SymbolOverrideCompare<T> operator<=(const LocalTensor& src1) const { return {*this, src1, CMPMODE::LE}; }
    SymbolOverrideCompare<T> operator>=(const LocalTensor& src1) const { return {*this, src1, CMPMODE::GE}; }
    SymbolOverrideCompare<T> operator==(const LocalTensor& src1) const { return {*this, src1, CMPMODE::EQ}; }
    SymbolOverrideCompare<T> operator!=(const LocalTensor& src1) const { return {*this, src1, CMPMODE::NE}; }

    // The instructions are found by argument dependent lookup when a kernel uses the sugar.
    template <char Op>
    void operator=(const SymbolOverride<T, Op>& note)
    {
        const int32_t count = static_cast<int32_t>(size_);
        if constexpr (Op == '+') {
            Add(*this, note.left, note.right, count);
        } else if constexpr (Op == '-') {
            Sub(*this, note.left, note.right, count);
        } else if constexpr (Op == '*') {
            Mul(*this, note.left, note.right, count);
        } else if constexpr (Op == '/') {
            Div(*this, note.left, note.right, count);
        } else if constexpr (Op == '|') {
            Or(*this, note.left, note.right, count);
        } else {
            And(*this, note.left, note.right, count);
        }
    }
    template <typename U>
    void operator=(const SymbolOverrideCompare<U>& note)
    {
        Compare(*this, note.left, note.right, note.mode, note.left.GetSize());
    }

private:
    PrimType* data_ = nullptr;
    uint32_t size_ = 0;
    TPosition position_ = TPosition::VECCALC;
    TTagType tag_ = 0;
    ShapeInfo shape_;
};

template <typename T>
class GlobalTensor {
public:
    using PrimType = PrimT<T>;

    GlobalTensor() = default;

    void SetGlobalBuffer(PrimType* buffer, uint64_t bufferSize)
    {
        data_ = buffer;
        size_ = bufferSize;
        offset_ = 0;
    }
    void SetGlobalBuffer(PrimType* buffer) { SetGlobalBuffer(buffer, 0); }

    // --- for the instructions of this library -------------------------------------------------------------------
    PrimType* Data() const { return data_; }
    // Elements between here and the end of the buffer; an unknown size has no end.
    cpu::Extent Extent() const
    {
        const uint64_t left = size_ == 0 ? cpu::Extent::kUnknown : offset_ <= size_ ? (size_ - offset_) * sizeof(PrimType) : 0;
        return {data_, left, TPosition::GM, data_ - offset_};
    }

    // --- documented members ---------------------------------------------------------------------------------------
    const PrimType* GetPhyAddr() const { return data_; }
    PrimType* GetPhyAddr(const uint64_t offset) const { return data_ + offset; }
    uint64_t GetSize() const { return size_; }
    void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = shapeInfo; }
    ShapeInfo GetShapeInfo() const { return shape_; }
    template <CacheRwMode rwMode = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode)
    {
    }

    PrimType GetValue(const uint64_t offset) const { return cpu::ScalarRead<PrimType>("GetValue", *this, offset); }
    void SetValue(const uint64_t offset, PrimType value) { cpu::ScalarWrite<PrimType>("SetValue", *this, offset, value); }
    cpu::ScalarReference<PrimType, GlobalTensor> operator()(const uint64_t offset) const
    {
        return cpu::ReferTo<PrimType>(*this, offset);
    }

    GlobalTensor operator[](const uint64_t offset) const
    {
        GlobalTensor tensor = *this;
        tensor.data_ = data_ + offset;
        tensor.offset_ = offset_ + offset;
        return tensor;
    }

    template <typename U>
    GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> tensor;
        tensor.Become(*this);
        return tensor;
    }

    template <typename S>
    void Become(const GlobalTensor<S>& other)
    {
        data_ = reinterpret_cast<PrimType*>(other.data_);
        size_ = other.size_ * sizeof(S) / sizeof(PrimType);
        offset_ = other.offset_ * sizeof(S) / sizeof(PrimType);
        shape_ = other.shape_;
    }

private:
    template <typename S>
    friend class GlobalTensor;

    PrimType* data_ = nullptr;
    uint64_t size_ = 0;    // elements of the buffer, 0 = not given
    uint64_t offset_ = 0;  // elements from the buffer's start to data_, modulo 2^64
    ShapeInfo shape_;
};

// Hands out memory from the bottom up and never takes it back.
template <Hardware hw = Hardware::UB>
class LocalMemAllocator {
public:
    LocalMemAllocator() = default;

    template <TPosition pos, class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc()
    {
        return Take<DataType>(pos, tileSize);
    }
    template <TPosition pos, class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize)
    {
        return Take<DataType>(pos, tileSize);
    }
    template <class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc()
    {
        return Take<DataType>(DefaultPosition(), tileSize);
    }
    template <class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize)
    {
        return Take<DataType>(DefaultPosition(), tileSize);
    }
    uint32_t GetCurAddr() const { return next_; }

private:
    static constexpr TPosition DefaultPosition()
    {
        switch (hw) {
            case Hardware::L1:
                return TPosition::A1;
            case Hardware::L0A:
                return TPosition::A2;
            case Hardware::L0B:
                return TPosition::B2;
            case Hardware::L0C:
                return TPosition::CO1;
            case Hardware::BIAS:
                return TPosition::C2;
            case Hardware::FIXBUF:
                return TPosition::C2PIPE2GM;
            default:
                return TPosition::VECCALC;
        }
    }

    template <class DataType>
    LocalTensor<DataType> Take(TPosition pos, uint32_t tileSize)
    {
        const uint64_t bytes = (uint64_t{tileSize} * sizeof(DataType) + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
        if (next_ + bytes > cpu::MemoryBytes(hw)) {
            cpu::Fault("bounds", "LocalMemAllocator: %llu bytes at %u do not fit into the %u bytes of the memory",
                       static_cast<unsigned long long>(bytes), next_, cpu::MemoryBytes(hw));
        }
        LocalTensor<DataType> tensor(pos, next_, tileSize);
        next_ += static_cast<uint32_t>(bytes);
        return tensor;
    }

    uint32_t next_ = 0;
};

}  // namespace AscendC

#endif
