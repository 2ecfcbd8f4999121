// Transforms in passes, of arrays that objects of the test hold: the bits of a plan of the whole array.
#include <algorithm>
#include <complex>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "shardfft/elements.hpp"
#include "shardfft/files.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/operators/spectral.hpp"
#include "shardfft/shardfft.hpp"
#include "support/chosen.hpp"

namespace shardfft::files {
namespace {

/// Bytes in C order, which stand for a file; every rank has an object on the same bytes.
struct Bytes final : ArrayOutside {
  Bytes(std::span<std::byte> memory, Shape extents, Dtype dtype) : bytes(memory), shape(extents), type(dtype) {}

  [[nodiscard]] std::string name() const override { return "bytes of the test"; }
  [[nodiscard]] ArrayInfo info() const override { return {shape, type, {}}; }
  void read(const Box& box, std::byte* to) override {
    if (reads-- == 0) throw std::runtime_error("the tape is torn");
    for_each_position(box, {}, [&](const Coord& at) {
      std::memcpy(to, place(at), static_cast<std::size_t>(type.size));
      to += type.size;
    });
  }
  void write(const Box& box, const std::byte* from) override {
    for_each_position(box, {}, [&](const Coord& at) {
      std::memcpy(place(at), from, static_cast<std::size_t>(type.size));
      from += type.size;
    });
  }
  [[nodiscard]] std::byte* place(const Coord& at) const {
    Index n = 0;
    for (int a = 0; a < shape.dims(); ++a) n = n * shape[a] + at[a];
    return bytes.data() + n * type.size;
  }

  std::span<std::byte> bytes;
  Shape shape;
  Dtype type;
  int reads = -1;  ///< that go well; -1: all
};

struct Held {
  explicit Held(const ArrayInfo& known)
      : info(known), bytes(static_cast<std::size_t>(product(known.shape) * known.type.size)) {}
  [[nodiscard]] File file(const Comm& comm) { return {comm, std::make_shared<Bytes>(bytes, info.shape, info.type)}; }

