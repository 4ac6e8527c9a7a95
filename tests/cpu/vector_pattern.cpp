// Reductions along a pattern: rows, columns, everything; padded rows; with and without a work buffer.
#include "vector_test.h"

static constexpr uint32_t kRows = 3, kColumns = 13, kPitch = 16;

// The value at row r and column c, and those of a padded and of a dense copy.
static float At(uint32_t r, uint32_t c) { return static_cast<float>(static_cast<int>(r * 7 + c * 5) % 11 - 4); }

static std::vector<float> Matrix(uint32_t pitch)
{
    std::vector<float> all(kRows * pitch, 1000.0f);
    for (uint32_t r = 0; r < kRows; ++r) {
        for (uint32_t c = 0; c < kColumns; ++c) {
            all[r * pitch + c] = At(r, c);
        }
    }
    return all;
}

template <bool kRowsAreKept, typename Combine>
static std::vector<float> Expected(const Combine& combine)
{
    std::vector<float> results;
    for (uint32_t k = 0; k < (kRowsAreKept ? kRows : kColumns); ++k) {
        float value = kRowsAreKept ? At(k, 0) : At(0, k);
        for (uint32_t i = 1; i < (kRowsAreKept ? kColumns : kRows); ++i) {
            value = combine(value, kRowsAreKept ? At(k, i) : At(i, k));
        }
        results.push_back(value);
    }
    return results;
}

static void Same(const char* what, const LocalTensor<float>& found, const std::vector<float>& expected)
{
    Barrier();
    bool same = true;
    for (size_t i = 0; i < expected.size(); ++i) {
        same = same && found.Data()[i] == expected[i];
    }
    ExpectTrue(what, same && found.Data()[expected.size()] == 7.0f);
}

template <bool kPadded>
static void TestMatrix()
{
    Kernel("matrix", [] {
        Ub ub;
        const auto x = ub.Put(Matrix(kPadded ? kPitch : kColumns));
        const auto tmp = ub.Fill<uint8_t>(512, uint8_t(0));
        const uint32_t shape[] = {kRows, kColumns};
        const auto sum = [](float a, float b) { return a + b; };
        const auto most = [](float a, float b) { return a > b ? a : b; };
        const auto least = [](float a, float b) { return a < b ? a : b; };
        auto d = ub.Fill<float>(32, 7.0f);
        Barrier();
        ReduceSum<float, Pattern::Reduce::AR>(d, x, tmp, shape, kPadded);
        Same("sum of rows", d, Expected<true>(sum));
        d = ub.Fill<float>(32, 7.0f);
        Barrier();
        ReduceMax<float, Pattern::Reduce::RA>(d, x, shape, kPadded);
        Same("largest of columns", d, Expected<false>(most));
        d = ub.Fill<float>(32, 7.0f);
        Barrier();
        ReduceMin<float, Pattern::Reduce::AR, true>(d, x, tmp, shape, kPadded);
        Same("least of rows", d, Expected<true>(least));
    });
}

int main()
{
    TestMatrix<true>();
    TestMatrix<false>();
    Kernel("vector", [] {
        Ub ub;
        const auto x = ub.Fill<float>(24, 2.0f);
        const auto d = ub.Fill<float>(8, 7.0f);
        const uint32_t shape[] = {20};
        Barrier();
        ReduceSum<float, Pattern::Reduce::R>(d, x, shape, true);
        Same("sum of all", d, {40.0f});
    });
    return Finish("vector_pattern");
}
