// Plans that only move elements from one layout to another.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "plan/calls/expect_error.hpp"
#include "support/chosen.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

Problem moved(const Shape& shape, int bytes) { return {.shape = shape, .kind = Kind::move, .element_bytes = bytes}; }

// Every byte of every element, from its position in the whole array.
std::byte byte_of(std::uint64_t position, int number) {
  return static_cast<std::byte>((position + 1) * 0x9e3779b97f4a7c15u >> (56 - 8 * (number % 8)) ^
                                static_cast<std::uint64_t>(number));
}

// A rank's part, with bytes in its gaps that nobody may touch.
class Part {
 public:
  Part(LocalMemory memory, const Shape& shape, int bytes, std::size_t least)
      : memory_(std::move(memory)), shape_(shape), bytes_(static_cast<std::size_t>(bytes)) {
    data_.assign(std::max(least, static_cast<std::size_t>(memory_.elements) * bytes_) + guard, std::byte{0xa5});
  }
  void fill() {
    each([&](std::byte* element, std::uint64_t position) {
      for (std::size_t b = 0; b < bytes_; ++b) element[b] = byte_of(position, static_cast<int>(b));
    });
  }
  void expect_right(const std::string& what, bool gaps = true) {
    std::vector<bool> owned(data_.size());
    std::size_t wrong = 0;
    each([&](const std::byte* element, std::uint64_t position) {
      for (std::size_t b = 0; b < bytes_; ++b) {
        wrong += element[b] != byte_of(position, static_cast<int>(b));
        owned[static_cast<std::size_t>(element - data_.data()) + b] = true;
      }
    });
    EXPECT_EQ(wrong, 0u) << what;
    for (std::size_t i = 0; gaps && i < data_.size(); ++i)
      ASSERT_TRUE(owned[i] || data_[i] == std::byte{0xa5}) << what << ": byte " << i << " of a gap was written";
  }
  [[nodiscard]] View view() const { return {data_.data(), data_.size() - guard}; }
  [[nodiscard]] const std::vector<std::byte>& raw() const { return data_; }
  void take(const Part& other) { std::memcpy(data_.data(), other.data_.data(), other.data_.size() - guard); }

 private:
  static constexpr std::size_t guard = 32;
  template <class Visit>
  void each(Visit visit) {
    const Whole frame{shape_, {}};
    for (std::size_t b = 0; b < memory_.boxes.size(); ++b)
      for_each(memory_.boxes[b], [&](const Coord& at) {
        visit(data_.data() + static_cast<std::size_t>(memory_.position(b, at)) * bytes_,
              static_cast<std::uint64_t>(frame.position(at)));
      });
  }
  LocalMemory memory_;
  Shape shape_;
  std::size_t bytes_;
  std::vector<std::byte> data_{};
};

struct Move {
  Shape shape{};
  int ranks = 1, bytes = 1;
  Options options{};
  bool padded_in = false, padded_out = false, split = false;
  std::uint64_t seed = 0;
};

std::string to_string(const Move& m) {
  return fmt::format("seed {}: {} on {} ranks, {}{} -> {}{}{}{}", m.seed, shardfft::to_string(moved(m.shape, m.bytes)),
                     m.ranks, shardfft::to_string(m.options.input), m.padded_in ? " padded" : "",
                     shardfft::to_string(m.options.output), m.padded_out ? " padded" : "",
                     m.options.in_place ? ", in place" : "", m.split ? ", split" : "");
}

Move random_move(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Move m{.shape = small_shape(random, 5, 9), .ranks = static_cast<int>(pick(random, 1, 12)), .seed = seed};
  m.bytes = std::array{1, 2, 4, 8, 16}[static_cast<std::size_t>(pick(random, 0, 4))];
  m.options.input = random_layout(random, m.shape, m.ranks);
  m.options.output = random_layout(random, m.shape, m.ranks);
  m.options.threads = static_cast<int>(pick(random, 1, 2));
  m.options.expert.chunks = static_cast<int>(pick(random, 0, 4));
  m.options.expert.non_temporal = pick(random, 0, 3) == 0 ? NonTemporal::all : NonTemporal::automatic;
  m.options.in_place = pick(random, 0, 3) == 0;
  m.options.destroy_input = pick(random, 0, 3) == 0;
  m.padded_in = pick(random, 0, 2) == 0;
  m.padded_out = pick(random, 0, 2) == 0;
  m.split = pick(random, 0, 2) == 0;
  return m;
}

