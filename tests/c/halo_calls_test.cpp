// Each function once as it is meant and once as it is not: halos.
#include "calls.hpp"

namespace shardfft_c_tests {
namespace {

constexpr int64_t low[] = {1, 2}, high[] = {1, 0};

/// 3 x 4 of doubles, periodic along axis 1, of this process alone: rows of 6 behind one row of room.
struct SmallHalo {
  SmallHalo() {
    const int64_t shape[] = {3, 4};
    const int periodic[] = {0, -1};  // any number but 0
    expect_good(shardfft_comm_local(&comm));
    expect_good(shardfft_spec_words("slabs:0", 2, &spec));
    expect_good(shardfft_layout_create(spec, 2, shape, 1, &layout));
    expect_good(shardfft_halo_create(comm, layout, low, high, periodic, 1, sizeof(double), nullptr, &halo));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 4; ++j) at(i, j + 2) = static_cast<double>(10 * i + j);
  }
  [[nodiscard]] double& at(std::size_t row, std::size_t column) { return numbers[6 * (row + 1) + column]; }
  [[nodiscard]] std::size_t bytes() const { return numbers.size() * sizeof(double); }

  Comm comm{};
  Spec spec{};
  Layout layout{};
  Halo halo{};
  std::vector<double> numbers = std::vector<double>(30, -1);
};

}  // namespace

TEST(Calls, shardfft_halo_create) {
  SmallHalo small;
  Halo other;
  Options options;
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_options_set(options, "threads", "1"));
  expect_good(shardfft_halo_create(small.comm, small.layout, low, high, nullptr, 0, 16, options, &other));
  EXPECT_EQ(shardfft_halo_bytes(other), 30u * 16);
  const int64_t negative[] = {-1, 0};
  shardfft_halo none = nullptr;
  const auto create = [&](shardfft_comm c, shardfft_layout l, const int64_t* before, size_t element) {
    return shardfft_halo_create(c, l, before, high, nullptr, 1, element, nullptr, &none);
  };
  expect_refused(create(small.comm, small.layout, negative, 8), SHARDFFT_INVALID_ARGUMENT, "got -1 in `low`");
  expect_refused(create(small.comm, small.layout, low, 3), SHARDFFT_INVALID_ARGUMENT, "1, 2, 4, 8 or 16 bytes");
  expect_null_handle(create(nullptr, small.layout, low, 8));
  expect_null_handle(create(small.comm, nullptr, low, 8));
  expect_null_handle(create(small.comm, small.layout, nullptr, 8));
  expect_null_handle(shardfft_halo_create(small.comm, small.layout, low, high, nullptr, 1, 8, nullptr, nullptr));
  EXPECT_EQ(none, nullptr);
}

TEST(Calls, shardfft_halo_destroy) { expect_good(shardfft_halo_destroy(nullptr)); }

TEST(Calls, shardfft_halo_box) {
  const SmallHalo small;
  int64_t lo[2] = {}, hi[2] = {};
  expect_good(shardfft_halo_box(small.halo, lo, hi));
  EXPECT_EQ((std::vector<int64_t>{lo[0], lo[1], hi[0], hi[1]}), (std::vector<int64_t>{-1, -2, 4, 4}));
  expect_null_handle(shardfft_halo_box(small.halo, lo, nullptr));
  expect_null_handle(shardfft_halo_box(nullptr, lo, hi));
}

TEST(Calls, shardfft_halo_memory) {
  const SmallHalo small;
  int boxes = 0;
  int64_t offset = 0, strides[2] = {};
  expect_good(shardfft_halo_memory(small.halo, &boxes, &offset, strides));
  EXPECT_EQ((std::vector<int64_t>{boxes, offset, strides[0], strides[1]}), (std::vector<int64_t>{1, 8, 6, 1}));
  expect_null_handle(shardfft_halo_memory(small.halo, &boxes, nullptr, strides));
  expect_null_handle(shardfft_halo_memory(nullptr, &boxes, &offset, strides));
}

TEST(Calls, shardfft_halo_bytes) {
  EXPECT_EQ(shardfft_halo_bytes(SmallHalo().halo), 240u);
  EXPECT_EQ(shardfft_halo_bytes(nullptr), 0u);
}

TEST(Calls, shardfft_halo_make_array) {
  const SmallHalo small;
  Array array;
  expect_good(shardfft_halo_make_array(small.halo, &array));
  EXPECT_EQ(shardfft_array_bytes(array), 240u);
  expect_null_handle(shardfft_halo_make_array(small.halo, nullptr));
  expect_null_handle(shardfft_halo_make_array(nullptr, &array));
}

