// Rows of memory that are so far apart, by a power of two, that sweeps take wider tiles of them: the same bits as from
// an array without gaps.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>

#include "support/memory/buffer.hpp"
#include "support/problems/layouts.hpp"
#include "sweep/sweep.hpp"

namespace shardfft::testing {
namespace {

constexpr Index element = 16, apart = Index{8} << 20;
const Shape shape{64, 3, 43};

Coord strides(bool far) {
  return far ? Coord{apart, 43 * element, element} : Coord{3 * 43 * element, 43 * element, element};
}

// Pages that nobody touches cost nothing.
class Array {
 public:
  explicit Array(bool far)
      : strides_(strides(far)),
        bytes_(static_cast<std::size_t>(strides_[0] * shape[0])),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { munmap(data_, bytes_); }

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }
  [[nodiscard]] Patch patch(Base base) const { return {.box = whole(shape), .base = base, .strides = strides_}; }
  void put(const std::vector<double>& numbers) {
    for (Index i = 0; i < shape[0]; ++i)
      std::memcpy(data() + i * strides_[0], numbers.data() + i * numbers_of_a_row, numbers_of_a_row * sizeof(double));
  }
  [[nodiscard]] std::vector<double> take() const {
    std::vector<double> numbers(static_cast<std::size_t>(shape[0] * numbers_of_a_row));
    for (Index i = 0; i < shape[0]; ++i)
      std::memcpy(numbers.data() + i * numbers_of_a_row, data() + i * strides_[0], numbers_of_a_row * sizeof(double));
    return numbers;
  }

 private:
  static constexpr Index numbers_of_a_row = 2 * 3 * 43;
  Coord strides_;
  std::size_t bytes_;
  void* data_;
};

// `tile`: as in Tuning.
std::vector<double> transformed(const std::vector<double>& numbers, bool far_from, bool far_to, bool non_temporal,
                                int tile, Index most_recorded = 0) {
  Array from(far_from), to(far_to);
  from.put(numbers);
  const SweepSpec spec{.axes = {{{.axis = 0, .n = shape[0]}, find_engine("native")->make({.n = shape[0]})}},
                       .chunks = {{whole(shape)}},
                       .from = {from.patch(Base::input)},
                       .to = {to.patch(Base::output)},
                       .tuning = {{.tile = tile, .non_temporal = non_temporal ? NonTemporal::all : NonTemporal::none}},
                       .most_recorded = most_recorded};
  const auto sweep = make_host_sweep(spec);
  const Memory scratch(allocate(sweep->scratch_bytes(), "tiles"));
  sweep->run(0, {from.data(), to.data()}, scratch.get(), {});
  return to.take();
}

TEST(FarRows, GiveTheBitsOfRowsThatFollowEachOther) {
  std::mt19937_64 random(5);
  std::vector<double> numbers;
  for (Index i = 0; i < 2 * product(shape); ++i) numbers.push_back(static_cast<double>(pick(random, -1000, 1000)) / 64);
  const int own = find_engine("native")->make({.n = shape[0]})->in().pencils;
  const std::vector<double> expected = transformed(numbers, false, false, false, own);
  EXPECT_NE(expected, numbers);
  for (const int tile :
       {0, own, 2 * own,
        4 * own})  // those of two kernels can be read and written by the passes, the others of several cannot
    for (const bool non_temporal : {false, true})
      for (const bool far_from : {false, true})
        for (const bool far_to : {false, true})
          EXPECT_EQ(transformed(numbers, far_from, far_to, non_temporal, tile), expected)
              << "tiles of " << tile << ", far apart: read " << far_from << ", stored " << far_to << ", non_temporal "
              << non_temporal;
  EXPECT_EQ(transformed(numbers, false, false, false, 2 * own, 1000), expected) << "written down";
}

}  // namespace
}  // namespace shardfft::testing