void go(Plan& plan, bool split, Direction direction, const View& from, const View& to) {
  if (!split) return direction == Direction::forward ? plan.forward(from, to) : plan.backward(from, to);
  plan.start(direction, from, to);
  while (!plan.test()) std::this_thread::yield();
  plan.wait();
}

void expect_moved(const Move& m, const Comm& comm) {
  std::mt19937_64 random(m.seed * 100 + static_cast<std::uint64_t>(comm.rank()));
  Options o = m.options;
  LocalMemory in = packed_memory(Layout(o.input, m.shape, m.ranks), comm.rank()),
              out = packed_memory(Layout(o.output, m.shape, m.ranks), comm.rank());
  if (m.padded_in) o.input_memory = (in = padded_memory(Layout(o.input, m.shape, m.ranks), comm.rank(), random)).places;
  if (m.padded_out)
    o.output_memory = (out = padded_memory(Layout(o.output, m.shape, m.ranks), comm.rank(), random)).places;
  Plan plan(comm, moved(m.shape, m.bytes), o);
  const std::size_t both = o.in_place ? std::max(plan.input_bytes(), plan.output_bytes()) : 0;
  Part from(in, m.shape, m.bytes, both), to(out, m.shape, m.bytes, both);
  from.fill();
  const auto before = from.raw();
  const std::uint64_t hash = plan.hash_input(from.view());
  if (o.in_place) {
    to.take(from);
    go(plan, m.split, Direction::forward, to.view(), to.view());
    to.expect_right("forward in place", false);
    EXPECT_EQ(plan.hash_output(to.view()), hash);
    go(plan, m.split, Direction::backward, to.view(), to.view());
    EXPECT_EQ(plan.hash_input(to.view()), hash) << "backward in place";
    return;
  }
  for (int again = 0; again < 2; ++again) {
    go(plan, m.split, Direction::forward, from.view(), to.view());
    to.expect_right("forward");
    EXPECT_EQ(plan.hash_output(to.view()), hash);
    EXPECT_TRUE(plan.verify(from.view(), to.view()).ok());
    if (!o.destroy_input) { EXPECT_TRUE(from.raw() == before) << "forward changed its input"; }
    Part back(in, m.shape, m.bytes, 0);
    go(plan, m.split, Direction::backward, to.view(), back.view());
    back.expect_right("backward");
    EXPECT_TRUE(plan.verify(to.view(), back.view(), Direction::backward).ok());
  }
}

TEST(Moves, TakeEveryElementToItsPlaceBetweenAnyLayoutsAndBack) {
  const std::uint64_t first = chosen_seed(20260801);
  for (int i = 0; i < chosen_problems(150) && !HasFailure(); ++i) {
    const Move m = random_move(first + static_cast<std::uint64_t>(i));
    try {
      on_ranks(m.ranks, [&](const Comm& comm) { expect_moved(m, comm); });
    } catch (const std::exception& e) { ADD_FAILURE() << e.what(); }
    if (HasFailure()) ADD_FAILURE() << to_string(m);
  }
}

TEST(Moves, OfNumbersHaveTheHashOfTheTransformThatReadsThem) {
  on_ranks(3, [](const Comm& comm) {
    const Shape shape{5, 7, 6};
    Plan transform(comm, {.shape = shape, .kind = r2c, .precision = f32}, {.input = slabs(1)});
    Plan move(comm, moved(shape, 4), {.input = slabs(1), .output = pencils(2)});
    Array x = transform.make_input(), y = move.make_output();
    float value = static_cast<float>(comm.rank());
    for (float& v : x.as<float>()) v = value += 0.37f;
    move.forward(x, y);
    EXPECT_EQ(move.hash_output(y), transform.hash_input(x));
    move.forward(x.as<float>(), y.as<float>());  // any type of that size will do
  });
}

