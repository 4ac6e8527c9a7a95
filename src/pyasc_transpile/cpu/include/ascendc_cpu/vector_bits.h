// One bit per lane: how comparison results are packed and selection masks unpacked, least significant bit first.
#ifndef ASCENDC_CPU_VECTOR_BITS_H
#define ASCENDC_CPU_VECTOR_BITS_H

#include "vector_family.h"

namespace AscendC::cpu::vec {

// Bit k of `bits` becomes byte k of the result, 0 or 1.
inline uint64_t SpreadBits(uint8_t bits)
{
    const uint64_t chosen = (uint64_t{bits} * 0x0101010101010101u) & 0x8040201008040201u;
    return ((chosen + 0x7f7f7f7f7f7f7f7fu) >> 7) & 0x0101010101010101u;
}

// The opposite: byte k, 0 or 1, becomes bit k.
inline uint8_t GatherBits(uint64_t flags) { return static_cast<uint8_t>((flags * 0x0102040810204080u) >> 56); }

inline bool BitAt(const uint8_t* bits, size_t at) { return (bits[at >> 3] >> (at & 7) & 1) != 0; }

inline void PutBit(uint8_t* bits, size_t at, bool value)
{
    const uint8_t one = static_cast<uint8_t>(1u << (at & 7));
    bits[at >> 3] = static_cast<uint8_t>(value ? bits[at >> 3] | one : bits[at >> 3] & ~one);
}

// Writes `count` flags as bits from bit `at` on; the other bits stay.
inline void PackFlags(const uint8_t* flags, size_t count, uint8_t* bits, size_t at)
{
    size_t i = 0;
    if ((at & 7) == 0) {
        for (; i + 8 <= count; i += 8) {
            uint64_t eight;
            __builtin_memcpy(&eight, flags + i, 8);
            bits[(at + i) >> 3] = GatherBits(eight);
        }
    }
    for (; i < count; ++i) {
        PutBit(bits, at + i, flags[i] != 0);
    }
}

inline void UnpackFlags(const uint8_t* bits, size_t at, size_t count, uint8_t* flags)
{
    size_t i = 0;
    if ((at & 7) == 0) {
        for (; i + 8 <= count; i += 8) {
            const uint64_t eight = SpreadBits(bits[(at + i) >> 3]);
            __builtin_memcpy(flags + i, &eight, 8);
        }
    }
    for (; i < count; ++i) {
        flags[i] = BitAt(bits, at + i) ? 1 : 0;
    }
}

}  // namespace AscendC::cpu::vec

#endif
