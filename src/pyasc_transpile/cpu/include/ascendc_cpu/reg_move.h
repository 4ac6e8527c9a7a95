// Aligned loads and stores of vector registers, with their distributions, and of mask registers (API reference 8.3).
#ifndef ASCENDC_CPU_REG_MOVE_H
#define ASCENDC_CPU_REG_MOVE_H

#include "reg_family.h"

namespace AscendC {
namespace Reg {

// An offset made of loop counters, in bytes.
struct AddrReg {
    uint64_t offset = 0;
};

template <typename T>
inline AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0)
{
    return {uint64_t{index0} * stride0 * sizeof(T)};
}
template <typename T>
inline AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1)
{
    return {CreateAddrReg<T>(index0, stride0).offset + CreateAddrReg<T>(index1, stride1).offset};
}
template <typename T>
inline AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1, uint16_t index2,
                             uint32_t stride2)
{
    return {CreateAddrReg<T>(index0, stride0, index1, stride1).offset + CreateAddrReg<T>(index2, stride2).offset};
}
template <typename T>
inline AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1, uint16_t index2,
                             uint32_t stride2, uint16_t index3, uint32_t stride3)
{
    return {CreateAddrReg<T>(index0, stride0, index1, stride1, index2, stride2).offset +
            CreateAddrReg<T>(index3, stride3).offset};
}

}  // namespace Reg

