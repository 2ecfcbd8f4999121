// Each function once as it is meant and once as it is not: who owns what.
#include "calls.hpp"

namespace shardfft_c_tests {
namespace {

/// Slabs along axis 1 of 3 x 5 x 7 on 2 ranks, in memory order 1 0 2: [0,3) and [3,5).
struct Slabs {
  Slabs() {
    const int order[] = {1, 0, 2};
    expect_good(shardfft_spec_words("slabs:1", 3, &spec));
    expect_good(shardfft_spec_order(spec, 3, order));
    expect_good(shardfft_layout_create(spec, 3, shape, 2, &layout));
  }
  Spec spec{};
  Layout layout{};
};

}  // namespace

TEST(Calls, shardfft_spec_words) {
  Spec spec;
  expect_good(shardfft_spec_words("pencils:-1", 3, &spec));
  expect_refused(shardfft_spec_words("slab:0", 3, &spec), SHARDFFT_INVALID_LAYOUT, "did you mean 'slabs:0'?");
  expect_refused(shardfft_spec_words("slabs:3", 3, &spec), SHARDFFT_INVALID_LAYOUT, "from -3 to 2; got 3");
  expect_null_handle(shardfft_spec_words(nullptr, 3, &spec));
  expect_null_handle(shardfft_spec_words("any", 3, nullptr));
}

TEST(Calls, shardfft_spec_grid) {
  const int64_t processes[] = {1, 2, 3};
  Spec spec;
  Layout layout;
  expect_good(shardfft_spec_grid(3, processes, &spec));
  expect_good(shardfft_layout_create(spec, 3, shape, 6, &layout));
  Spec none;
  expect_refused(shardfft_spec_grid(9, processes, &none), SHARDFFT_INVALID_PROBLEM, "9");
  expect_refused(shardfft_spec_grid(-1, processes, &none), SHARDFFT_INVALID_ARGUMENT, "got -1");
  expect_null_handle(shardfft_spec_grid(3, nullptr, &none));
  EXPECT_EQ(none, nullptr);
}

TEST(Calls, shardfft_spec_boxes) {
  const int rank[] = {1, 0, 1, -1};
  const int64_t lo[] = {0, 0, 0, 0, 4, 0, 2, 0, 0, 0, 0, 0}, hi[] = {2, 4, 7, 3, 5, 7, 3, 4, 7, 1, 1, 1};
  Spec spec;
  Layout layout;
  expect_good(shardfft_spec_boxes(3, 3, rank, lo, hi, &spec));
  expect_good(shardfft_layout_create(spec, 3, shape, 4, &layout));  // two ranks own nothing
  int64_t elements[2] = {};
  expect_good(shardfft_layout_count(layout, 1, &elements[0]));
  expect_good(shardfft_layout_count(layout, 3, &elements[1]));
  EXPECT_EQ(elements[0], 84);
  EXPECT_EQ(elements[1], 0);
  Layout no_layout;
  expect_refused(shardfft_layout_create(spec, 3, shape, 1, &no_layout), SHARDFFT_INVALID_LAYOUT,
                 "ranks from 0 to 0; got one of rank 1, [0,2)x[0,4)x[0,7)");
  Spec none;
  expect_refused(shardfft_spec_boxes(3, 4, rank, lo, hi, &none), SHARDFFT_INVALID_ARGUMENT, "got a box of rank -1");
  expect_null_handle(shardfft_spec_boxes(3, 3, nullptr, lo, hi, &none));
  expect_null_handle(shardfft_spec_boxes(3, 3, rank, nullptr, hi, &none));
  expect_null_handle(shardfft_spec_boxes(3, 3, rank, lo, nullptr, &none));
  Spec gap;
  expect_good(shardfft_spec_boxes(3, 2, rank, lo, hi, &gap));
  expect_refused(shardfft_layout_create(gap, 3, shape, 2, &no_layout), SHARDFFT_INVALID_LAYOUT, "");
}

TEST(Calls, shardfft_spec_order) {
  const Slabs slabs;
  const int twice[] = {0, 0, 2};
  expect_good(shardfft_spec_order(slabs.spec, 3, twice));  // read with the shape
  Layout none;
  expect_refused(shardfft_layout_create(slabs.spec, 3, shape, 2, &none), SHARDFFT_INVALID_LAYOUT, "order");
  expect_null_handle(shardfft_spec_order(slabs.spec, 3, nullptr));
  expect_null_handle(shardfft_spec_order(nullptr, 3, twice));
}

TEST(Calls, shardfft_spec_destroy) { shardfft_spec_destroy(nullptr); }

TEST(Calls, shardfft_layout_create) {
  Spec spec, any;
  Layout layout;
  expect_good(shardfft_spec_words("bricks", 3, &spec));
  expect_good(shardfft_layout_create(spec, 3, shape, 8, &layout));
  Layout none;
  expect_good(shardfft_spec_words("any", 3, &any));
  expect_refused(shardfft_layout_create(any, 3, shape, 8, &none), SHARDFFT_INVALID_LAYOUT, "any");
  expect_refused(shardfft_layout_create(spec, 3, shape, 0, &none), SHARDFFT_INVALID_ARGUMENT, "1 rank or more; got 0");
  expect_null_handle(shardfft_layout_create(spec, 3, nullptr, 8, &none));
  expect_null_handle(shardfft_layout_create(nullptr, 3, shape, 8, &none));
  expect_null_handle(shardfft_layout_create(spec, 3, shape, 8, nullptr));
}

TEST(Calls, shardfft_layout_dims) {
  EXPECT_EQ(shardfft_layout_dims(Slabs().layout), 3);
  EXPECT_EQ(shardfft_layout_dims(nullptr), 0);
}

TEST(Calls, shardfft_layout_ranks) {
  EXPECT_EQ(shardfft_layout_ranks(Slabs().layout), 2);
  EXPECT_EQ(shardfft_layout_ranks(nullptr), 0);
}

TEST(Calls, shardfft_layout_shape) {
  int64_t got[3] = {};
  shardfft_layout_shape(Slabs().layout, got);
  EXPECT_EQ(std::vector(got, got + 3), std::vector(shape, shape + 3));
  shardfft_layout_shape(nullptr, got);
  shardfft_layout_shape(Slabs().layout, nullptr);
  EXPECT_EQ(got[0], 3);
}

TEST(Calls, shardfft_layout_order) {
  int got[3] = {};
  shardfft_layout_order(Slabs().layout, got);
  EXPECT_EQ(std::vector(got, got + 3), std::vector({1, 0, 2}));
  shardfft_layout_order(nullptr, got);
  shardfft_layout_order(Slabs().layout, nullptr);
  EXPECT_EQ(got[0], 1);
}

TEST(Calls, shardfft_layout_grid) {
  int64_t got[3] = {};
  shardfft_layout_grid(Slabs().layout, got);
  EXPECT_EQ(std::vector(got, got + 3), std::vector<int64_t>({1, 2, 1}));
  shardfft_layout_grid(nullptr, got);
  shardfft_layout_grid(Slabs().layout, nullptr);
  EXPECT_EQ(got[1], 2);
}

TEST(Calls, shardfft_layout_boxes) {
  const Slabs slabs;
  int count = 0;
  expect_good(shardfft_layout_boxes(slabs.layout, 1, &count));
  EXPECT_EQ(count, 1);
  expect_refused(shardfft_layout_boxes(slabs.layout, 2, &count), SHARDFFT_INVALID_ARGUMENT, "2");
  expect_null_handle(shardfft_layout_boxes(nullptr, 1, &count));
  expect_null_handle(shardfft_layout_boxes(slabs.layout, 1, nullptr));
}

TEST(Calls, shardfft_layout_box) {
  const Slabs slabs;
  int64_t lo[3] = {9, 9, 9}, hi[3] = {};
  expect_good(shardfft_layout_box(slabs.layout, 1, 0, lo, hi));
  EXPECT_EQ(std::vector(lo, lo + 3), std::vector<int64_t>({0, 3, 0}));
  EXPECT_EQ(std::vector(hi, hi + 3), std::vector<int64_t>({3, 5, 7}));
  expect_good(shardfft_layout_box(slabs.layout, 0, 0, lo, hi));
  EXPECT_EQ(hi[1], 3);
  expect_refused(shardfft_layout_box(slabs.layout, 1, 1, lo, hi), SHARDFFT_INVALID_ARGUMENT, "1 box, counted from 0");
  expect_refused(shardfft_layout_box(slabs.layout, 1, -1, lo, hi), SHARDFFT_INVALID_ARGUMENT, "got box -1");
  expect_refused(shardfft_layout_box(slabs.layout, 2, 0, lo, hi), SHARDFFT_INVALID_ARGUMENT, "2");
  expect_null_handle(shardfft_layout_box(nullptr, 1, 0, lo, hi));
  expect_null_handle(shardfft_layout_box(slabs.layout, 1, 0, nullptr, hi));
  expect_null_handle(shardfft_layout_box(slabs.layout, 1, 0, lo, nullptr));
}

TEST(Calls, shardfft_layout_count) {
  const Slabs slabs;
  int64_t elements = 0;
  expect_good(shardfft_layout_count(slabs.layout, 1, &elements));
  EXPECT_EQ(elements, 3 * 2 * 7);
  expect_refused(shardfft_layout_count(slabs.layout, -1, &elements), SHARDFFT_INVALID_ARGUMENT, "-1");
  expect_null_handle(shardfft_layout_count(nullptr, 1, &elements));
  expect_null_handle(shardfft_layout_count(slabs.layout, 1, nullptr));
}

TEST(Calls, shardfft_layout_owners) {
  const Slabs slabs;
  const int64_t lo[] = {1, 2, 3}, hi[] = {2, 5, 4};
  int count = 0, rank[2] = {-1, -1};
  int64_t part_lo[6] = {}, part_hi[6] = {};
  expect_good(shardfft_layout_owners(slabs.layout, lo, hi, 0, nullptr, nullptr, nullptr, &count));
  EXPECT_EQ(count, 2);
  expect_good(shardfft_layout_owners(slabs.layout, lo, hi, 1, rank, part_lo, part_hi, &count));
  EXPECT_EQ(rank[0], 0);
  EXPECT_EQ(rank[1], -1) << "no room for it";
  expect_good(shardfft_layout_owners(slabs.layout, lo, hi, 2, rank, part_lo, part_hi, &count));
  EXPECT_EQ(rank[1], 1);
  EXPECT_EQ(std::vector(part_lo, part_lo + 6), std::vector<int64_t>({1, 2, 3, 1, 3, 3}));
  EXPECT_EQ(std::vector(part_hi, part_hi + 6), std::vector<int64_t>({2, 3, 4, 2, 5, 4}));
  expect_refused(shardfft_layout_owners(slabs.layout, lo, hi, -1, rank, part_lo, part_hi, &count),
                 SHARDFFT_INVALID_ARGUMENT, "got -1");
  expect_null_handle(shardfft_layout_owners(slabs.layout, lo, hi, 2, nullptr, part_lo, part_hi, &count));
  expect_null_handle(shardfft_layout_owners(slabs.layout, lo, hi, 2, rank, part_lo, nullptr, &count));
  expect_null_handle(shardfft_layout_owners(slabs.layout, nullptr, hi, 2, rank, part_lo, part_hi, &count));
  expect_null_handle(shardfft_layout_owners(slabs.layout, lo, hi, 2, rank, part_lo, part_hi, nullptr));
  expect_null_handle(shardfft_layout_owners(nullptr, lo, hi, 2, rank, part_lo, part_hi, &count));
}

TEST(Calls, shardfft_layout_describe) {
  const Slabs slabs;
  Text text;
  expect_good(shardfft_layout_describe(slabs.layout, &text));
  EXPECT_NE(std::string(text).find("slabs along axis 1 over 2 ranks"), std::string::npos) << text;
  expect_null_handle(shardfft_layout_describe(nullptr, &text));
  expect_null_handle(shardfft_layout_describe(slabs.layout, nullptr));
}

TEST(Calls, shardfft_layout_destroy) {
  shardfft_layout_destroy(nullptr);
  const SmallPlan small;
  shardfft_layout_destroy(shardfft_plan_input(small.plan));  // lent: it stays
  EXPECT_EQ(shardfft_layout_dims(shardfft_plan_input(small.plan)), 3);
}

}  // namespace shardfft_c_tests
