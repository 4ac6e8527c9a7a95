// Who am I, what time is it, and talking to the person who debugs the kernel.
#ifndef ASCENDC_CPU_SYSTEM_H
#define ASCENDC_CPU_SYSTEM_H

#include <cstdio>
#include <ctime>

#include "launcher.h"
#include "numeric.h"
#include "tensor.h"

namespace AscendC {

inline int64_t GetBlockIdx()
{
    const cpu::Block& block = cpu::CurrentBlock();
    return int64_t{block.index} * block.sub_count + block.sub_index;
}
inline int64_t GetBlockNum() { return cpu::CurrentBlock().count; }
inline int64_t GetSubBlockIdx() { return cpu::CurrentBlock().sub_index; }
inline int64_t GetSubBlockNum() { return cpu::CurrentBlock().sub_count; }
inline int64_t GetTaskRatio() { return cpu::CurrentBlock().sub_count; }
inline int64_t GetTaskRation() { return GetTaskRatio(); }

// 50 ticks per microsecond on c220, 1000 on c310.
inline int64_t GetSystemCycle()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t nanoseconds = int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
    return cpu::kC220 ? nanoseconds / 20 : nanoseconds;
}

inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = __NPU_ARCH__; }
inline int64_t GetProgramCounter() { return 0; }
inline void ICachePreLoad(const int64_t) {}
inline int64_t GetICachePreloadStatus() { return 0; }

inline constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
#if __NPU_ARCH__ == 3510
inline constexpr uint32_t GetUBSizeInBytes() { return TOTAL_UB_SIZE; }
inline uint32_t GetRuntimeUBSize() { return TOTAL_UB_SIZE; }
inline constexpr uint32_t GetVecLen() { return ONE_REPEAT_BYTE_SIZE; }
#endif

// Stops this core. The launch returns an error.
[[noreturn]] inline void Trap() { cpu::StopBlock("trap", "Trap() was called"); }

// The workspace that the host passes: 16 MiB for the library, then the user's part.
namespace cpu {
[[gnu::visibility("hidden")]] inline thread_local uint8_t* t_workspace = nullptr;
}
inline void SetSysWorkSpacePtr(uint8_t* workspace) { cpu::t_workspace = workspace; }
inline void SetSysWorkspace(uint8_t* workspace) { cpu::t_workspace = workspace; }
inline void SetSysWorkspaceForce(uint8_t* workspace) { cpu::t_workspace = workspace; }
inline uint8_t* GetSysWorkSpacePtr() { return cpu::t_workspace; }
inline uint8_t* GetUserWorkspace(uint8_t* workspace) { return workspace + RESERVED_WORKSPACE; }

namespace cpu {

// What C's printf can take: its floating point is double.
template <typename T>
inline auto Printable(const T& value)
{
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return value;
    }
}

inline void PrintElement(double value) { std::printf("%g ", value); }
inline void PrintElement(float value) { std::printf("%g ", static_cast<double>(value)); }
inline void PrintElement(half value) { PrintElement(static_cast<float>(value)); }
inline void PrintElement(bfloat16_t value) { PrintElement(static_cast<float>(value)); }
template <typename T>
inline void PrintElement(T value)
{
    std::printf("%lld ", static_cast<long long>(value));
}

template <typename Tensor>
inline void PrintTensor(const Tensor& tensor, const char* memory, uint32_t desc, uint32_t dumpSize)
{
    std::printf("DumpTensor: desc=%u, memory=%s, block=%lld, elements=%u\n", desc, memory, static_cast<long long>(GetBlockIdx()),
                dumpSize);
    for (uint32_t i = 0; i < dumpSize; ++i) {
        PrintElement(tensor.Data()[i]);
        if (i % 8 == 7 || i + 1 == dumpSize) {
            std::printf("\n");
        }
    }
}

}  // namespace cpu

#if defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0
inline constexpr bool kDumps = false;
#else
inline constexpr bool kDumps = true;
#endif

template <class... Args>
inline void printf(const char* fmt, Args&&... args)
{
    if constexpr (kDumps) {
        std::printf(fmt, cpu::Printable(args)...);
    }
}

template <class... Args>
inline void PRINTF(const char* fmt, Args&&... args)
{
    printf(fmt, static_cast<Args&&>(args)...);
}

template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize)
{
    if constexpr (kDumps) {
        static constexpr const char* names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
        cpu::PrintTensor(tensor, names[static_cast<uint8_t>(cpu::MemoryOf(static_cast<TPosition>(tensor.GetPosition())))], desc,
                         dumpSize);
    }
}
template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize)
{
    if constexpr (kDumps) {
        cpu::PrintTensor(tensor, "GM", desc, dumpSize);
    }
}
template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo&)
{
    DumpTensor(tensor, desc, dumpSize);
}
template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo&)
{
    DumpTensor(tensor, desc, dumpSize);
}

inline void PrintTimeStamp(uint32_t id)
{
    printf("PrintTimeStamp: id=%u, block=%lld, cycle=%lld\n", id, static_cast<long long>(GetBlockIdx()),
           static_cast<long long>(GetSystemCycle()));
}

namespace cpu {

inline const char* Message() { return ""; }
[[gnu::cold]] inline void AssertFailed(const char* condition, const char* file, int line, const char* function)
{
    StopBlock("assert", "`%s` does not hold (%s:%d, %s)", condition, file, line, function);
}
template <class... Args>
[[gnu::cold]] inline void AssertFailed(const char* condition, const char* file, int line, const char* function, const char* fmt,
                                       Args&&... args)
{
    char message[256];
    std::snprintf(message, sizeof message, fmt, Printable(args)...);
    StopBlock("assert", "`%s` does not hold: %s (%s:%d, %s)", condition, message, file, line, function);
}

}  // namespace cpu
}  // namespace AscendC

// Builtins of the device compiler. Objects and not macros: kernels have variables of these names.
namespace AscendC::cpu {
struct BlockIndexBuiltin {
    operator int64_t() const { return CurrentBlock().index; }
};
struct BlockCountBuiltin {
    operator int64_t() const { return CurrentBlock().count; }
};
}  // namespace AscendC::cpu
inline constexpr AscendC::cpu::BlockIndexBuiltin block_idx{};
inline constexpr AscendC::cpu::BlockCountBuiltin block_num{};

// Used without parentheses of their own: `if ASCEND_IS_AIV { ... }`. All kernels are vector kernels so far.
#define ASCEND_IS_AIV (true)
#define ASCEND_IS_AIC (false)
#define ASCEND_IS_NOT_AIV (false)
#define ASCEND_IS_NOT_AIC (true)

#define KERNEL_TASK_TYPE_DEFAULT(value) static_assert(true, #value)
#define KERNEL_TASK_TYPE(key, value) static_assert(true, #value)

// The C library's assert would end the host process.
#undef assert
#if defined(NDEBUG) || (defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0)
#define ascendc_assert(...) static_cast<void>(0)
#define assert(...) static_cast<void>(0)
#else
#define ASCENDC_CPU_ASSERT(text, condition, ...) \
    ((condition) ? static_cast<void>(0) : ::AscendC::cpu::AssertFailed(text, __FILE__, __LINE__, __func__, ##__VA_ARGS__))
#define ascendc_assert(condition, ...) ASCENDC_CPU_ASSERT(#condition, condition, ##__VA_ARGS__)
#define assert(condition) ASCENDC_CPU_ASSERT(#condition, condition)
#endif

#endif