namespace cpu::reg {

using Reg::LoadDist;
using Reg::StoreDist;

// Bytes on their way from UB to registers.
template <uint32_t kSize>
struct Staged : Known<kSize> {
    void Fetch(const Access& access, uint32_t to = 0)
    {
        const uint32_t inside = Reads(access);
        __builtin_memcpy(data + to, access.at, access.bytes);
        this->SetKnown(to, access.bytes, false);
        TakeDefined(this->KnownBytes() + (kChecked ? to : 0), access.at, inside);
    }
    // As a whole register.
    template <typename Register>
    void Into(Register& dst)
    {
        static_assert(Register::kSize == kSize);
        __builtin_memcpy(static_cast<void*>(dst.lane), data, kSize);
        if constexpr (kChecked) {
            __builtin_memcpy(dst.KnownBytes(), this->KnownBytes(), kSize);
        }
    }
    alignas(64) uint8_t data[kSize];
};

// How a load distributes what it reads, in units of `unit` bytes: unit i of the register is unit (i % wrap) * mul / div of
// memory if i is a multiple of `period`, else 0. `reads` and `align` in bytes.
struct Spread {
    LoadDist dist;
    uint32_t unit;
    uint32_t reads;
    uint32_t align;
    uint32_t mul;
    uint32_t div;
    uint32_t period;
    uint32_t wrap;
};
inline constexpr Spread kSpreads[] = {
    {LoadDist::DIST_NORM, 1, 256, 32, 1, 1, 1, 256},      {LoadDist::DIST_BRC_B8, 1, 1, 1, 0, 1, 1, 256},
    {LoadDist::DIST_BRC_B16, 2, 2, 2, 0, 1, 1, 128},      {LoadDist::DIST_BRC_B32, 4, 4, 4, 0, 1, 1, 64},
    {LoadDist::DIST_US_B8, 1, 128, 32, 1, 2, 1, 256},     {LoadDist::DIST_US_B16, 2, 128, 32, 1, 2, 1, 128},
    {LoadDist::DIST_DS_B8, 1, 512, 32, 2, 1, 1, 256},     {LoadDist::DIST_DS_B16, 2, 512, 32, 2, 1, 1, 128},
    {LoadDist::DIST_UNPACK_B8, 1, 128, 32, 1, 2, 2, 256}, {LoadDist::DIST_UNPACK_B16, 2, 128, 32, 1, 2, 2, 128},
    {LoadDist::DIST_UNPACK_B32, 4, 128, 32, 1, 2, 2, 64}, {LoadDist::DIST_UNPACK4_B8, 1, 64, 32, 1, 4, 4, 256},
    {LoadDist::DIST_BLK, 1, 32, 32, 1, 1, 1, 32},         {LoadDist::DIST_E2B_B16, 2, 16, 16, 1, 16, 1, 128},
    {LoadDist::DIST_E2B_B32, 4, 32, 32, 1, 8, 1, 64},
};

// Loads of two registers: unit i of register k is unit 2 i + k of memory.
struct Pairing {
    LoadDist load;
    StoreDist store;
    uint32_t unit;
};
inline constexpr Pairing kPairings[] = {
    {LoadDist::DIST_DINTLV_B8, StoreDist::DIST_INTLV_B8, 1},
    {LoadDist::DIST_DINTLV_B16, StoreDist::DIST_INTLV_B16, 2},
    {LoadDist::DIST_DINTLV_B32, StoreDist::DIST_INTLV_B32, 4},
    {LoadDist::DIST_BDINTLV, StoreDist::DIST_NORM, 32},
};

// How a store picks what it writes: unit i of memory is unit i * mul of the register, if the mask is on at i * mul * unit.
struct Picking {
    StoreDist dist;
    uint32_t unit;
    uint32_t count;  // units in memory
    uint32_t align;
    uint32_t mul;
    bool masked;
};
inline constexpr Picking kPickings[] = {
    {StoreDist::DIST_NORM_B8, 1, 256, 32, 1, true},         {StoreDist::DIST_NORM_B16, 2, 128, 32, 1, true},
    {StoreDist::DIST_NORM_B32, 4, 64, 32, 1, true},         {StoreDist::DIST_FIRST_ELEMENT_B8, 1, 1, 1, 1, false},
    {StoreDist::DIST_FIRST_ELEMENT_B16, 2, 1, 2, 1, false}, {StoreDist::DIST_FIRST_ELEMENT_B32, 4, 1, 4, 1, false},
    {StoreDist::DIST_PACK_B16, 1, 128, 32, 2, true},        {StoreDist::DIST_PACK_B32, 2, 64, 32, 2, true},
    {StoreDist::DIST_PACK_B64, 4, 32, 32, 2, true},         {StoreDist::DIST_PACK4_B32, 1, 64, 32, 4, true},
};

// The row of a table for a distribution; `no` when it has none.
template <typename Table, typename Dist>
constexpr auto Find(const Table& table, Dist dist)
{
    auto found = table[0];
    found.unit = 0;
    for (const auto& row : table) {
        if constexpr (std::is_same_v<decltype(found), Pairing>) {
            if constexpr (std::is_same_v<Dist, LoadDist>) {
                found = row.load == dist ? row : found;
            } else {
                found = row.store == dist ? row : found;
            }
        } else {
            found = row.dist == dist ? row : found;
        }
    }
    return found;
}

template <typename T, typename Register>
constexpr void CheckPointer()
{
    static_assert(std::is_same_v<T, typename Register::ActualT>,
                  "Ascend C: the element types of the register and of the memory that it is loaded from or stored to differ");
}

template <LoadDist dist, typename T, typename Register>
inline void Load(Register& dst, const T* from, const void* base)
{
    CheckPointer<T, Register>();
    constexpr Spread spread = Find(kSpreads, dist);
    static_assert(spread.unit != 0, "Ascend C: LoadAlign of one register has no such distribution");
    static_assert(sizeof(T) != 8 || dist == LoadDist::DIST_NORM, "Ascend C: 64-bit elements have DIST_NORM only");
    constexpr bool whole = dist == LoadDist::DIST_NORM;
    constexpr bool slow = dist == LoadDist::DIST_DS_B8 || dist == LoadDist::DIST_DS_B16;
    constexpr uint32_t bytes = whole ? Register::kSize : spread.reads;
    StepOf<Register>("LoadAlign", slow ? Issue::SlowLoad : Issue::Load);
    Staged<bytes> staged;
    staged.Fetch({"LoadAlign", base, from, bytes, spread.align, &dst});
    if constexpr (whole) {
        staged.Into(dst);
        return;
    }
    uint8_t* const to = reinterpret_cast<uint8_t*>(dst.lane);
    constexpr uint32_t unit = spread.unit;
    for (uint32_t i = 0; i < kBytes / unit; ++i) {
        const bool filled = i % spread.period == 0;
        const uint32_t at = filled ? i % spread.wrap * spread.mul / spread.div * unit : 0;
        const vec::Word<unit> word = filled ? LoadWord<unit>(staged.data + at) : vec::Word<unit>{0};
        __builtin_memcpy(to + i * unit, &word, unit);
        dst.SetKnown(i * unit, unit, !filled || staged.AllKnown(at, unit));
    }
}

template <LoadDist dist, typename T, typename Register>
inline void LoadTwo(Register& dst0, Register& dst1, const T* from, const void* base)
{
    CheckPointer<T, Register>();
    constexpr Pairing pairing = Find(kPairings, dist);
    static_assert(pairing.unit != 0, "Ascend C: LoadAlign of two registers has no such distribution");
    constexpr uint32_t unit = pairing.unit;
    StepOf<Register>("LoadAlign", Issue::SlowLoad);
    Staged<2 * kBytes> staged;
    staged.Fetch({"LoadAlign", base, from, 2 * kBytes, 32, &dst0});
    Register* const to[] = {&dst0, &dst1};
    for (uint32_t i = 0; i < 2 * kBytes / unit; ++i) {
        Register& dst = *to[i % 2];
        __builtin_memcpy(reinterpret_cast<uint8_t*>(dst.lane) + i / 2 * unit, staged.data + i * unit, unit);
        dst.SetKnown(i / 2 * unit, unit, staged.AllKnown(i * unit, unit));
    }
}

// Writes `count` units of memory: unit i is the bytes at i * pitch of the source, if on[i * step] is on. Step 0: always.
template <uint32_t unit, uint32_t count, uint32_t pitch, uint32_t step, typename Register>
inline void StoreUnits(const Access& place, Register& source, const uint8_t* on)
{
    uint8_t* const to = static_cast<uint8_t*>(const_cast<void*>(place.at));
    const uint8_t* const from = reinterpret_cast<const uint8_t*>(source.lane);
    constexpr uint32_t wide = step == 0 ? 1 : step;
    if constexpr (!kChecked) {
        // What is switched off is written as it was: this is one core's memory.
        using W = vec::Word<unit>;
        alignas(64) W words[count];
        __builtin_memcpy(words, to, sizeof words);
        for (uint32_t i = 0; i < count; ++i) {
            const vec::Word<wide> bit = step == 0 ? 1 : LoadWord<wide>(on + i * step) & 1;
            words[i] = bit != 0 ? LoadWord<unit>(from + i * pitch) : words[i];
        }
        __builtin_memcpy(to, words, sizeof words);
        return;
    }
    const auto active = [on](uint32_t i) { return step == 0 || (on[i * step] & 1) != 0; };
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i;
        while (end < count && active(end)) {
            ++end;
        }
        if (end == i) {
            ++i;
            continue;
        }
        Access run = place;
        run.at = to + i * unit;
        run.bytes = (end - i) * unit;
        run.align = i == 0 ? place.align : 1;
        Writes(run);
        for (; i < end; ++i) {
            __builtin_memcpy(to + i * unit, from + i * pitch, unit);
            PutDefined(to + i * unit, source.KnownBytes() + (kChecked ? i * pitch : 0), unit);
        }
    }
}

