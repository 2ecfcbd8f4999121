// What apply() loses with a tolerance, beside the exact one: relative to the largest factor and the norm of the input.
#include <gtest/gtest.h>

#include <cmath>

#include "plan/apply/mixing.hpp"
#include "support/chosen.hpp"
#include "support/comm/agree.hpp"

namespace shardfft::testing {
namespace {

constexpr double largest = 3;

// Of modulus 3 at most, in places only; conjugates at k and -k.
template <class T>
Operator factors(bool of_waves) {
  return {[of_waves](const Modes& m) {
    for (Index i = 0; i < m.count; ++i) {
      double squares = 0;
      for (int a = 0; a < m.first.dims(); ++a) squares += (a + 1) * std::pow(m.frequency(a, i), 2);
      const auto factor = static_cast<T>(of_waves ? largest * std::cos(squares) : largest / (1 + 100 * squares));
      const auto at = static_cast<std::size_t>(i);
      for (int c = 0; c < m.components_in; ++c)
        if (m.complex)
          m.values<T>(c)[at] *= factor;
        else
          m.reals<T>(c)[at] *= factor;
    }
  }};
}

// Of this rank, where elements of half spectra that stand for two count twice.
template <class T>
double squares(const Plan& plan, LocalData<T>& data, const Layout& layout, bool complex, LocalData<T>* other) {
  const Problem& p = plan.problem();
  const int real = real_axis(p);
  const bool half = real >= 0 && layout.global() == extents(p, true) && complex;
  const Index modes =
      extents({.shape = p.shape, .kind = c2c, .axes = p.axes, .modes = p.modes}, true)[std::max(real, 0)];
  Whole mine{.shape = layout.global()}, theirs = mine;
  mine.values.resize(static_cast<std::size_t>(product(mine.shape)));
  theirs.values.resize(mine.values.size());
  data.read(mine);
  if (other) other->read(theirs);
  double sum = 0;
  for (const Box& box : layout.boxes(plan.comm().rank()))
    if (!box.empty())
      for_each(box, [&](const Coord& at) {
        const bool twice = half && at[real] > 0 && 2 * at[real] != modes;
        sum += (twice ? 2 : 1) * static_cast<double>(std::norm(mine.at(at) - theirs.at(at)));
      });
  return sum;
}

struct Counts {
  int lossy = 0;
  double closest = 0;
};

template <class T>
void check(const Comm& comm, const Problem& problem, Options options, double tolerance, Counts& counts) {
  const bool to_outputs = options.apply == Apply::to_outputs;
  const bool complex = to_outputs ? complex_in(problem) : complex_out(problem);
  (to_outputs ? options.input : options.output) = slabs(0);
  Options nothing_lost = options;
  nothing_lost.expert.codec = nothing_lost.guarantee = "";
  Plan exact(comm, problem, nothing_lost);
  options.tolerance = tolerance;
  options.expert.encode_near = true;
  Plan plan(comm, problem, options);
  const Layout& own = to_outputs ? plan.input() : plan.output();
  const LocalMemory memory = packed_memory(own, comm.rank()),
                    exact_memory = packed_memory(to_outputs ? exact.input() : exact.output(), comm.rank());
  const Whole x = random_array(own.global(), complex, 11);
  for (const bool of_waves : {false, true}) {
    LocalData<T> in(memory, complex), out(memory, complex), exact_in(exact_memory, complex),
        exact_out(exact_memory, complex);
    in.fill(x), exact_in.fill(x);
    const Operator f = factors<T>(of_waves);
    to_outputs ? plan.apply(in.view(), out.view(), f) : plan.apply_physical(in.view(), out.view(), f);
    const double bound = plan.error_bound();
    const Loss loss = plan.loss();
    to_outputs ? exact.apply(exact_in.view(), exact_out.view(), f)
               : exact.apply_physical(exact_in.view(), exact_out.view(), f);
    ASSERT_TRUE((to_outputs ? exact.input() : exact.output()).same_owners(own));
    const double error = std::sqrt(all_sum(comm, squares<T>(plan, out, own, complex, &exact_out))),
                 norm = std::sqrt(all_sum(comm, squares<T>(plan, in, own, complex, nullptr)));
    EXPECT_LE(error, bound * largest * norm);
    EXPECT_LE(bound, tolerance * (1 + 1e-9));
    if (comm.rank() != 0 || loss.bytes_before == 0) continue;
    counts.lossy += error > 1e-4 * tolerance * largest * norm;
    counts.closest = std::max(counts.closest, error / (tolerance * largest * norm));
  }
}

TEST(ApplyWithTolerance, KeepsItRelativeToTheLargestFactorAndTheInput) {
  const std::vector<const char*> codecs{"block_float", "f32", "f16", "mantissa:12", "block_float_bytes", "lossless"};
  Counts counts;
  const int problems = chosen_problems(60);
  for (int i = 0; i < problems; ++i) {
    const std::uint64_t seed = chosen_seed(0) + static_cast<std::uint64_t>(i);
    Case c = i % 3 == 1 ? random_case_of_kinds(seed, 4000, 6) : random_case(seed, 4000, 6);
    std::mt19937_64 random(seed);
    if (i % 4 == 2) take_fewer(c, random);
    const bool fourier = c.problem.kinds.empty();
    c.problem.forward = fourier ? Scaling::none : Scaling::orthonormal;
    c.problem.backward = fourier ? Scaling::by_n : Scaling::orthonormal;
    c.ranks = std::max(c.ranks, 2);
    Options options{.threads = 1,
                    .apply = i % 2 == 0 ? Apply::to_outputs : Apply::to_inputs,
                    .expert = {.codec = codecs[static_cast<std::size_t>(i) % codecs.size()]}};
    if (c.problem.precision == f64 && i % 5 == 0) options.guarantee = "worst";
    if (i % 5 == 1) options.guarantee = "statistical";
    const double tolerance = std::pow(10, -(c.problem.precision == f32 ? 2 + i % 3 : 2 + i % 9));
    if (options.expert.codec == std::string("f32") && c.problem.precision == f32) options.expert.codec = "f16";
    SCOPED_TRACE(to_string(c.problem) + " on " + std::to_string(c.ranks) + " ranks, codec " + options.expert.codec +
                 ", tolerance " + std::to_string(tolerance) + ", seed " + std::to_string(seed));
    on_ranks(c.ranks, [&](Comm comm) {
      c.problem.precision == f32 ? check<float>(comm, c.problem, options, tolerance, counts)
                                 : check<double>(comm, c.problem, options, tolerance, counts);
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(counts.lossy, problems / 4);
  EXPECT_GT(counts.closest, 0.01);
}

// Components may change their number, and an operator is there between two encoded exchanges.
TEST(ApplyWithTolerance, GoesWithAnyNumberOfComponentsAndFewerModes) {
  for (const auto& [in, out] : {std::pair{3, 1}, {1, 3}, {6, 3}})
    for (const Kind kind : {c2c, r2c})
      on_ranks(4, [&](Comm comm) {
        const Problem problem{.shape = {in, 12, 16, 20}, .kind = kind, .axes = {1, 2, 3}, .modes = {0, 9, 11, 13}};
        Options options{.apply = Apply::to_outputs, .components_in = in, .components_out = out};
        const auto applied = [&] {
          Plan plan(comm, problem, options);
          Array x = plan.make_input(), y = plan.make_applied();
          double turn = comm.rank();
          for (double& value : x.as<double>()) value = std::sin(turn += 1.7);
          plan.apply(x, y, [](const Modes& m) {
            for (int c = m.components_in; c < m.components_out; ++c)
              std::copy_n(m.values<double>(0).data(), m.count, m.values<double>(c).data());
          });
          const auto all = y.as<double>();
          return std::pair(std::vector<double>(all.begin(), all.end()), plan.loss().bytes_before);
        };
        const auto exact = applied().first;
        options.tolerance = 1e-4;
        options.expert.codec = "block_float";
        options.expert.encode_near = true;
        const auto [lossy, bytes] = applied();
        double difference = 0, norm = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
          difference += std::pow(lossy[i] - exact[i], 2);
          norm += 1;
        }
        EXPECT_GT(bytes, 0);
        EXPECT_LT(all_sum(comm, difference), 1e-8 * std::max(in, out) * all_sum(comm, norm));
        EXPECT_GT(all_sum(comm, difference), 0);
      });
}

}  // namespace
}  // namespace shardfft::testing
