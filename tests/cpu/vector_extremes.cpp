// Maxima and minima of zeros of either sign, whatever the order and the instruction: -0 is smaller than +0.
#include "vector_test.h"

template <typename T>
static bool IsNegative(T value)
{
    return std::signbit(Value(value));
}

template <typename T>
static void TestZeros()
{
    Kernel("zeros", [] {
        for (const bool first : {false, true}) {
            for (const bool second : {false, true}) {
                Ub ub;
                constexpr int count = 1024 / sizeof(T);
                const T a = T(first ? -0.0f : 0.0f);
                const T b = T(second ? -0.0f : 0.0f);
                std::vector<T> both(count, a);
                both[count / 2 + 3] = b;
                const auto x = ub.Fill<T>(count, a);
                const auto y = ub.Fill<T>(count, b);
                const auto z = ub.Put(both);
                const auto work = ub.Fill<T>(count, T(1));
                const auto larger = ub.Empty<T>(count);
                const auto smaller = ub.Empty<T>(count);
                const auto check = [&](const char* name, int n) {
                    for (int i = 0; i < n; ++i) {
                        ExpectTrue(std::string("largest ") + name, IsNegative(larger.Data()[i]) == (first && second));
                        ExpectTrue(std::string("smallest ") + name, IsNegative(smaller.Data()[i]) == (first || second));
                    }
                    Barrier();
                };
                Max(larger, x, y, count);
                Min(smaller, x, y, count);
                check("of tensors", count);
                if constexpr (!std::is_same_v<T, bfloat16_t>) {
                    Maxs(larger, x, b, count);
                    Mins(smaller, x, b, count);
                    check("with a number", count);
                    ReduceMax(larger, z, work, count);
                    Barrier();
                    ReduceMin(smaller, z, work, count);
                    check("of all", 1);
                }
            }
        }
    });
}

// Stores that combine with what is there.
template <typename T>
static void TestAtomics()
{
    for (const bool first : {false, true}) {
        for (const bool second : {false, true}) {
            std::vector<T> memory(64, T(first ? -0.0f : 0.0f));
            Kernel("atomics", [&] {
                Ub ub;
                const auto x = ub.Fill<T>(64, T(second ? -0.0f : 0.0f));
                GlobalTensor<T> target;
                target.SetGlobalBuffer(memory.data(), memory.size());
                PipeBarrier<PIPE_ALL>();
                SetAtomicMax<T>();
                DataCopy(target, x, 32);
                SetAtomicMin<T>();
                DataCopy(target[32], x[32], 32);
                SetAtomicNone();
                PipeBarrier<PIPE_ALL>();
            });
            for (int i = 0; i < 64; ++i) {
                const bool wanted = i < 32 ? first && second : first || second;
                ExpectTrue(i < 32 ? "SetAtomicMax" : "SetAtomicMin", IsNegative(memory[i]) == wanted);
            }
        }
    }
}

int main()
{
    TestZeros<float>();
    TestZeros<half>();
    TestAtomics<float>();
    TestAtomics<half>();
    TestAtomics<bfloat16_t>();
    if constexpr (kC310) {
        TestZeros<bfloat16_t>();
    }
    return Finish("vector_extremes");
}
