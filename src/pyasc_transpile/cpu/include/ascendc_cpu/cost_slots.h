// The names of the numbers that the timed build works with. This is the only place that lists them: the library tells
// their names and order (ascendc_cpu_cost_names), and targets/costs.py gives every name a value, a unit and a source.
#ifndef ASCENDC_CPU_COST_SLOTS_H
#define ASCENDC_CPU_COST_SLOTS_H

#include <cstring>

#include "types.h"

namespace AscendC::cpu {

// Costs that do not depend on what a vector instruction computes.
#define ASCENDC_CPU_COSTS(X)                                                                                              \
    X(launch) X(block_start) X(block_end) X(cores)                                                                        \
    X(statement) X(cold_statement) X(issue) X(dispatch) X(queue_depth) X(sync_issue) X(scalar_wait) X(flag) X(barrier)    \
    X(queue_operation)                                                                                                    \
    X(scalar_read_local) X(scalar_read_global) X(scalar_write_local) X(scalar_write_global) X(meet)                       \
    X(v_start) X(v_gap) X(mte1_start) X(mte1_gap) X(mte2_start) X(mte2_gap) X(mte3_start) X(mte3_gap)                     \
    X(m_start) X(m_gap) X(fix_start) X(fix_gap)                                                                           \
    X(row) X(request_bytes) X(shared_port) X(strided) X(vf_pair)                                                                                \
    X(hbm_read) X(hbm_write) X(l2_read) X(l2_write) X(hbm_shared) X(l2_shared) X(l2_bytes)                                \
    X(mte1_rate) X(ub_to_l1_rate) X(fix_rate) X(macs_8) X(macs_16) X(macs_32)

enum class Cost : uint8_t {
#define ASCENDC_CPU_COST(name) name,
    ASCENDC_CPU_COSTS(ASCENDC_CPU_COST)
#undef ASCENDC_CPU_COST
        Count
};

// Vector instructions that cost the same. Each has elements per cycle for every class of element, and cycles on top.
#define ASCENDC_CPU_FAMILIES(X)                                                                                           \
    X(add) X(mul) X(bits) X(extreme) X(exp) X(div) X(rsqrt) X(fused) X(cast) X(compare) X(select) X(fill) X(move)         \
    X(block_reduce) X(repeat_reduce) X(reduce) X(gather) X(squeeze) X(interleave) X(transpose) X(sort)                               \
    X(tanh) X(erf) X(trigonometric) X(power) X(round) X(softmax) X(library) X(control)

enum class Family : uint8_t {
#define ASCENDC_CPU_FAMILY(name) name,
    ASCENDC_CPU_FAMILIES(ASCENDC_CPU_FAMILY)
#undef ASCENDC_CPU_FAMILY
        Count
};

// Classes of elements, and the last column of a family: cycles of an instruction that do not depend on its length.
enum class Column : uint8_t { i8, i16, i32, i64, f16, f32, start, Count };

inline constexpr int kCostNames = static_cast<int>(Cost::Count);
inline constexpr int kColumns = static_cast<int>(Column::Count);
inline constexpr int kCosts = kCostNames + static_cast<int>(Family::Count) * kColumns;

constexpr int Slot(Cost cost) { return static_cast<int>(cost); }
constexpr int Slot(Family family, Column column)
{
    return kCostNames + static_cast<int>(family) * kColumns + static_cast<int>(column);
}

// The class of an element type.
template <typename T>
constexpr Column ColumnOf()
{
    if constexpr (std::is_same_v<T, float>) {
        return Column::f32;
    } else if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>) {
        return Column::f16;
    } else {
        return sizeof(T) == 1 ? Column::i8 : sizeof(T) == 2 ? Column::i16 : sizeof(T) == 4 ? Column::i32 : Column::i64;
    }
}

