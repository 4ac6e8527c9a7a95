// What the checked build says about vector instructions: extents, alignment, undefined values, masks.
#include "vector_test.h"

int main()
{
    ExpectFault("count beyond the tensor", "bounds", [] {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1.0f);
        const auto y = ub.Fill<float>(65, 1.0f);
        Add(y, x, y, 65);
    });
    ExpectFault("strides beyond the tensor", "bounds", [] {
        Ub ub;
        const auto x = ub.Fill<half>(256, half(1));
        Add(x, x, x, static_cast<uint64_t>(128), 2, {1, 1, 1, 9, 8, 8});
    });
    Kernel("bytes actually touched", [] {
        Ub ub;
        const auto x = ub.Fill<half>(256, half(1));
        const auto y = ub.Fill<half>(264, half(1));
        Add(y, x, x, static_cast<uint64_t>(120), 2, {1, 1, 1, 9, 8, 8});
    });
    ExpectFault("alignment", "alignment", [] {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1.0f);
        Add(x[1], x[8], x[8], 8);
    });
    ExpectFault("mask of too many elements", "mask", [] {
        Ub ub;
        const auto x = ub.Fill<float>(256, 1.0f);
        Add(x, x, x, static_cast<uint64_t>(128), 1, {1, 1, 1, 8, 8, 8});
    });
    ExpectFault("undefined source", "uninitialised", [] {
        Ub ub;
        const auto x = ub.Empty<float>(64);
        const auto y = ub.Fill<float>(64, 1.0f);
        Add(y, x, y, 64);
        StoreToGlobal(y, 64);
    });
    Kernel("defined part", [] {
        Ub ub;
        const auto x = ub.Empty<float>(64);
        const auto y = ub.Empty<float>(64);
        Duplicate(x, 1.0f, 32);
        Barrier();
        Muls(y, x, 2.0f, 64);
        StoreToGlobal(y, 32);
    });
    ExpectFault("lanes outside the mask stay undefined", "uninitialised", [] {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1.0f);
        const auto y = ub.Empty<float>(64);
        Adds(y, x, 1.0f, static_cast<uint64_t>(60), 1, {1, 1, 8, 8});
        StoreToGlobal(y, 64);
    });
    Kernel("Counter mode", [] {
        Ub ub;
        const auto x = ub.Fill<float>(128, 1.0f);
        const auto y = ub.Empty<float>(128);
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(104);
        Adds<float, false>(y, x, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        SetMaskNorm();
        ResetMask();
        StoreToGlobal(y, 104);
        Expect("Counter mode", Take(y, 104), std::vector<float>(104, 2.0f));
    });
    ExpectFault("selection by undefined bits", "uninitialised", [] {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1.0f);
        const auto bits = ub.Empty<uint8_t>(32);
        Select(x, bits, x, x, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
        StoreToGlobal(x, 64);
    });
    ExpectFault("work buffer too small", "bounds", [] {
        Ub ub;
        const auto x = ub.Fill<float>(1024, 1.0f);
        const auto d = ub.Fill<float>(8, 0);
        const auto work = ub.Fill<float>(8, 0);
        ReduceSum(d, x, work, kC310 ? 1024 : 1025);
        ReduceMax(d, x, work, kC310 ? 1025 : 1024);
    });
    ExpectFault("work buffer of a function too small", "bounds", [] {
        Ub ub;
        const auto x = ub.Fill<half>(64, half(1));
        Tanh(x, x, ub.Empty<uint8_t>(992), 64);
    });
    Kernel("least work buffer of a function", [] {
        Ub ub;
        const auto x = ub.Fill<half>(64, half(1));
        const auto y = ub.Fill<float>(64, 1.0f);
        Tanh(x, x, ub.Empty<uint8_t>(1024), 64);
        Erf(y, y, ub.Empty<uint8_t>(768), 64);
    });
    return Finish("vector_faults");
}