template <StoreDist wanted, typename T, typename Register>
inline void Store(T* to, Register& src, const Mask& mask, const void* base)
{
    CheckPointer<T, Register>();
    static_assert(sizeof(T) != 8 || wanted == StoreDist::DIST_NORM || wanted == StoreDist::DIST_PACK_B64,
                  "Ascend C: 64-bit elements have DIST_NORM and DIST_PACK_B64 only");
    const Access place{"StoreAlign", base, to, 0, 32, &src};
    if constexpr (wanted == StoreDist::DIST_NORM) {
        StepOf<Register>("StoreAlign", Issue::Store);
        StoreUnits<sizeof(T), Register::kLanes, sizeof(T), Register::kPitch>(place, src, mask.bit);
    } else {
        constexpr Picking picking = Find(kPickings, wanted);
        static_assert(picking.unit != 0, "Ascend C: StoreAlign of one register has no such distribution");
        Access spot = place;
        spot.align = picking.align;
        StepOf<Register>("StoreAlign", Issue::Store);
        constexpr uint32_t pitch = picking.unit * picking.mul;
        StoreUnits<picking.unit, picking.count, pitch, picking.masked ? pitch : 0>(spot, src, mask.bit);
    }
}

template <StoreDist dist, typename T, typename Register>
inline void StoreTwo(T* to, Register& src0, Register& src1, const void* base)
{
    CheckPointer<T, Register>();
    constexpr Pairing pairing = Find(kPairings, dist);
    static_assert(pairing.unit != 0 && pairing.unit <= 4, "Ascend C: StoreAlign of two registers has no such distribution");
    constexpr uint32_t unit = pairing.unit;
    StepOf<Register>("StoreAlign", Issue::SlowStore);
    Writes({"StoreAlign", base, to, 2 * kBytes, 32, &src0});
    uint8_t* const bytes = reinterpret_cast<uint8_t*>(to);
    Register* const from[] = {&src0, &src1};
    for (uint32_t i = 0; i < 2 * kBytes / unit; ++i) {
        Register& src = *from[i % 2];
        __builtin_memcpy(bytes + i * unit, reinterpret_cast<const uint8_t*>(src.lane) + i / 2 * unit, unit);
        PutDefined(bytes + i * unit, src.KnownBytes() + (kChecked ? i / 2 * unit : 0), unit);
    }
}

