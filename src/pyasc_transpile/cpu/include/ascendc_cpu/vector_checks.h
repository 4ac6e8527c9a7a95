// The checked build's memory for vector functions: the tensors that pointers may point into, and the stores that loads of the
// same function do not see yet.
#ifndef ASCENDC_CPU_VECTOR_CHECKS_H
#define ASCENDC_CPU_VECTOR_CHECKS_H

#include <cstdint>
#include <vector>

namespace AscendC::cpu {

class VectorChecks {
public:
    struct Range {
        uint64_t begin = 0;
        uint64_t end = 0;
    };
    // What an announced function computes; `stored`: by register instructions.
    struct Result {
        Range range;
        uint32_t element_size = 1;
        bool stored = false;
    };
    static constexpr uint8_t kUndefined = 0xa5;  // fills a result before it is computed
    struct Store {
        const char* name;
        Range range;
        const void* reg;
    };

    void Clear() { *this = VectorChecks{}; }

    // The address of a tensor is taken in a line of the Python file. A tensor that was at the same place in another line is over.
    [[gnu::noinline]] void NoteTensor(const Range& range, int line)
    {
        for (size_t i = tensors_.size(); i-- > 0;) {
            const Tensor& known = tensors_[i];
            if (known.range.begin == range.begin && known.range.end == range.end) {
                tensors_[i].line = line;
                return;
            }
            if (known.line != line && known.range.begin < range.end && range.begin < known.range.end) {
                tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        if (tensors_.size() < kMostTensors) {
            tensors_.push_back({range, line});
        } else {
            full_ = true;
        }
    }

    // The largest known tensor around an address. `found` stays as it is when nothing is known about tensors.
    [[gnu::noinline]] bool Find(uint64_t address, Range& found) const
    {
        const bool any = !tensors_.empty() && !full_;
        uint64_t end = 0;
        for (const Tensor& tensor : tensors_) {
            if (any && address >= tensor.range.begin && address < tensor.range.end && tensor.range.end > end) {
                found = tensor.range;
                end = found.end;
            }
        }
        return !any || end != 0;
    }

    void Begin()
    {
        ++depth_;
        stores_.clear();
    }
    Result End()
    {
        --depth_;
        stores_.clear();
        const Result result = result_;
        result_ = Result{};
        return result;
    }

    bool Running() const { return depth_ > 0; }
    void Announce(const Result& result) { result_ = result; }

    void Stored(const char* name, uint64_t begin, uint64_t end, const void* reg)
    {
        result_.stored = true;
        if (!stores_.empty() && stores_.back().range.end == begin && stores_.back().reg == reg) {
            stores_.back().range.end = end;
        } else {
            stores_.push_back({name, {begin, end}, reg});
        }
    }

    // The store that a load could overtake. One from the register that is loaded now comes first in any case.
    const Store* Overtakes(uint64_t begin, uint64_t end, const void* reg) const
    {
        for (const Store& store : stores_) {
            if (store.range.begin < end && begin < store.range.end && store.reg != reg) {
                return &store;
            }
        }
        return nullptr;
    }

    void Barrier() { stores_.clear(); }

private:
    struct Tensor {
        Range range;
        int line;
    };
    static constexpr size_t kMostTensors = 256;

    std::vector<Tensor> tensors_;
    bool full_ = false;  // more tensors than can be told apart: UB is the only bound
    std::vector<Store> stores_;
    Result result_;
    int depth_ = 0;
};

}  // namespace AscendC::cpu

#endif