// All names, one a line, in the order of the slots: "launch", ..., "add.i8", ..., "control.start".
[[gnu::visibility("hidden")]] inline const char* CostNames()
{
    static constexpr const char* costs[] = {
#define ASCENDC_CPU_COST(name) #name,
        ASCENDC_CPU_COSTS(ASCENDC_CPU_COST)
#undef ASCENDC_CPU_COST
    };
    static constexpr const char* families[] = {
#define ASCENDC_CPU_FAMILY(name) #name,
        ASCENDC_CPU_FAMILIES(ASCENDC_CPU_FAMILY)
#undef ASCENDC_CPU_FAMILY
    };
    static constexpr const char* columns[] = {"i8", "i16", "i32", "i64", "f16", "f32", "start"};
    static char text[kCosts * 24];
    static const bool written = [] {
        char* end = text;
        const auto put = [&end](const char* word) {
            const size_t length = std::strlen(word);
            std::memcpy(end, word, length);
            end += length;
        };
        for (const char* cost : costs) {
            put(cost);
            put("\n");
        }
        for (const char* family : families) {
            for (const char* column : columns) {
                put(family);
                put(".");
                put(column);
                put("\n");
            }
        }
        *end = 0;
        return true;
    }();
    return written ? text : "";
}

// Which family an instruction belongs to, by the name that it gives itself.
[[gnu::visibility("hidden")]] inline Family FamilyOf(const char* name)
{
    struct Row {
        Family family;
        const char* names;  // each followed by a space
    };
    static constexpr Row rows[] = {
        {Family::add, "Add Sub Adds Subs Abs Neg AbsSub Relu LeakyRelu Prelu "},
        {Family::mul, "Mul Muls Mull "},
        {Family::bits, "And Or Xor Not Ands Ors ShiftLeft ShiftRight BitwiseAnd BitwiseOr BitwiseXor BitwiseNot LogicalNot "
                       "LogicalAnd LogicalOr LogicalXor "},
        {Family::extreme, "Max Min Maxs Mins Clamp ClampMax ClampMin "},
        {Family::exp, "Exp Ln Sqrt Log ExpSub "},
        {Family::div, "Div Divs "},
        {Family::rsqrt, "Rsqrt Reciprocal "},
        {Family::fused, "Axpy FusedMulAdd FusedMulAddRelu MulAddDst AddRelu SubRelu AddReluCast SubReluCast MulCast MulsCast "
                        "AddDeqRelu Fma "},
        {Family::cast, "Cast "},
        {Family::compare, "Compare CompareScalar Compares IsFinite IsInf IsNan "},
        {Family::select, "Select Where "},
        {Family::fill, "Duplicate CreateVecIndex Brcb "},
        {Family::move, "Copy DataCopy LoadAlign StoreAlign LoadUnAlign StoreUnAlign CreateMask UpdateMask MoveMask "},
        {Family::block_reduce, "BlockReduceSum BlockReduceMax BlockReduceMin PairReduceSum ReduceDataBlock PairReduceElem "},
        {Family::repeat_reduce, "WholeReduceSum WholeReduceMax WholeReduceMin RepeatReduceSum Reduce "},
        {Family::reduce, "ReduceSum ReduceMax ReduceMin ReduceProd CumSum Sum Mean "},
        {Family::gather, "Gather Gatherb Scatter GatherMask "},
        {Family::squeeze, "Squeeze "},
        {Family::interleave, "Interleave DeInterleave "},
        {Family::transpose, "Transpose TransDataTo5HD "},
        {Family::sort, "Sort32 Sort MrgSort Concat Extract TopK "},
        {Family::tanh, "Tanh Sinh Cosh Asinh Acosh Atanh "},
        {Family::erf, "Erf Erfc Gelu FasterGelu "},
        {Family::trigonometric, "Sin Cos Tan Asin Acos Atan Lgamma Digamma "},
        {Family::power, "Power Log2 Log10 Hypot Fmod "},
        {Family::round, "Floor Ceil Trunc Round Rint Frac Sign Truncate "},
        {Family::softmax, "SoftMax SimpleSoftMax LogSoftMax SoftmaxFlash SoftmaxFlashV2 RmsNorm LayerNorm Normalize "},
        {Family::control, "SetCmpMask GetCmpMask SetVectorMask ResetMask "},
    };
    const size_t length = std::strcspn(name, "<");
    for (const Row& row : rows) {
        for (const char* at = row.names; *at != 0; at += std::strcspn(at, " ") + 1) {
            if (std::strncmp(at, name, length) == 0 && at[length] == ' ') {
                return row.family;
            }
        }
    }
    return Family::library;
}

}  // namespace AscendC::cpu

#endif