// The address `offset` bytes further on.
template <typename T>
inline T* Further(T* address, uint64_t offset)
{
    return reinterpret_cast<T*>(reinterpret_cast<uint64_t>(address) + offset);
}

// Eight blocks of 32 bytes, `stride` blocks from one to the next. A block takes part when any of its mask values is on.
inline bool BlockOn(const Mask& mask, uint32_t block)
{
    bool on = false;
    for (uint32_t at = 0; at < ONE_BLK_SIZE; ++at) {
        on |= mask.On(block * ONE_BLK_SIZE + at);
    }
    return on;
}
template <typename T, typename Register>
inline void LoadBlocks(Register& dst, const T* from, uint32_t stride, const Mask& mask)
{
    CheckPointer<T, Register>();
    StepOf<Register>("LoadAlign", Issue::SlowLoad);
    Staged<kBytes> staged;
    __builtin_memset(staged.data, 0, kBytes);
    staged.SetKnown(0, kBytes, true);
    for (uint32_t block = 0; block < kBytes / ONE_BLK_SIZE; ++block) {
        if (BlockOn(mask, block)) {
            staged.Fetch({"LoadAlign", from, Further(from, uint64_t{block} * stride * ONE_BLK_SIZE), ONE_BLK_SIZE, 32, &dst},
                         block * ONE_BLK_SIZE);
        }
    }
    staged.Into(dst);
}
template <typename T, typename Register>
inline void StoreBlocks(T* to, Register& src, uint32_t stride, const Mask& mask)
{
    CheckPointer<T, Register>();
    StepOf<Register>("StoreAlign", Issue::SlowStore);
    constexpr uint32_t lanes = ONE_BLK_SIZE / sizeof(T);
    struct Block : Known<ONE_BLK_SIZE> {
        uint8_t lane[ONE_BLK_SIZE];
    };
    for (uint32_t block = 0; block < kBytes / ONE_BLK_SIZE; ++block) {
        Block part;
        __builtin_memcpy(part.lane, reinterpret_cast<const uint8_t*>(src.lane) + block * ONE_BLK_SIZE, ONE_BLK_SIZE);
        if constexpr (kChecked) {
            __builtin_memcpy(part.KnownBytes(), src.KnownBytes() + block * ONE_BLK_SIZE, ONE_BLK_SIZE);
        }
        const Access place{"StoreAlign", to, Further(to, uint64_t{block} * stride * ONE_BLK_SIZE), 0, 32, &src};
        StoreUnits<sizeof(T), lanes, sizeof(T), sizeof(T)>(place, part, mask.bit + block * ONE_BLK_SIZE);
    }
}

