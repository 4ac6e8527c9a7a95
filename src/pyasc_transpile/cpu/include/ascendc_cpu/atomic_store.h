// Copies to global memory that add to, or take the maximum or minimum with, what is there already.
#ifndef ASCENDC_CPU_ATOMIC_STORE_H
#define ASCENDC_CPU_ATOMIC_STORE_H

#include <atomic>
#include <cstring>

#include "extremes.h"
#include "machine.h"

namespace AscendC::cpu {

template <typename T>
inline void SetAtomic(AtomicMode mode)
{
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t> ||
                      std::is_same_v<T, int8_t> || std::is_same_v<T, int16_t> || std::is_same_v<T, int32_t>,
                  "Ascend C: atomic copies take float, half, bfloat16_t, int8_t, int16_t and int32_t");
    Block& block = CurrentBlock();
    block.atomic_mode = mode;
    block.atomic_type = std::is_same_v<T, float>        ? AtomicType::Float
                        : std::is_same_v<T, half>       ? AtomicType::Half
                        : std::is_same_v<T, bfloat16_t> ? AtomicType::Bfloat16
                        : std::is_same_v<T, int8_t>     ? AtomicType::Int8
                        : std::is_same_v<T, int16_t>    ? AtomicType::Int16
                                                        : AtomicType::Int32;
}

// Locks for lines of 64 bytes, chosen by address. Blocks of one launch take them for a few additions at a time.
class LineLock {
public:
    explicit LineLock(const void* address) : flag_(Table()[(reinterpret_cast<uintptr_t>(address) >> 6) % kLocks])
    {
        while (flag_.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~LineLock() { flag_.clear(std::memory_order_release); }
    LineLock(const LineLock&) = delete;
    LineLock& operator=(const LineLock&) = delete;

private:
    static constexpr size_t kLocks = 1024;
    [[gnu::visibility("hidden")]] static std::atomic_flag* Table()
    {
        static std::atomic_flag flags[kLocks];
        return flags;
    }
    std::atomic_flag& flag_;
};

// Integers wrap; signed overflow would be undefined in C++.
template <typename V>
inline V AddWrapping(V a, V b)
{
    if constexpr (std::is_integral_v<V>) {
        return static_cast<V>(static_cast<std::make_unsigned_t<V>>(a) + static_cast<std::make_unsigned_t<V>>(b));
    } else {
        return a + b;
    }
}

// Replaces one element by a function of itself.
template <typename V, typename Function>
inline V Exchange(V* address, const Function& function)
{
    const LineLock lock(address);
    const V old = *address;
    *address = function(old);
    return old;
}

template <typename V>
inline void CombineRow(uint8_t* to, const uint8_t* from, uint64_t bytes, AtomicMode mode)
{
    uint64_t i = 0;
    while (i + sizeof(V) <= bytes) {
        const LineLock lock(to + i);
        const uintptr_t line = reinterpret_cast<uintptr_t>(to + i) >> 6;
        for (; i + sizeof(V) <= bytes && reinterpret_cast<uintptr_t>(to + i) >> 6 == line; i += sizeof(V)) {
            V old;
            V value;
            std::memcpy(&old, to + i, sizeof(V));
            std::memcpy(&value, from + i, sizeof(V));
            const V result = mode == AtomicMode::Add   ? AddWrapping<V>(old, value)
                             : mode == AtomicMode::Max ? num::Larger<V>(old, value)
                                                       : num::Smaller<V>(old, value);
            std::memcpy(to + i, &result, sizeof(V));
        }
    }
}

// The register chosen by SetAtomicAdd<T> says what the bytes are, not the tensor.
[[gnu::noinline]] inline void CombineRow(uint8_t* to, const uint8_t* from, uint64_t bytes)
{
    const AtomicMode mode = CurrentBlock().atomic_mode;
    switch (CurrentBlock().atomic_type) {
        case AtomicType::Float:
            return CombineRow<float>(to, from, bytes, mode);
        case AtomicType::Half:
            return CombineRow<half>(to, from, bytes, mode);
        case AtomicType::Bfloat16:
            return CombineRow<bfloat16_t>(to, from, bytes, mode);
        case AtomicType::Int8:
            return CombineRow<int8_t>(to, from, bytes, mode);
        case AtomicType::Int16:
            return CombineRow<int16_t>(to, from, bytes, mode);
        default:
            return CombineRow<int32_t>(to, from, bytes, mode);
    }
}

}  // namespace AscendC::cpu

#endif
