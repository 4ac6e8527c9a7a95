// Blocks that wait for each other, blocks that fail, and launches from several host threads.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "core_test.h"

using namespace AscendC;

static void AllBlocksMeet()
{
    const uint32_t blocks = 64;
    std::atomic<uint32_t> before{0};
    std::atomic<uint32_t> early{0};
    for (int round = 0; round < 3; ++round) {
        before = 0;
        ExpectClean("SyncAll", blocks, [&] {
            for (uint32_t k = 1; k <= 4; ++k) {
                ++before;
                SyncAll();
                early += before < k * blocks ? 1 : 0;
                SyncAll<true>();
            }
        });
    }
    CHECK(early == 0);

    std::vector<int32_t> workspace(64 * 8);
    before = 0;
    ExpectClean("SyncAll with workspace", blocks, [&] {
        GlobalTensor<int32_t> gm;
        gm.SetGlobalBuffer(workspace.data(), workspace.size());
        LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 64 * 8);
        ++before;
        SyncAll(gm, ub);
        early += before != blocks ? 1 : 0;
    });
    CHECK(early == 0);
}

static void FlagsBetweenBlocks()
{
    const uint32_t blocks = 16;
    std::atomic<uint32_t> sets{0};
    std::atomic<uint32_t> early{0};
    ExpectClean("CrossCoreSetFlag", blocks, [&] {
        ++sets;
        CrossCoreSetFlag<0, PIPE_MTE3>(3);
        CrossCoreWaitFlag(3);
        early += sets != blocks ? 1 : 0;
    });
    CHECK(early == 0);

    // Pairs: every block waits for the one before it.
    std::vector<int32_t> words(blocks * 8 * 4), order;
    ExpectClean("IBSet, IBWait", blocks, [&] {
        GlobalTensor<int32_t> gm;
        gm.SetGlobalBuffer(words.data(), words.size());
        LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 8);
        const int32_t me = static_cast<int32_t>(GetBlockIdx());
        if (me != 0) {
            IBWait(gm, ub, me - 1, 1);
        }
        order.push_back(me);
        IBSet(gm, ub, me, 1);
    });
    CHECK(order.size() == blocks);
    for (size_t i = 0; i < order.size(); ++i) {
        CHECK(order[i] == static_cast<int32_t>(i));
    }

    std::vector<int32_t> turns;
    ExpectClean("blocks in turn", blocks, [&] {
        GlobalTensor<int32_t> gm;
        gm.SetGlobalBuffer(words.data(), words.size());
        LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 256);
        InitDetermineComputeWorkspace(gm, ub);
        WaitPreBlock(gm, ub);
        turns.push_back(static_cast<int32_t>(GetBlockIdx()));
        NotifyNextBlock(gm, ub);
    });
    CHECK(turns.size() == blocks && turns[0] == 0 && turns[blocks - 1] == static_cast<int32_t>(blocks) - 1);
}

static void NothingHangs()
{
    ExpectFault("a block misses SyncAll", 8, {"flag: SyncAll waits for ever"}, [] {
        if (GetBlockIdx() != 5) {
            SyncAll();
        }
    });
    ExpectFault("a cross-core flag is never set", 4, {"flag: CrossCoreWaitFlag(2) waits for ever"}, [] {
        if (GetBlockIdx() != 1) {
            CrossCoreSetFlag<0, PIPE_MTE3>(2);
        }
        CrossCoreWaitFlag(2);
    });
}

static void FailuresComeBack()
{
    CHECK(Run(0, [] {}) == 2);
    ExpectFault("Trap", 4, {"trap: Trap() was called, block 2"}, [] {
        if (GetBlockIdx() == 2) {
            Trap();
        }
    });
    ExpectFault("exception", 1, {"exception: no such luck, block 0"}, [] { throw std::runtime_error("no such luck"); });
    ExpectFault("unknown exception", 1, {"exception: an exception of unknown type"}, [] { throw 7; });
#ifndef NDEBUG
    ExpectFault("assert", 1, {"assert: `GetBlockNum() == 3` does not hold"}, [] { assert(GetBlockNum() == 3); });
    ExpectFault("ascendc_assert", 1, {"assert: `2 < 1` does not hold: two is 2"}, [] { ascendc_assert(2 < 1, "two is %d", 2); });
#endif
    ExpectClean("and then all is well", 4, [] {});
}

static void IdentityOfBlocks()
{
    std::atomic<uint64_t> seen{0};
    ExpectClean("GetBlockIdx", 33, [&] {
        seen |= uint64_t{1} << GetBlockIdx();
        CHECK(GetBlockNum() == 33 && GetSubBlockNum() == 1 && GetSubBlockIdx() == 0 && GetTaskRatio() == 1);
        CHECK(block_idx == GetBlockIdx() && block_num == 33);
        if ASCEND_IS_AIC {
            CHECK(false);
        }
    });
    CHECK(seen == (uint64_t{1} << 33) - 1);
}

static void SeveralHosts()
{
    std::atomic<int> wrong{0};
    std::vector<std::thread> hosts;
    for (int host = 0; host < 6; ++host) {
        hosts.emplace_back([&wrong, host] {
            for (int round = 0; round < 200; ++round) {
                std::atomic<int> ran{0};
                const bool fails = host % 2 == 1;
                const int result = Run(7, [&] {
                    ++ran;
                    SyncAll();
                    if (fails && GetBlockIdx() == 3) {
                        Trap();
                    }
                });
                wrong += result != (fails ? 1 : 0) || ran != 7 || Report().empty() == fails ? 1 : 0;
            }
        });
    }
    for (std::thread& host : hosts) {
        host.join();
    }
    CHECK(wrong == 0);
}

static void LaunchesAreCheap()
{
    using Time = std::chrono::steady_clock;
    Run(8, [] {});
    const Time::time_point begin = Time::now();
    for (int i = 0; i < 200; ++i) {
        Run(8, [] {});
    }
    const double ms = std::chrono::duration<double, std::milli>(Time::now() - begin).count() / 200;
    if (!kChecked && ms > 1.0) {  // 0.3 ms on an idle machine
        std::printf("a launch takes %.3f ms\n", ms);
        ++g_failures;
    }
    ascendc_cpu_set_threads(1);
    std::atomic<int> ran{0};
    ExpectClean("one thread", 8, [&] {
        ++ran;
        SyncAll();
    });
    CHECK(ran == 8);
    ascendc_cpu_set_threads(0);
}

int main()
{
    AllBlocksMeet();
    FlagsBetweenBlocks();
    NothingHangs();
    FailuresComeBack();
    IdentityOfBlocks();
    SeveralHosts();
    LaunchesAreCheap();
    return Result();
}