// Masks in memory: one bit per value. US doubles every bit read, DS drops every second one; PACK drops every second one
// that is written.
template <Reg::MaskDist dist, typename T>
inline void LoadMask(Mask& mask, const T* from, const void* base)
{
    constexpr uint32_t bits = dist == Reg::MaskDist::DIST_NORM ? 256 : dist == Reg::MaskDist::DIST_US ? 128 : 512;
    Step("LoadAlign", Column::i8, kBytes, Issue::Load);
    Staged<bits / 8> staged;
    staged.Fetch({"LoadAlign", base, from, bits / 8, bits / 8 < 32 ? bits / 8 : 32, &mask});
    for (uint32_t at = 0; at < kBytes; ++at) {
        const uint32_t bit = at * bits / kBytes;
        mask.Put(at, (staged.data[bit / 8] >> (bit % 8) & 1) != 0, staged.AllKnown(bit / 8, 1));
    }
}
template <Reg::MaskDist dist, typename T>
inline void StoreMask(T* to, const Mask& mask, const void* base)
{
    constexpr uint32_t every = dist == Reg::MaskDist::DIST_NORM ? 1 : 2;
    static_assert(dist != Reg::MaskDist::DIST_DS, "Ascend C: masks are stored with DIST_NORM or DIST_PACK");
    constexpr uint32_t bytes = kBytes / 8 / every;
    Step("StoreAlign", Column::i8, kBytes, Issue::Store);
    Writes({"StoreAlign", base, to, bytes, bytes, &mask});
    uint8_t* const place = reinterpret_cast<uint8_t*>(to);
    for (uint32_t i = 0; i < bytes; ++i) {
        uint8_t byte = 0;
        uint8_t sure = 1;
        for (uint32_t k = 0; k < 8; ++k) {
            const uint32_t at = (8 * i + k) * every;
            byte = static_cast<uint8_t>(byte | (mask.On(at) ? 1u << k : 0u));
            sure = sure != 0 && mask.Sure(at) ? 1 : 0;
        }
        place[i] = byte;
        PutDefined(place + i, &sure, 1);
    }
}

}  // namespace cpu::reg

namespace Reg {

// ---- one register ----------------------------------------------------------------------------------------------------

template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U>
inline void LoadAlign(U& dstReg, __ubuf__ T* srcAddr)
{
    cpu::reg::Load<dist>(dstReg, srcAddr, srcAddr);
}
template <typename T = DefaultType, PostLiteral postMode, LoadDist dist = LoadDist::DIST_NORM, typename U>
inline void LoadAlign(U& dstReg, __ubuf__ T*& srcAddr, int32_t postUpdateStride)
{
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "Ascend C: this form of LoadAlign has POST_MODE_UPDATE only");
    cpu::reg::Load<dist>(dstReg, srcAddr, srcAddr);
    srcAddr += postUpdateStride;
}
template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U>
inline void LoadAlign(U& dstReg, __ubuf__ T* srcAddr, AddrReg offset)
{
    cpu::reg::Load<dist>(dstReg, cpu::reg::Further(srcAddr, offset.offset), srcAddr);
}

