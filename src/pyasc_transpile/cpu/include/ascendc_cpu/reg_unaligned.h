// Loads and stores at any address. A store keeps the bytes behind the last multiple of 32 back until the next store, or until
// StoreUnAlignPost writes them (API reference 8.3).
#ifndef ASCENDC_CPU_REG_UNALIGNED_H
#define ASCENDC_CPU_REG_UNALIGNED_H

#include "reg_move.h"

namespace AscendC {
namespace cpu::registers {

struct Unaligned : Known<ONE_BLK_SIZE> {
    const void* next = nullptr;  // where the load comes that this register has been prepared for
    uint8_t* end = nullptr;      // behind the bytes that are kept back
    uint32_t count = 0;          // of them
    uint8_t lane[ONE_BLK_SIZE];
};

}  // namespace cpu::registers

namespace cpu::reg {

using registers::Unaligned;

// What Squeeze with STORE_REG leaves for the store that follows: all bytes so far, and those of the last one.
struct Squeezed {
    uint64_t total = 0;
    uint32_t last = 0;
};
[[gnu::visibility("hidden")]] inline thread_local Squeezed t_squeezed;

// `from` lies in the tensor of `base`.
template <typename T, typename Register>
inline void LoadAnywhere(Register& dst, Unaligned& ureg, const T* from, const T* base)
{
    CheckPointer<T, Register>();
    StepOf<Register>("LoadUnAlign", Issue::Load);
    if (kChecked && ureg.next != from) {
        Fault("order", "LoadUnAlign reads at an address that ureg has not been prepared for: LoadUnAlignPre comes first, and steps "
                       "follow each other");
    }
    Staged<Register::kSize> staged;
    staged.Fetch({"LoadUnAlign", base, from, Register::kSize, sizeof(T), &dst});
    staged.Into(dst);
}

// Writes `count` bytes of a register-like thing, from its byte `first` on.
template <typename Register>
inline void WriteBytes(const char* name, uint8_t* to, Register& from, uint32_t first, uint32_t count)
{
    if (count != 0) {
        Writes({name, to, to, count, 1, &from});
        __builtin_memcpy(to, reinterpret_cast<const uint8_t*>(from.lane) + first, count);
        PutDefined(to, from.KnownBytes() + (kChecked ? first : 0), count);
    }
}

inline void Flush(Unaligned& ureg)
{
    WriteBytes("StoreUnAlignPost", ureg.end - ureg.count, ureg, 0, ureg.count);
    ureg.count = 0;
}

// The first bytes of a register-like thing, behind those that are kept back.
template <typename Register>
inline void Append(void* to, Register& src, Unaligned& ureg, uint32_t bytes)
{
    uint8_t* const begin = static_cast<uint8_t*>(to);
    uint8_t* const end = begin + bytes;
    if (ureg.count != 0 && ureg.end != begin) {
        if constexpr (kChecked) {
            Fault("order", "StoreUnAlign does not go on where the one before has ended; StoreUnAlignPost comes first");
        }
        Flush(ureg);
    }
    const uint32_t rest = static_cast<uint32_t>(reinterpret_cast<uint64_t>(end) % ONE_BLK_SIZE);
    const uint32_t kept = rest < bytes + ureg.count ? rest : bytes + ureg.count;
    const uint32_t old = kept > bytes ? kept - bytes : 0;  // kept back already, and still
    if (old == 0) {
        Flush(ureg);
    }
    const uint32_t fresh = kept - old;
    WriteBytes("StoreUnAlign", begin, src, 0, bytes - fresh);
    __builtin_memcpy(ureg.lane + old, reinterpret_cast<const uint8_t*>(src.lane) + (bytes - fresh), fresh);
    for (uint32_t i = 0; i < fresh; ++i) {
        ureg.SetKnown(old + i, 1, src.AllKnown(bytes - fresh + i, 1));
    }
    ureg.count = kept;
    ureg.end = end;
}

template <typename T, typename Register>
inline void StoreAnywhere(T* to, Register& src, Unaligned& ureg, uint32_t bytes)
{
    CheckPointer<T, Register>();
    StepOf<Register>("StoreUnAlign", Issue::Store);
    Append(to, src, ureg, bytes);
}

// One bit per lane of elements of `width` bytes.
template <uint32_t width>
inline void StoreMaskAnywhere(void* to, const Mask& mask, Unaligned& ureg)
{
    Step("StoreUnAlign", Column::i8, kBytes, Issue::Store);
    constexpr uint32_t bytes = kBytes / width / 8;
    struct Bits : Known<bytes> {
        uint8_t lane[bytes] = {};
    };
    Bits bits;
    bits.SetKnown(0, bytes, true);
    for (uint32_t i = 0; i < 8 * bytes; ++i) {
        bits.lane[i / 8] = static_cast<uint8_t>(bits.lane[i / 8] | (mask.On(i * width) ? 1u << (i % 8) : 0u));
        if (!mask.Sure(i * width)) {
            bits.SetKnown(i / 8, 1, false);
        }
    }
    Append(to, bits, ureg, bytes);
}

inline void StorePost(const void* address, Unaligned& ureg)
{
    Step("StoreUnAlign", Column::i8, ONE_BLK_SIZE, Issue::Store);
    if (kChecked && ureg.count != 0 && ureg.end != address) {
        Fault("order", "StoreUnAlignPost is not at the address where StoreUnAlign has ended");
    }
    Flush(ureg);
}

}  // namespace cpu::reg

namespace Reg {

using UnalignReg = cpu::registers::Unaligned;
using UnalignRegForLoad = cpu::registers::Unaligned;
using UnalignRegForStore = cpu::registers::Unaligned;

template <typename T>
inline void LoadUnAlignPre(UnalignRegForLoad& ureg, __ubuf__ T* srcAddr)
{
    cpu::reg::Step("LoadUnAlign", cpu::Column::i8, ONE_BLK_SIZE, cpu::reg::Issue::Load);
    ureg.next = srcAddr;
}
template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U>
inline void LoadUnAlign(U& dstReg, UnalignRegForLoad& ureg, __ubuf__ T*& srcAddr, uint32_t postUpdateStride)
{
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "Ascend C: LoadUnAlign has POST_MODE_UPDATE only");
    cpu::reg::LoadAnywhere(dstReg, ureg, srcAddr, srcAddr);
    srcAddr += postUpdateStride;
    ureg.next = srcAddr;
}
template <typename T = DefaultType, typename U>
inline void LoadUnAlign(U& dstReg, UnalignRegForLoad& ureg, __ubuf__ T* srcAddr)
{
    cpu::reg::LoadAnywhere(dstReg, ureg, srcAddr, srcAddr);
}
template <typename T>
inline void LoadUnAlignPre(UnalignRegForLoad& ureg, __ubuf__ T* srcAddr, AddrReg& areg)
{
    LoadUnAlignPre(ureg, cpu::reg::Further(srcAddr, areg.offset));
}
// At srcAddr and the offset; the last number means nothing.
template <typename T = DefaultType, typename U>
inline void LoadUnAlign(U& dstReg, UnalignRegForLoad& ureg, __ubuf__ T*& srcAddr, AddrReg& areg, uint32_t)
{
    cpu::reg::LoadAnywhere(dstReg, ureg, cpu::reg::Further(srcAddr, areg.offset), srcAddr);
}
template <typename T = DefaultType, typename U>
inline void Load(U& dstReg, __ubuf__ T* srcAddr)
{
    UnalignRegForLoad ureg;
    LoadUnAlignPre(ureg, srcAddr);
    LoadUnAlign(dstReg, ureg, srcAddr);
}

template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U>
inline void StoreUnAlign(__ubuf__ T*& dstAddr, U& srcReg, UnalignRegForStore& ureg, uint32_t postUpdateStride)
{
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "Ascend C: StoreUnAlign has POST_MODE_UPDATE only");
    cpu::reg::StoreAnywhere(dstAddr, srcReg, ureg, postUpdateStride * static_cast<uint32_t>(sizeof(T)));
    dstAddr += postUpdateStride;
}
template <typename T, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE>
inline void StoreUnAlignPost(__ubuf__ T*& dstAddr, UnalignRegForStore& ureg, int32_t postUpdateStride)
{
    cpu::reg::StorePost(dstAddr, ureg);
    dstAddr += postUpdateStride;
}
// The whole register at dstAddr and the offset.
template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U>
inline void StoreUnAlign(__ubuf__ T*& dstAddr, U& srcReg, UnalignRegForStore& ureg, AddrReg& areg)
{
    cpu::reg::StoreAnywhere(cpu::reg::Further(dstAddr, areg.offset), srcReg, ureg, U::kSize);
}
template <typename T>
inline void StoreUnAlignPost(__ubuf__ T*&, UnalignRegForStore& ureg, AddrReg&)
{
    cpu::reg::StorePost(ureg.end, ureg);
}
// A mask of 16 or 32-bit lanes, one bit a lane; dstAddr goes on behind it.
template <typename T>
inline void StoreUnAlign(__ubuf__ T*& dstAddr, MaskReg& mask, UnalignRegForStore& ureg)
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Ascend C: StoreUnAlign of a mask is for 16 and 32-bit elements");
    cpu::reg::StoreMaskAnywhere<sizeof(T)>(dstAddr, mask, ureg);
    dstAddr = cpu::reg::Further(dstAddr, cpu::reg::kBytes / sizeof(T) / 8);
}
// As many bytes as the last Squeeze with STORE_REG has left, behind those of the ones before.
template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U>
inline void StoreUnAlign(__ubuf__ T* dstAddr, U& srcReg, UnalignRegForStore& ureg)
{
    cpu::reg::Squeezed& squeezed = cpu::reg::t_squeezed;
    cpu::reg::StoreAnywhere(cpu::reg::Further(dstAddr, squeezed.total - squeezed.last), srcReg, ureg, squeezed.last);
    squeezed.last = 0;
}
template <typename T>
inline void StoreUnAlignPost(__ubuf__ T* dstAddr, UnalignRegForStore& ureg)
{
    cpu::reg::StorePost(cpu::reg::Further(dstAddr, cpu::reg::t_squeezed.total), ureg);
}
template <typename T = DefaultType, typename U>
inline void Store(__ubuf__ T* dstAddr, U& srcReg, uint32_t count)
{
    UnalignRegForStore ureg;
    cpu::reg::StoreAnywhere(dstAddr, srcReg, ureg, count * static_cast<uint32_t>(sizeof(T)));
    cpu::reg::StorePost(dstAddr + count, ureg);
}
template <typename T = DefaultType, typename U>
inline void Store(__ubuf__ T* dstAddr, U& srcReg)
{
    Store(dstAddr, srcReg, U::kLanes);
}

}  // namespace Reg
}  // namespace AscendC

#endif