TEST(Calls, shardfft_halo_exchange) {
  SmallHalo small;
  expect_good(shardfft_halo_exchange(small.halo, small.numbers.data(), small.bytes()));
  EXPECT_EQ(small.at(1, 0), 12);  // periodic
  EXPECT_EQ(small.at(1, 1), 13);
  EXPECT_EQ(small.numbers[3], -1);  // beyond the array
  expect_refused(shardfft_halo_exchange(small.halo, small.numbers.data(), small.bytes() - 1), SHARDFFT_INVALID_ARGUMENT,
                 "at least 240 bytes");
  expect_refused(shardfft_halo_exchange(small.halo, const_cast<char*>("no array of mine"), SHARDFFT_REFUSED),
                 SHARDFFT_INVALID_ARGUMENT, "no array of mine");
  expect_refused(shardfft_halo_exchange(small.halo, nullptr, SHARDFFT_REFUSED), SHARDFFT_INVALID_ARGUMENT, "no text");
  expect_null_handle(shardfft_halo_exchange(nullptr, small.numbers.data(), small.bytes()));
}

TEST(Calls, shardfft_halo_accumulate) {
  SmallHalo small;
  small.at(1, 0) = 0.5;
  expect_good(shardfft_halo_accumulate(small.halo, SHARDFFT_F64, small.numbers.data(), small.bytes()));
  EXPECT_EQ(small.at(1, 4), 12.5);
  EXPECT_EQ(small.at(1, 5), 12);  // 13 - 1
  expect_refused(shardfft_halo_accumulate(small.halo, 2, small.numbers.data(), small.bytes()),
                 SHARDFFT_INVALID_ARGUMENT, "f32 (0) or f64 (1)");
  expect_null_handle(shardfft_halo_accumulate(nullptr, SHARDFFT_F64, small.numbers.data(), small.bytes()));
}

TEST(Calls, shardfft_halo_start_exchange) {
  SmallHalo small;
  expect_good(shardfft_halo_start_exchange(small.halo, small.numbers.data(), small.bytes()));
  expect_refused(shardfft_halo_exchange(small.halo, small.numbers.data(), small.bytes()), SHARDFFT_INVALID_ARGUMENT,
                 "under way");
  expect_good(shardfft_halo_wait(small.halo));
  EXPECT_EQ(small.at(2, 1), 23);
  expect_null_handle(shardfft_halo_start_exchange(nullptr, small.numbers.data(), small.bytes()));
}

TEST(Calls, shardfft_halo_start_accumulate) {
  SmallHalo small;
  expect_good(shardfft_halo_start_accumulate(small.halo, SHARDFFT_F64, small.numbers.data(), small.bytes()));
  expect_good(shardfft_halo_wait(small.halo));
  EXPECT_EQ(small.at(0, 4), 1);  // 2 - 1
  expect_refused(shardfft_halo_start_accumulate(small.halo, -1, small.numbers.data(), small.bytes()),
                 SHARDFFT_INVALID_ARGUMENT, "f32 (0) or f64 (1)");
  expect_null_handle(shardfft_halo_start_accumulate(nullptr, SHARDFFT_F64, small.numbers.data(), small.bytes()));
}

TEST(Calls, shardfft_halo_test) {
  SmallHalo small;
  int done = 0;
  expect_refused(shardfft_halo_test(small.halo, &done), SHARDFFT_INVALID_ARGUMENT, "call one of them first");
  expect_good(shardfft_halo_start_exchange(small.halo, small.numbers.data(), small.bytes()));
  while (!done) expect_good(shardfft_halo_test(small.halo, &done));
  expect_null_handle(shardfft_halo_test(small.halo, nullptr));
  expect_good(shardfft_halo_wait(small.halo));
  EXPECT_EQ(small.at(0, 0), 2);
  expect_null_handle(shardfft_halo_test(nullptr, &done));
}

TEST(Calls, shardfft_halo_wait) {
  expect_refused(shardfft_halo_wait(SmallHalo().halo), SHARDFFT_INVALID_ARGUMENT, "call one of them first");
  expect_null_handle(shardfft_halo_wait(nullptr));
}

TEST(Calls, shardfft_halo_describe) {
  Text text;
  expect_good(shardfft_halo_describe(SmallHalo().halo, &text));
  EXPECT_NE(std::string(text).find("1 x 2 cells before and 1 x 0 behind each box of slabs"), std::string::npos);
  expect_null_handle(shardfft_halo_describe(nullptr, &text));
}

}  // namespace shardfft_c_tests
