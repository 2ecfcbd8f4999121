// Reals and their half spectrum in the same rows, and half spectra that may be overwritten: the same bits as elsewhere,
// and nothing else is touched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "pipeline/bind/memory.hpp"
#include "shardfft/shardfft.hpp"
#include "support/chosen.hpp"
#include "support/problems/random_problem.hpp"
#include "support/thrown.hpp"
#include "verify/noise.hpp"

namespace shardfft::testing {
namespace {

constexpr std::byte guard{0xA5};

/// A buffer of a plan with guard bytes everywhere.
struct Guarded {
  std::vector<std::byte> bytes;
  explicit Guarded(std::size_t n) : bytes(n + 256, guard) {}
  [[nodiscard]] View view() const { return {start(), bytes.size() - 256}; }
  [[nodiscard]] std::byte* start() const {
    const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
    return const_cast<std::byte*>(bytes.data()) + (64 - at % 64) % 64;
  }
};

std::vector<LocalPart> parts(const Layout& layout, const std::vector<Placement>& placements, int rank, std::byte* data,
                             Index element) {
  std::vector<LocalPart> result;
  const auto boxes = layout.boxes(rank);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    Coord strides = placements[i].strides;
    for (int a = 0; a < strides.dims(); ++a) strides[a] *= element;
    result.push_back({boxes[i], data + placements[i].offset * element, strides});
  }
  return result;
}

/// Which bytes of a buffer belong to elements of these parts.
void mark(const std::vector<LocalPart>& all, const std::byte* start, Index element, std::vector<bool>& owned) {
  for (const LocalPart& part : all)
    for_each(part.box, [&](const Coord& at) {
      Index place = part.data - start;
      for (int a = 0; a < at.dims(); ++a) place += (at[a] - part.box.lo[a]) * part.strides[a];
      std::fill_n(owned.begin() + place, element, true);
    });
}

struct Spread {
  std::vector<Placement> reals{}, half{};
};

/// Rows with `more` complex numbers of room behind each half row; `apart`: the half spectrum begins so many numbers
/// later than the reals do.
Spread spread(const Layout& reals, const Layout& half, int rank, Index more, Index apart) {
  Spread s;
  Index offset = 0;
  const auto real_boxes = reals.boxes(rank), half_boxes = half.boxes(rank);
  for (std::size_t i = 0; i < half_boxes.size(); ++i) {
    Shape room = half_boxes[i].shape();
    room[room.dims() - 1] += more;
    const Coord strides = packed_strides(room, half.order(), 1, false);
    Coord of_reals = strides;
    for (int a = 0; a + 1 < of_reals.dims(); ++a) of_reals[a] *= 2;
    s.half.push_back({offset + apart, strides});
    s.reals.push_back({2 * offset, of_reals});
    offset += product(room);
  }
  return s;
}

/// What a run is compared with: a plan of its own on the same ranks, out of place, through buffers.
struct Expected {
  std::uint64_t half = 0, reals = 0;
  Expected(const Comm& comm, const Problem& problem, Options options) {
    options.in_place = options.destroy_input = options.padded_reals = false;
    options.input_memory.clear(), options.output_memory.clear();
    options.expert.intermediate = Intermediate::buffers;
    Plan plan(comm, problem, options);
    Array x = plan.make_input(), y = plan.make_output();
    const bool direct = problem.kind == r2c;
    fill_with_noise(direct ? plan.input() : plan.output(), comm.rank(), problem.precision, false, direct ? x : y, 1);
    direct ? plan.forward(x, y) : plan.backward(y, x);
    half = direct ? plan.hash_output(y) : plan.hash_input(x);
    direct ? plan.backward(y, x) : plan.forward(x, y);
    reals = direct ? plan.hash_input(x) : plan.hash_output(y);
  }
};

/// There and back in one buffer.
void expect_the_same(const Comm& comm, const Problem& problem, const Options& options, const Spread* where,
                     const std::string& text) {
  const Expected expected(comm, problem, options);
  Plan plan(comm, problem, options);
  const bool direct = problem.kind == r2c;
  const Layout &of_reals = direct ? plan.input() : plan.output(), &of_half = direct ? plan.output() : plan.input();
  const Index real = problem.precision == f32 ? 4 : 8;
  Guarded memory(std::max(plan.input_bytes(), plan.output_bytes()));
  const int me = comm.rank();
  const auto reals =
      parts(of_reals,
            where ? where->reals
                  : padded_placements(of_reals, me,
                                      problem.axes.empty() ? of_reals.global().dims() - 1 : problem.axes.back(), ""),
            me, memory.start(), real);
  const auto half = parts(of_half, where ? where->half : placements(of_half, me, {}, ""), me, memory.start(), 2 * real);
  for (const LocalPart& part : reals)
    fill_with_noise(part, {.global = of_reals.global(), .precision = problem.precision, .complex = false}, 1);
  const View view = memory.view();
  direct ? plan.forward(view, view) : plan.backward(view, view);
  EXPECT_EQ(direct ? plan.hash_output(view) : plan.hash_input(view), expected.half) << text;
  direct ? plan.backward(view, view) : plan.forward(view, view);
  EXPECT_EQ(direct ? plan.hash_input(view) : plan.hash_output(view), expected.reals) << text;
  std::vector<bool> owned(memory.bytes.size());
  mark(reals, memory.bytes.data(), real, owned);
  mark(half, memory.bytes.data(), 2 * real, owned);
  std::size_t touched = 0;
  for (std::size_t i = 0; i < owned.size(); ++i) touched += !owned[i] && memory.bytes[i] != guard;
  EXPECT_EQ(touched, 0U) << text;
}

struct Way {
  int ranks, threads;
  ExpertOptions expert;
};
std::vector<Way> all_ways() {
  constexpr Intermediate output = Intermediate::output, buffers = Intermediate::buffers;
  constexpr NonTemporal none = NonTemporal::none, all = NonTemporal::all;
  return {{1, 1, {}},
          {1, 1, {.fuse = 1, .intermediate = output, .non_temporal = none}},
          {1, 2, {.fuse = 2, .intermediate = output, .non_temporal = none}},
          {1, 3, {.fuse = 2, .intermediate = output, .non_temporal = all}},
          {1, 2, {.fuse = 1, .intermediate = output, .non_temporal = all}},
          {1, 2, {.fuse = 2, .intermediate = buffers, .non_temporal = all}},
          {3, 1, {}},
          {2, 2, {.fuse = 2, .intermediate = output, .non_temporal = all}}};
}
const std::vector<Way> ways = all_ways();

std::string text_of(const Problem& p, const Way& w) {
  std::string text =
      to_string(p) + " on " + std::to_string(w.ranks) + " ranks of " + std::to_string(w.threads) + " threads";
  for (const char* name : {"intermediate", "fuse", "non_temporal"})
    text += std::string(", ") + name + " " + option_text({.expert = w.expert}, name);
  return text;
}

TEST(RealsInPlace, InPaddedRowsGiveTheSameBitsAndTouchNothingElse) {
  Sample sample;
  for (const Shape& shape : {Shape{6, 5, 10}, Shape{3, 7, 9}, Shape{17, 16, 33}, Shape{9, 20, 64}, Shape{4, 1, 2},
                             Shape{5, 3, 1}, Shape{2, 40, 100}})
    for (const std::vector<int>& axes : {std::vector<int>{0, 1, 2}, {2}, {1, 2}, {0, 2}})
      for (const Kind kind : {r2c, c2r})
        for (const Way& way : ways) {
          if (!sample.takes()) continue;
          on_ranks(way.ranks, [&](Comm comm) {
            const Problem problem{
                .shape = shape, .kind = kind, .precision = shape[1] % 2 == 0 ? f32 : f64, .axes = axes};
            const Options options{.input = slabs(0),
                                  .output = slabs(0),
                                  .threads = way.threads,
                                  .in_place = true,
                                  .padded_reals = true,
                                  .expert = way.expert};
            expect_the_same(comm, problem, options, nullptr, text_of(problem, way));
          });
        }
}

TEST(RealsInPlace, InOtherDimensionsAndLayouts) {
  for (const Shape& shape : {Shape{3, 4, 5, 12}, Shape{11, 30}, Shape{210}, Shape{4096}})
    for (const Way& way : ways)
      on_ranks(shape.dims() > 1 ? way.ranks : 1, [&](Comm comm) {  // rows are whole on a rank
        const int real = shape.dims() - 1;
        const Problem problem{
            .shape = shape, .kind = r2c, .axes = shape.dims() == 4 ? std::vector<int>{1, 3} : std::vector<int>{real}};
        Options options{.input = slabs(0),
                        .output = slabs(0),
                        .threads = way.threads,
                        .in_place = true,
                        .padded_reals = true,
                        .expert = way.expert};
        if (shape.dims() == 4) options.input = options.output = slabs(2).ordered({2, 0, 1, 3});
        expect_the_same(comm, problem, options, nullptr, text_of(problem, way));
      });
}

TEST(RealsInPlace, InRowsOfTheCallersOwn) {
  Sample sample;
  for (const auto& [more, apart] : {std::pair<Index, Index>{3, 0}, {0, 0}, {2, 1}, {0, 40}})
    for (const Kind kind : {r2c, c2r})
      for (const Way& way : ways) {
        if (!sample.takes()) continue;
        on_ranks(way.ranks, [&, more = more, apart = apart](Comm comm) {
          const Problem problem{.shape = {7, 12, 31}, .kind = kind};
          const Layout reals(slabs(0), {7, 12, 31}, way.ranks), half(slabs(0), {7, 12, 16}, way.ranks);
          const Spread where = spread(reals, half, comm.rank(), more, apart);
          Options options{
              .input = slabs(0), .output = slabs(0), .threads = way.threads, .in_place = true, .expert = way.expert};
          options.input_memory = kind == r2c ? where.reals : where.half;
          options.output_memory = kind == r2c ? where.half : where.reals;
          expect_the_same(
              comm, problem, options, &where,
              text_of(problem, way) + ", " + std::to_string(more) + " more, " + std::to_string(apart) + " apart");
        });
      }
}

TEST(DestroyedInput, GivesTheSameRealsAndIsKeptWithoutTheWord) {
  int destroyed = 0;
  Sample sample;
  for (const Shape& shape : {Shape{6, 5, 10}, Shape{17, 16, 33}, Shape{9, 20, 64}, Shape{30, 31}, Shape{4096}})
    for (const LayoutSpec& other : {slabs(0), slabs(shape.dims() > 1 ? 1 : 0)})
      for (const Way& way : ways)
        for (const bool destroy : {false, true}) {
          if (!sample.takes()) continue;
          on_ranks(way.ranks, [&](Comm comm) {
            const Problem problem{.shape = shape, .kind = c2r};
            Options options{.input = other,
                            .output = slabs(0),
                            .threads = way.threads,
                            .destroy_input = destroy,
                            .expert = way.expert};
            const Expected expected(comm, problem, options);
            Plan plan(comm, problem, options);
            Array half = plan.make_input(), reals = plan.make_output();
            fill_with_noise(plan.output(), comm.rank(), f64, false, reals, 1);
            plan.backward(reals, half);
            EXPECT_EQ(plan.hash_input(half), expected.half) << text_of(problem, way);
            plan.forward(half, reals);
            EXPECT_EQ(plan.hash_output(reals), expected.reals) << text_of(problem, way);
            const bool kept = plan.hash_input(half) == expected.half;
            EXPECT_TRUE(kept || destroy) << text_of(problem, way);
            if (comm.rank() == 0) destroyed += !kept;
          });
        }
  EXPECT_GT(destroyed, sanitized ? 0 : 10) << "no plan made use of what it may";
}

std::string refused(const Problem& problem, const Options& options, int ranks = 1) {
  std::string why;
  on_ranks(ranks, [&](Comm comm) {
    const std::string mine = thrown([&] { Plan(comm, problem, options); });
    if (comm.rank() == 0) why = mine;
  });
  return why;
}

TEST(PaddedReals, AreRefusedWhereThereAreNoneOrTheyLieOtherwise) {
  const Problem real{.shape = {6, 5, 10}, .kind = r2c};
  EXPECT_NE(refused({.shape = {6, 5, 10}}, {.padded_reals = true}).find("got c2c"), std::string::npos);
  EXPECT_NE(refused(real, {.input_memory = {{0, {60, 12, 1}}}, .padded_reals = true}).find("options.input_memory"),
            std::string::npos);
  EXPECT_NE(refused(real, {.input = process_grid({1, 1, 3}), .padded_reals = true}, 3).find("of 10 numbers"),
            std::string::npos);
  EXPECT_NE(refused(real, {.input = slabs(0).ordered({2, 1, 0}), .padded_reals = true}).find("axis 2 lie in one piece"),
            std::string::npos);
  EXPECT_EQ(refused(real, {.output_memory = {{0, {30, 6, 1}}}, .padded_reals = true}), "");
  EXPECT_EQ(refused(real, {.padded_reals = true}), "") << "it is about rows, also of arrays that are not in place";
}

}  // namespace
}  // namespace shardfft::testing