template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U>
inline void StoreAlign(__ubuf__ T* dstAddr, U& srcReg, MaskReg& mask)
{
    cpu::reg::Store<dist>(dstAddr, srcReg, mask, dstAddr);
}
template <typename T = DefaultType, PostLiteral postMode, StoreDist dist = StoreDist::DIST_NORM, typename U>
inline void StoreAlign(__ubuf__ T*& dstAddr, U& srcReg, int32_t postUpdateStride, MaskReg& mask)
{
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "Ascend C: this form of StoreAlign has POST_MODE_UPDATE only");
    cpu::reg::Store<dist>(dstAddr, srcReg, mask, dstAddr);
    dstAddr += postUpdateStride;
}
template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U>
inline void StoreAlign(__ubuf__ T* dstAddr, U& srcReg, AddrReg offset, MaskReg& mask)
{
    cpu::reg::Store<dist>(cpu::reg::Further(dstAddr, offset.offset), srcReg, mask, dstAddr);
}

// ---- two registers ---------------------------------------------------------------------------------------------------

template <typename T = DefaultType, LoadDist dist, typename U>
inline void LoadAlign(U& dstReg0, U& dstReg1, __ubuf__ T* srcAddr)
{
    cpu::reg::LoadTwo<dist>(dstReg0, dstReg1, srcAddr, srcAddr);
}
template <typename T = DefaultType, PostLiteral postMode, LoadDist dist, typename U>
inline void LoadAlign(U& dstReg0, U& dstReg1, __ubuf__ T*& srcAddr, int32_t postUpdateStride)
{
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "Ascend C: this form of LoadAlign has POST_MODE_UPDATE only");
    cpu::reg::LoadTwo<dist>(dstReg0, dstReg1, srcAddr, srcAddr);
    srcAddr += postUpdateStride;
}
template <typename T = DefaultType, LoadDist dist, typename U>
inline void LoadAlign(U& dstReg0, U& dstReg1, __ubuf__ T* srcAddr, AddrReg offset)
{
    cpu::reg::LoadTwo<dist>(dstReg0, dstReg1, cpu::reg::Further(srcAddr, offset.offset), srcAddr);
}
// The mask is ignored.
template <typename T = DefaultType, StoreDist dist, typename U>
inline void StoreAlign(__ubuf__ T* dstAddr, U& srcReg0, U& srcReg1, MaskReg&)
{
    cpu::reg::StoreTwo<dist>(dstAddr, srcReg0, srcReg1, dstAddr);
}
template <typename T = DefaultType, StoreDist dist, typename U>
inline void StoreAlign(__ubuf__ T* dstAddr, U& srcReg0, U& srcReg1, AddrReg offset, MaskReg&)
{
    cpu::reg::StoreTwo<dist>(cpu::reg::Further(dstAddr, offset.offset), srcReg0, srcReg1, dstAddr);
}

// ---- blocks with gaps: strides in blocks of 32 bytes -----------------------------------------------------------------

