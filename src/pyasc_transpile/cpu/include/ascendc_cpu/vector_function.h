// Vector functions of c310: code that works on vector registers and runs on PIPE_V as one instruction. This header holds the
// two ways to write one, and what the builds want to know about the register instructions inside of it; in the fast build
// all of that is empty, the other versions are in vector_function_checked.h and vector_function_timed.h.
#ifndef ASCENDC_CPU_VECTOR_FUNCTION_H
#define ASCENDC_CPU_VECTOR_FUNCTION_H

#include "cost_slots.h"
#include "instruction.h"

#if __NPU_ARCH__ == 3510

namespace AscendC::cpu::reg {

// How an instruction is issued: two of them in a cycle, or one alone. Loads and stores have ways of their own to UB.
enum class Issue : uint8_t { Paired, Alone, Load, SlowLoad, Store, SlowStore };

// One access of a register instruction to UB. `base` lies in the tensor that the access must stay in.
struct Access {
    const char* name;
    const void* base;
    const void* at;
    uint32_t bytes;
    uint32_t align;
    const void* reg = nullptr;  // the register that is loaded or stored
};

}  // namespace AscendC::cpu::reg

#if defined(ASCENDC_CPU_CHECKED)
#include "vector_function_checked.h"
#else

namespace AscendC::cpu::reg {

// Before UB is read: the number of bytes, from the first on, that lie in the tensor. A vector may reach beyond its end.
inline constexpr uint32_t Reads(const Access& access) { return access.bytes; }
// Before UB is written: ends the block when a byte lies outside of the tensor.
inline void Writes(const Access&) {}

// Definedness of bytes of UB, one byte each.
inline void TakeDefined(uint8_t*, const void*, uint32_t) {}
inline void PutDefined(void*, const uint8_t*, uint32_t) {}

// Loads that follow see what stores before have written.
inline void StoresReachLoads() {}

// The vector function that follows computes a result (the first tensor) from sources.
template <typename... Tensors>
inline void Announce(const Tensors&...)
{
}

}  // namespace AscendC::cpu::reg

#ifdef ASCENDC_CPU_TIMED
#include "vector_function_timed.h"
#else

namespace AscendC::cpu::reg {

inline void Begin() {}
inline void End() {}

// A register instruction is issued: it works on `bytes` bytes of elements of the class `column`.
inline void Step(const char*, Column, uint32_t, Issue) {}

}  // namespace AscendC::cpu::reg

#endif
#endif

namespace AscendC::cpu {

class VectorScope {
public:
    VectorScope() { reg::Begin(); }
    ~VectorScope() { reg::End(); }
    VectorScope(const VectorScope&) = delete;
    VectorScope& operator=(const VectorScope&) = delete;
};

}  // namespace AscendC::cpu

// A block of statements that is a vector function.
#define __VEC_SCOPE__ if (const ::AscendC::cpu::VectorScope vector_scope_{}; true)

// Calls a function marked __simd_vf__ as a vector function.
template <auto function, typename... Args>
inline void asc_vf_call(Args&&... args)
{
    const AscendC::cpu::VectorScope scope;
    function(args...);
}
template <auto function, typename... Args>
inline void VF_CALL(Args&&... args)
{
    asc_vf_call<function>(args...);
}

#endif
#endif
