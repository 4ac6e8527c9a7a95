// Scalar registers of the vector unit: every block starts with those of a new core, whatever ran on its thread before.
#include "vector_test.h"

static float Dequantised()
{
    Ub ub;
    const auto x = ub.Fill<int32_t>(64, 8);
    const auto y = ub.Empty<half>(64);
    Cast(y, x, RoundMode::CAST_NONE, 64);
    Barrier();
    return static_cast<float>(y.Data()[0]);
}

static uint8_t ComparedBits()
{
    Ub ub;
    const auto bits = ub.Fill<uint8_t>(32, 0xff);
    GetCmpMask(bits);
    return bits.Data()[0];
}

static void Leave()
{
    Ub ub;
    const auto x = ub.Fill<float>(64, 3.0f);
    const auto y = ub.Empty<float>(64);
    const auto work = ub.Fill<float>(64, 0.0f);
    SetDeqScale(half(0.5));
    Compare(x, x, CMPMODE::EQ, static_cast<uint64_t>(64), BinaryRepeatParams{1, 1, 1, 8, 8, 8});
    ReduceMax(y, x, work, 64, true);
    Barrier();
    ReduceSum(y, x, work, 64);
    Barrier();
    ExpectTrue("the scale that was set", !kC220 || Dequantised() == 4.0f);
    ExpectTrue("the bits of the comparison", ComparedBits() == 0xff);
}

static void ExpectNothingLeft()
{
    float value = 1.0f;
    float index = 1.0f;
    GetReduceMaxMinCount(value, index);
    ExpectTrue("no extreme", value == 0.0f && index == 0.0f);
    ExpectTrue("no sum", GetAccVal<float>() == 0.0f);
    ExpectTrue("no scale", !kC220 || Dequantised() == 8.0f);
    ExpectTrue("no comparison", ComparedBits() == 0);
}

int main()
{
    cpu::Launch(1, [] { Leave(); });
    cpu::Launch(1, [] { ExpectNothingLeft(); });
    cpu::Launch(2, [] { GetBlockIdx() == 0 ? Leave() : ExpectNothingLeft(); });
    return Finish("vector_registers");
}
