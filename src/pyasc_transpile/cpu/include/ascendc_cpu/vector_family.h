// The one place where element-wise vector instructions run: a loop over adjacent elements, and the two ways (count form,
// strided form) of finding them. Every element-wise instruction passes its operands through Run or RunStrided here.
//
// An operation is a small functor: kName (as users write it), kTypes (dtypes per architecture) and operator() on values
// of the type it computes in: float for half and bfloat16_t, the dtype itself otherwise. It may return double, which is
// then rounded once to the destination.
#ifndef ASCENDC_CPU_VECTOR_FAMILY_H
#define ASCENDC_CPU_VECTOR_FAMILY_H

#include "vector_mask.h"

namespace AscendC::cpu::vec {

// Elements handled at once when 16-bit floats are widened into buffers; all buffers together stay well inside L1.
inline constexpr size_t kChunk = 256;

// Results of an operation as the value that goes into a destination of type D.
template <typename D, typename R>
inline num::Wide<D> Fit(R result)
{
    if constexpr (num::kIsFloat16<D> && std::is_same_v<R, double>) {
        return num::DoubleToOddFloat(result);
    } else {
        return static_cast<num::Wide<D>>(result);
    }
}

// One operand of a chunked loop: as it is, or through a buffer of floats. (Constructors keep the buffers from being zeroed.)
template <typename S, bool = num::kIsFloat16<S>>
struct Source {
    explicit Source(const S* source) : from(source) {}
    const S* Load(size_t at, size_t) { return from + at; }
    const S* from;
};
template <typename S>
struct Source<S, true> {
    explicit Source(const S* source) : from(source) {}
    const float* Load(size_t at, size_t count)
    {
        num::Widen(from + at, buffer, count);
        return buffer;
    }
    const S* from;
    alignas(64) float buffer[kChunk];
};

template <typename D, bool = num::kIsFloat16<D>>
struct Destination {
    explicit Destination(D* destination) : to(destination) {}
    D* Begin(size_t at) { return to + at; }
    void End(size_t, size_t) {}
    D* to;
};
template <typename D>
struct Destination<D, true> {
    explicit Destination(D* destination) : to(destination) {}
    float* Begin(size_t) { return buffer; }
    void End(size_t at, size_t count) { num::Narrow(buffer, to + at, count); }
    D* to;
    alignas(64) float buffer[kChunk];
};

// Operations that can not be computed by straight-line code for every value say so with Rare(x) and Slow(x).
template <typename Op, typename = void>
inline constexpr bool kHasRare = false;
template <typename Op>
inline constexpr bool kHasRare<Op, std::void_t<decltype(&Op::Rare)>> = true;

// Flattened: a loop with a call left in it is not vectorised, however large the operation is.
template <typename D, typename Op, typename... Values>
[[gnu::flatten]] inline void MapPlain(const Op& op, size_t count, num::Wide<D>* to, const Values*... from)
{
    if constexpr (kHasRare<Op>) {
        bool rare = false;
        for (size_t i = 0; i < count; ++i) {
            rare |= Op::Rare(from[i]...);
        }
        if (rare) {
            for (size_t i = 0; i < count; ++i) {
                to[i] = Fit<D>(op.Slow(from[i]...));
            }
            return;
        }
    }
    ASCENDC_CPU_LANES
    for (size_t i = 0; i < count; ++i) {
        to[i] = Fit<D>(op(from[i]...));
    }
}

// to[i] = op(from[i]...) for adjacent elements; `to` may be one of `from`.
template <typename Op, typename D, typename... S>
inline void Map(const Op& op, size_t count, D* to, const S*... from)
{
    if constexpr (num::kIsFloat16<D> || (num::kIsFloat16<S> || ...) || kHasRare<Op>) {
        Destination<D> destination(to);
        const auto run = [&](auto&&... sources) {
            for (size_t at = 0; at < count; at += kChunk) {
                const size_t n = count - at < kChunk ? count - at : kChunk;
                MapPlain<D>(op, n, destination.Begin(at), sources.Load(at, n)...);
                destination.End(at, n);
            }
        };
        run(Source<S>(from)...);
    } else {
        MapPlain<D>(op, count, to, from...);
    }
}

template <typename... T>
inline constexpr uint32_t kWidestBytes = [] {
    uint32_t widest = 1;
    ((widest = sizeof(T) > widest ? sizeof(T) : widest), ...);
    return widest;
}();

// The count form.
template <typename Op, typename D, typename... S>
inline void Run(const Op& op, const LocalTensor<D>& dst, int64_t count, const LocalTensor<S>&... src)
{
    Instruction instruction(Op::kName, PIPE_V, count);
    instruction.Writes(dst);
    (instruction.Reads(src), ...);
    instruction.Elementwise();
    Map(op, count > 0 ? static_cast<size_t>(count) : 0, dst.Data(), src.Data()...);
}

// A tensor with the strides of its masked form.
template <typename T>
struct Strided {
    const LocalTensor<T>& tensor;
    Strides strides;
    Layout AsLayout() const { return strides.AsLayout(); }
    T* At(uint32_t first, uint32_t r, uint32_t lane) const { return tensor.Data() + strides.Offset<T>(first + r, lane); }
    // The tensor from a repeat on: what an instruction is told about the last, short repeat of Counter mode.
    LocalTensor<T> From(uint32_t first) const
    {
        return first == 0 ? tensor : tensor[static_cast<uint32_t>(strides.Offset<T>(first, 0))];
    }
};

// The masked and strided form.
template <typename Op, typename D, typename... S>
inline void RunStrided(const Op& op, const Lanes& lanes, const Strided<D>& dst, const Strided<S>&... src)
{
    constexpr uint32_t perBlock = ONE_BLK_SIZE / kWidestBytes<D, S...>;
    const bool joined = dst.strides.block == 1 && ((src.strides.block == 1) && ...);
    ForEachShape(lanes, [&](const Shape& shape, uint32_t first) {
        Instruction instruction(Op::kName, PIPE_V, shape);
        instruction.Writes(dst.From(first), dst.AsLayout());
        (instruction.Reads(src.From(first), src.AsLayout()), ...);
        instruction.Elementwise();
        const bool dense = dst.strides.template Dense<D>(shape.lanes) && (src.strides.template Dense<S>(shape.lanes) && ...);
        ForEachRun(shape, perBlock, joined, dense,
                   [&](uint32_t r, uint32_t lane, size_t n) { Map(op, n, dst.At(first, r, lane), src.At(first, r, lane)...); });
    });
}

}  // namespace AscendC::cpu::vec

#endif