  ArrayInfo info;
  std::vector<std::byte> bytes;
};

Held noise(const ArrayInfo& info, std::uint64_t seed) {
  Held held(info);
  Array memory(held.bytes.size());
  const Precision precision = info.type.size == (info.type.complex() ? 16 : 8) ? f64 : f32;
  fill_with_noise(Layout(slabs(0), info.shape, 1), 0, precision, info.type.complex(), memory, seed);
  std::memcpy(held.bytes.data(), memory.data(), held.bytes.size());
  return held;
}

using Random = std::mt19937;
Index between(Random& random, Index least, Index most) {
  return std::uniform_int_distribution<Index>(least, most)(random);
}

/// Has 1 to 5 axes and some 100,000 elements.
Problem random_problem(Random& random) {
  const int dims = static_cast<int>(between(random, 1, 5));
  const Index longest[] = {100000, 320, 47, 18, 10};
  Problem p{.shape = Coord::filled(dims, 1)};
  for (int a = 0; a < dims; ++a) {
    p.shape[a] = between(random, longest[dims - 1] * 2 / 3, longest[dims - 1]);
    if (dims > 1 && between(random, 0, 2) > 0) p.axes.push_back(a);
  }
  if (p.axes.size() == 5) p.axes.pop_back();
  std::ranges::shuffle(p.axes, random);
  if (p.axes.empty()) p.axes = {dims - 1};
  p.precision = between(random, 0, 1) == 0 ? f32 : f64;
  const Kind kinds[] = {c2c, r2c, c2r, r2r};
  p.kind = kinds[between(random, 0, 3)];
  if (p.kind == r2r) {
    constexpr AxisKind reals[] = {AxisKind::cosine2, AxisKind::sine1, AxisKind::hartley, AxisKind::cosine4};
    for (std::size_t i = 0; i < p.axes.size(); ++i) p.kinds.push_back(reals[between(random, 0, 3)]);
  }
  return p;
}

ArrayInfo source_of(const Problem& problem, Direction direction) {
  return Passes::result_of(problem, direction == Direction::forward ? Direction::backward : Direction::forward);
}

/// Calls `run` with about the least memory that is enough.
template <class Run>
PassesReport in_little_memory(OutOfCore how, Run&& run) {
  for (how.memory_bytes = 1 << 18;; how.memory_bytes *= 2) try {
      return run(how);
    } catch (const Error& e) {
      if (e.status() != Status::out_of_memory || how.memory_bytes > Index{1} << 30) throw;
    }
}

/// What a plan of the whole array gives.
std::vector<std::byte> in_memory(const Held& in, const Held& out, const Problem& problem, Direction direction) {
  Plan plan(local(), problem);
  const bool forward = direction == Direction::forward;
  Array from = forward ? plan.make_input() : plan.make_output(), to = forward ? plan.make_output() : plan.make_input();
  std::memcpy(from.data(), in.bytes.data(), in.bytes.size());
  forward ? plan.forward(from, to) : plan.backward(from, to);
  return {to.data(), to.data() + out.bytes.size()};
}

TEST(Passes, HaveTheBitsOfAPlanInMemoryWhateverTheProblemAndTheRanks) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  Random random(seed);
  std::size_t most = 0;
  for (int round = 0; round < testing::chosen_problems(12); ++round) {
    const Problem problem = random_problem(random);
    const Direction direction = between(random, 0, 1) == 0 ? Direction::forward : Direction::backward;
    const int ranks = static_cast<int>(between(random, 1, 5));
    SCOPED_TRACE(fmt::format("{} {} on {} ranks", to_string(problem),
                             direction == Direction::forward ? "forward" : "backward", ranks));
    Held in = noise(source_of(problem, direction), seed);
    Held out(Passes::result_of(problem, direction));
    PassesReport report;
    on_ranks(ranks, [&](const Comm& comm) {
      const PassesReport mine = in_little_memory({.verify = round % 3 == 0}, [&](const OutOfCore& how) {
        return transform(comm, in.file(comm), out.file(comm), problem, direction, {.threads = 1}, how);
      });
      if (comm.rank() == 0) report = mine;
    });
    EXPECT_EQ(out.bytes, in_memory(in, out, problem, direction));
    EXPECT_TRUE(report.right);
    if (round % 3 == 0) { EXPECT_GT(report.verdict.bound, 0); }
    most = std::max(most, report.passes.size());
  }
  EXPECT_GE(most, testing::sanitized ? 1U : 2U);
}

TEST(Passes, TakeElementsOfOtherTypesAndOrders) {
  const Problem problem{.shape = {30, 40, 50}};
  std::vector<std::int16_t> numbers(30 * 40 * 50);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int16_t>(i * 7919 % 30011);
  Held in({problem.shape, {'i', 2, false}, {}}), wide(Passes::result_of(problem, Direction::backward)), out(wide.info);
  std::memcpy(in.bytes.data(), numbers.data(), in.bytes.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::complex<double> z(numbers[i], 0);
    std::memcpy(wide.bytes.data() + i * sizeof z, &z, sizeof z);
  }
  (void)in_little_memory({}, [&](const OutOfCore& how) {
    return transform(local(), in.file(local()), out.file(local()), problem, Direction::forward, {}, how);
  });
  EXPECT_EQ(out.bytes, in_memory(wide, out, problem, Direction::forward));
}

/// Depends on place and value of every mode.
Operator mixing(const Plan&) {
  return [](const Modes& m) {
    const auto mix = [&](auto values) {
      for (Index i = 0; i < m.count; ++i) {
        double sum = 1;
        for (int a = 0; a < m.first.dims(); ++a) sum += (a + 2) * std::abs(m.frequency(a, i));
        auto& value = values[static_cast<std::size_t>(i)];
        value *= static_cast<typename decltype(values)::value_type>(1 / sum);
      }
    };
    if (m.complex)
      m.precision == f32 ? mix(m.values<float>()) : mix(m.values<double>());
    else
      m.precision == f32 ? mix(m.reals<float>()) : mix(m.reals<double>());
  };
}

std::vector<std::byte> applied_in_memory(const Held& in, const Problem& problem, const OperatorFor& operator_for) {
  Plan plan(local(), problem, {.apply = Apply::to_outputs});
  Array from = plan.make_input(), to = plan.make_applied();
  std::memcpy(from.data(), in.bytes.data(), in.bytes.size());
  plan.apply(from, to, operator_for(plan));
  return {to.data(), to.data() + in.bytes.size()};
}

TEST(AppliedPasses, HaveTheBitsOfApplyInMemory) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int round = 0; round < testing::chosen_problems(12); ++round) {
    Problem problem = random_problem(random);
    if (problem.kind == c2r) problem.kind = r2c;
    const int ranks = static_cast<int>(between(random, 1, 3));
    SCOPED_TRACE(fmt::format("{} on {} ranks", to_string(problem), ranks));
    Held in = noise(source_of(problem, Direction::forward), seed), out(in.info);
    on_ranks(ranks, [&](const Comm& comm) {
      const auto report = in_little_memory({}, [&](const OutOfCore& how) {
        return apply(comm, in.file(comm), out.file(comm), problem, mixing, {.threads = 1}, how);
      });
      EXPECT_TRUE(std::ranges::any_of(report.passes, [](const PassReport& pass) { return pass.does == "apply"; }));
    });
    EXPECT_EQ(out.bytes, applied_in_memory(in, problem, mixing));
  }
}