template <typename T = DefaultType, DataCopyMode dataMode, typename U>
inline void LoadAlign(U& dstReg, __ubuf__ T* srcAddr, uint32_t dataBlockStride, MaskReg& mask)
{
    cpu::reg::LoadBlocks(dstReg, srcAddr, dataBlockStride, mask);
}
template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U>
inline void LoadAlign(U& dstReg, __ubuf__ T*& srcAddr, uint32_t dataBlockStride, uint32_t repeatStride, MaskReg& mask)
{
    T* const next = cpu::reg::Further(srcAddr, uint64_t{repeatStride} * ONE_BLK_SIZE);
    constexpr bool updates = postMode == PostLiteral::POST_MODE_UPDATE;
    cpu::reg::LoadBlocks(dstReg, updates ? srcAddr : next, dataBlockStride, mask);
    srcAddr = updates ? next : srcAddr;
}
template <typename T = DefaultType, DataCopyMode dataMode, typename U>
inline void StoreAlign(__ubuf__ T* dstAddr, U& srcReg, uint32_t dataBlockStride, MaskReg& mask)
{
    cpu::reg::StoreBlocks(dstAddr, srcReg, dataBlockStride, mask);
}
template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U>
inline void StoreAlign(__ubuf__ T*& dstAddr, U& srcReg, uint32_t dataBlockStride, uint32_t repeatStride, MaskReg& mask)
{
    T* const next = cpu::reg::Further(dstAddr, uint64_t{repeatStride} * ONE_BLK_SIZE);
    constexpr bool updates = postMode == PostLiteral::POST_MODE_UPDATE;
    cpu::reg::StoreBlocks(updates ? dstAddr : next, srcReg, dataBlockStride, mask);
    dstAddr = updates ? next : dstAddr;
}

// ---- masks: steps in bytes -------------------------------------------------------------------------------------------

template <typename T, MaskDist dist = MaskDist::DIST_NORM>
inline void LoadAlign(MaskReg& mask, __ubuf__ T* srcAddr)
{
    cpu::reg::LoadMask<dist>(mask, srcAddr, srcAddr);
}
template <typename T, PostLiteral postMode, MaskDist dist = MaskDist::DIST_NORM>
inline void LoadAlign(MaskReg& mask, __ubuf__ T*& srcAddr, int32_t offset)
{
    T* const next = cpu::reg::Further(srcAddr, static_cast<uint64_t>(int64_t{offset}));
    constexpr bool updates = postMode == PostLiteral::POST_MODE_UPDATE;
    cpu::reg::LoadMask<dist>(mask, updates ? srcAddr : next, srcAddr);
    srcAddr = updates ? next : srcAddr;
}
template <typename T, MaskDist dist = MaskDist::DIST_NORM>
inline void LoadAlign(MaskReg& mask, __ubuf__ T* srcAddr, AddrReg offset)
{
    cpu::reg::LoadMask<dist>(mask, cpu::reg::Further(srcAddr, offset.offset), srcAddr);
}
template <typename T, MaskDist dist = MaskDist::DIST_NORM>
inline void StoreAlign(__ubuf__ T* dstAddr, MaskReg& mask)
{
    cpu::reg::StoreMask<dist>(dstAddr, mask, dstAddr);
}
template <typename T, PostLiteral postMode, MaskDist dist = MaskDist::DIST_NORM>
inline void StoreAlign(__ubuf__ T*& dstAddr, MaskReg& mask, int32_t offset)
{
    T* const next = cpu::reg::Further(dstAddr, static_cast<uint64_t>(int64_t{offset}));
    constexpr bool updates = postMode == PostLiteral::POST_MODE_UPDATE;
    cpu::reg::StoreMask<dist>(updates ? dstAddr : next, mask, dstAddr);
    dstAddr = updates ? next : dstAddr;
}
template <typename T, MaskDist dist = MaskDist::DIST_NORM>
inline void StoreAlign(__ubuf__ T* dstAddr, MaskReg& mask, AddrReg offset)
{
    cpu::reg::StoreMask<dist>(cpu::reg::Further(dstAddr, offset.offset), mask, dstAddr);
}

// Waits in a vector function: instructions of the second kind that follow come after those of the first kind before.
template <MemType src, MemType dst>
inline void LocalMemBar()
{
    if constexpr ((src == MemType::VEC_STORE || src == MemType::VEC_ALL) &&
                  (dst == MemType::VEC_LOAD || dst == MemType::VEC_ALL)) {
        cpu::reg::StoresReachLoads();
    }
}

}  // namespace Reg
}  // namespace AscendC

#endif