TEST(Moves, BetweenArraysOfThePlanLeaveOutTheCopy) {
  on_ranks(2, [](const Comm& comm) {
    Plan plan(comm, moved({64, 48}, 8), {.input = slabs(0), .output = slabs(1)});
    Array x = plan.make_input(), y = plan.make_output();
    for (std::size_t i = 0; i < x.bytes(); ++i) x.data()[i] = static_cast<std::byte>(i * 7 + 3);
    std::vector<std::byte> own(y.bytes());
    plan.forward(x, y);
    EXPECT_EQ(plan.last_run().back().label, "copy");
    EXPECT_EQ(plan.last_run().back().bytes_memory, 0);
    const std::uint64_t direct = plan.hash_output(y);
    plan.forward(x, View(own.data(), own.size()));
    EXPECT_GT(plan.last_run().back().bytes_memory, 0);
    EXPECT_EQ(plan.hash_output(View(own.data(), own.size())), direct);
    EXPECT_EQ(plan.hash_input(x), direct);
  });
}

TEST(Moves, SeeAnElementThatIsWrongOrElsewhere) {
  Plan plan(local(), moved({6, 4}, 2), {.input = slabs(0), .output = slabs(0).ordered({1, 0})});
  Array x = plan.make_input(), y = plan.make_output();
  for (std::size_t i = 0; i < x.bytes(); ++i) x.data()[i] = static_cast<std::byte>(i);
  plan.forward(x, y);
  ASSERT_TRUE(plan.verify(x, y).ok());
  std::swap(y.data()[0], y.data()[2]);
  EXPECT_FALSE(plan.verify(x, y).ok());
}

TEST(Moves, RefuseWhatBelongsToTransforms) {
  const auto refuse = [](Status status, const std::string& words, const Problem& problem, const Options& options) {
    expect_error(2, status, {words}, [&](const Comm& comm) { Plan(comm, problem, options); });
  };
  const Shape shape{8, 8};
  refuse(Status::invalid_problem, "transforms no axes; got axes 1", {.shape = shape, .kind = Kind::move, .axes = {1}},
         {});
  refuse(Status::invalid_problem, "1, 2, 4, 8 or 16 bytes; got 3", moved(shape, 3), {});
  refuse(Status::invalid_problem, "got 8 for c2c", {.shape = shape, .element_bytes = 8}, {});
  refuse(Status::unsupported, "exact; got a tolerance", moved(shape, 8), {.tolerance = 1e-3});
  refuse(Status::unsupported, "exact; got codec f32", moved(shape, 8), {.expert = {.codec = "f32"}});
  refuse(Status::unsupported, "got axis_order 0,1", moved(shape, 8), {.expert = {.axis_order = {0, 1}}});
  refuse(Status::invalid_argument, "got move", moved(shape, 8), {.padded_reals = true});
  expect_error(2, Status::invalid_argument, {"no factor but 1; got 2"}, [&](const Comm& comm) {
    Plan plan(comm, moved(shape, 8), {});
    Array x = plan.make_input(), y = plan.make_output();
    plan.forward(x, y, 2);
  });
  expect_error(2, Status::invalid_argument, {"elements of 16 bytes", "complex f32"}, [&](const Comm& comm) {
    Plan plan(comm, moved(shape, 0), {});
    std::vector<std::complex<float>> x(64), y(64);
    plan.forward(x, y);
  });
  expect_error(2, Status::unsupported, {"exact_samples() computes"}, [&](const Comm& comm) {
    Plan plan(comm, moved(shape, 8), {});
    Array x = plan.make_input();
    (void)plan.exact_samples(x, {{0, 0}});
  });
  expect_error(1, Status::unsupported, {"tuning chooses among transforms"},
               [&](const Comm& comm) { (void)tune(comm, moved(shape, 8)); });
}

TEST(Moves, AreLookedAtWithAnyNumberOfRanks) {
  Plan plan(dry_run(4096, 17, 64), moved({4096, 4096, 4096}, 2), {.input = slabs(0), .output = pencils(0)});
  EXPECT_EQ(plan.input_bytes(), std::size_t{4096} * 4096 * 2);
  EXPECT_NE(plan.describe().find("copy"), std::string::npos) << plan.describe();
  EXPECT_NE(plan.describe_json().find("\"move\""), std::string::npos);
}

}  // namespace
}  // namespace shardfft::testing