TEST(AppliedPasses, TakeReadyOperatorsAndFactorsOfTheWholeArray) {
  const Problem problem{.shape = {64, 60, 52}, .kind = r2c};
  const std::vector<double> lengths{1, 2, 3};
  Held in = noise(source_of(problem, Direction::forward), 5), out(in.info);
  std::vector<std::complex<double>> factors;
  const OperatorFor makers[] = {[&](const Plan& plan) { return spectral::gaussian(plan, lengths, 0.1); },
                                [&](const Plan& plan) { return spectral::inverse_laplace(plan, lengths); },
                                [&](const Plan& plan) {
                                  factors.resize(plan.middle_bytes() / sizeof(std::complex<double>));
                                  for_each_element(plan.middle(), 0, [&](const Coord& at, std::size_t i) {
                                    factors[i] = static_cast<double>(1 + (at[0] * 3 + at[1] * 5 + at[2] * 7) % 11);
                                  });
                                  return spectral::multiply(plan, View(factors));
                                }};
  for (const OperatorFor& maker : makers) {
    const auto report =
        apply(local(), in.file(local()), out.file(local()), problem, maker, {.threads = 1}, {.memory_bytes = 3 << 19});
    EXPECT_GE(report.passes.size(), 3U);
    EXPECT_EQ(out.bytes, applied_in_memory(in, problem, maker));
  }
  const OperatorFor gradient = [&](const Plan& plan) { return spectral::gradient(plan, lengths); };
  EXPECT_THROW((void)apply(local(), in.file(local()), out.file(local()), problem, gradient, {}, {}), Error);
}

TEST(ReducedPasses, HaveThePowerSpectrumOfAPlanInMemory) {
  for (const Kind kind : {c2c, r2c, r2r}) {
    Problem problem{.shape = {64, 60, 52}, .kind = kind};
    if (kind == r2r) problem.kinds = std::vector(3, AxisKind::cosine2);
    const std::vector<double> lengths{1, 2, 3};
    Held in = noise(source_of(problem, Direction::forward), 7);
    Plan plan(local(), problem);
    Array from = plan.make_input(), to = plan.make_output();
    std::memcpy(from.data(), in.bytes.data(), in.bytes.size());
    plan.forward(from, to);
    const std::vector<double> want = spectral::power_spectrum(plan, to, lengths);
    for (const int ranks : {1, 3})
      on_ranks(ranks, [&](const Comm& comm) {
        EXPECT_EQ(power_spectrum(comm, in.file(comm), problem, lengths, 0, {.threads = 1}, {.memory_bytes = 1 << 20}),
                  want);
      });
  }
}

TEST(Passes, EndOnEveryRankWithOneErrorWhereTheArrayOfOneCannotBeRead) {
  const Problem problem{.shape = {40, 40, 40}};
  Held in = noise(source_of(problem, Direction::forward), 3), out(in.info);
  std::vector<std::string> errors(3);
  on_ranks(3, [&](const Comm& comm) {
    const auto array = std::make_shared<Bytes>(in.bytes, in.info.shape, in.info.type);
    if (comm.rank() == 1) array->reads = 1;
    try {
      (void)transform(comm, File(comm, array), out.file(comm), problem, Direction::forward, {.threads = 1},
                      {.memory_bytes = 1 << 20});
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::io_failed);
      errors[static_cast<std::size_t>(comm.rank())] = e.what();
    }
  });
  EXPECT_NE(errors[0].find("bytes of the test cannot be read or written: the tape is torn"), std::string::npos)
      << errors[0];
  EXPECT_EQ(errors, std::vector(3, errors[0]));
}

TEST(Passes, RefuseArraysThatAreNotThoseOfTheProblem) {
  const Problem problem{.shape = {8, 8}, .kind = r2c};
  Held reals({{8, 8}, {'f', 8, false}, {}}), halves({{8, 5}, {'c', 16, false}, {}}),
      other({{8, 9}, {'f', 8, false}, {}});
  const auto file = [](Held& held) { return held.file(local()); };
  EXPECT_THROW((void)transform(local(), file(other), file(halves), problem), Error);
  EXPECT_THROW((void)transform(local(), file(halves), file(halves), problem), Error);
  EXPECT_THROW((void)transform(local(), file(reals), file(other), problem), Error);
  EXPECT_THROW((void)transform(local(), file(reals), file(halves), problem, Direction::forward, {}, {.resume = true}),
               Error);
  EXPECT_NO_THROW((void)transform(local(), file(reals), file(halves), problem));
}

TEST(Passes, AreRefusedOnEveryRankWhereRanksAskForDifferentOnes) {
  const Problem problem{.shape = {8, 8}};
  Held in = noise(source_of(problem, Direction::forward), 1), out(in.info);
  on_ranks(3, [&](const Comm& comm) {
    const OutOfCore how{.memory_bytes = comm.rank() == 1 ? 0 : 1 << 20};
    try {
      (void)transform(comm, in.file(comm), out.file(comm), problem, Direction::forward, {}, how);
      ADD_FAILURE();
    } catch (const Error& e) { EXPECT_EQ(e.status(), Status::mismatch) << e.what(); }
  });
}

}  // namespace
}  // namespace shardfft::files
