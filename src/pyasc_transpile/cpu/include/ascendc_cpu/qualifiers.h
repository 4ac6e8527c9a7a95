// The words that Ascend C adds to C++. On a CPU all memory is ordinary memory and every function an ordinary function,
// so the words mean nothing here; the ones that choose a core or a task type are answered at run time.
#ifndef ASCENDC_CPU_QUALIFIERS_H
#define ASCENDC_CPU_QUALIFIERS_H

#include <cstdint>

#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 3510
#endif

#if __NPU_ARCH__ != 2201 && __NPU_ARCH__ != 3510
#error "ascendc_cpu implements __NPU_ARCH__ 2201 (Ascend910B, Ascend910_93) and 3510 (Ascend950)"
#endif

#define ASCENDC_CPU 1

#define __host__
#define __global__
#define __aicore__
#define __host_aicore__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __biasbuf__
#define __fbuf__
#define __ssbuf__
#define __WORKGROUP_LOCAL__
#define __BLOCK_LOCAL__
#define __cube__
#define __vector__
#define __mix__(...)
#define __simt_vf__
#define __simt_callee__
#define __callee__
#define __sync_alias__
#define __sync_noalias__
#define __check_sync_alias__
#define __sync_in__
#define __sync_out__
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(...)
#define __kfc_workspace__
#define __disable_kernel_type_autoinfer__
#define LAUNCH_BOUND(x)
#define ASCENDC_HOST_AICORE

// Vector functions, see vector_function.h: c220 has none.
#if __NPU_ARCH__ == 3510
#define __simd_vf__
#define __simd_callee__
#define __no_simd_vf_fusion__
#endif

#define GM_ADDR uint8_t*

namespace AscendC::cpu {

inline constexpr bool kC220 = __NPU_ARCH__ == 2201;
inline constexpr bool kC310 = __NPU_ARCH__ == 3510;

#ifdef ASCENDC_CPU_CHECKED
inline constexpr bool kChecked = true;
#else
inline constexpr bool kChecked = false;
#endif

#ifdef ASCENDC_CPU_TIMED
inline constexpr bool kTimed = true;
#else
inline constexpr bool kTimed = false;
#endif

#if defined(ASCENDC_CPU_CHECKED) && defined(ASCENDC_CPU_TIMED)
#error "ASCENDC_CPU_CHECKED and ASCENDC_CPU_TIMED are two builds: choose one"
#endif

// Whether instructions are followed one by one, those of the scalar unit too.
inline constexpr bool kFollowed = kChecked || kTimed;

}  // namespace AscendC::cpu

#endif
