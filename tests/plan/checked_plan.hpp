// Plans of random problems against the definition of the transform, on the host and on devices.
#pragma once

#include <gtest/gtest.h>

#include <array>

#include "device/device.hpp"
#include "shardfft/shardfft.hpp"
#include "support/comm/agree.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/random_problem.hpp"

namespace shardfft::testing {

inline long double factor(const Problem& p, Scaling scaling) {
  long double n = 1;
  for (std::size_t i = 0; i < p.axes.size(); ++i)
    n *= static_cast<long double>(logical_length(p.kinds.empty() ? AxisKind::fourier : p.kinds[i], p.shape[p.axes[i]]));
  return scaling == Scaling::none ? 1 : scaling == Scaling::by_n ? 1 / n : 1 / std::sqrt(n);
}

inline bool is_pruned(const Problem& p) { return p.modes.dims() > 0 || p.support.dims() > 0; }

/// Memory in which a plan finds an array of the test: its own, or a device's, with gaps and guards.
template <class T>
class Mirror {
 public:
  Mirror(LocalData<T>& data, std::shared_ptr<Device> device)
      : data_(data), bytes_(data.raw().size() * sizeof(T)), device_(std::move(device)) {
    if (device_) memory_ = DeviceMemory(device_, bytes_, "a test's array"), queue_ = device_->make_queue(), push();
  }
  void push() {
    if (device_) queue_->copy(memory_.data(), data_.raw().data(), bytes_), queue_->synchronize();
  }
  void pull(const Plan& plan) {
    if (!device_) return;
    plan.synchronize();
    queue_->copy(const_cast<T*>(data_.raw().data()), memory_.data(), bytes_);
    queue_->synchronize();
  }
  [[nodiscard]] View view() const { return device_ ? View(memory_.data(), data_.view().bytes) : data_.view(); }

 private:
  LocalData<T>& data_;
  std::size_t bytes_;
  std::shared_ptr<Device> device_;
  DeviceMemory memory_{};
  std::unique_ptr<Queue> queue_{};
};

/// The factor of its runs; kernels that do all in one have none.
inline double factor_of_runs(const Case& c) {
  constexpr std::array all{1.0, -2.5, 0.003, 1.0};
  return c.options.expert.engine == "fused" ? 1 : all[c.seed % all.size()];
}

/// A rank of a random problem, checked by the definition of the transform.
struct Rank {
  const Case& c;
  const Comm& comm;
  std::mt19937_64 random;
  std::shared_ptr<Device> device{};  ///< holds the arrays; nullptr: the host does

  LocalMemory memory(const LayoutSpec& spec, const Shape& shape, bool padded, const Layout* chosen) {
    const Layout layout = chosen ? *chosen : Layout(spec, shape, c.ranks);
    return padded ? padded_memory(layout, comm.rank(), random) : packed_memory(layout, comm.rank());
  }

  // Relative L2 error over all ranks.
  double error(std::pair<double, double> mine) const {
    const double norm = all_sum(comm, mine.second), difference = all_sum(comm, mine.first);
    return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  }

  template <class T>
  void check() {
    Options options = c.options;
    LocalMemory in_memory, out_memory;
    if (c.padded_in) options.input_memory = (in_memory = memory(options.input, c.in, true, nullptr)).places;
    if (c.padded_out) options.output_memory = (out_memory = memory(options.output, c.out, true, nullptr)).places;
    Plan plan(comm, c.problem, options);
    if (!c.padded_in) in_memory = memory({}, c.in, false, &plan.input());
    if (!c.padded_out) out_memory = memory({}, c.out, false, &plan.output());
    const bool of_complex = complex_in(c.problem), to_complex = complex_out(c.problem);
    LocalData<T> in(in_memory, of_complex), out(out_memory, to_complex), back(in_memory, of_complex);
    // What is cut takes its part of the norm, and leaves the rest with the errors of all.
    const auto bound = [&](const Shape& result) {
      const auto cut = static_cast<double>(product(c.problem.shape)) / static_cast<double>(product(result));
      return (c.problem.precision == f32 ? 6e-7 : 1.2e-15) * 2 * (is_pruned(c.problem) ? std::sqrt(cut) : 1);
    };

    const Whole x = random_array(c.in, of_complex, c.seed);
    in.fill(x);
    const auto before = in.raw();
    Mirror<T> from(in, device), to(out, device), returned(back, device);
    const double by = factor_of_runs(c);
    plan.forward(from.view(), to.view(), by);
    from.pull(plan), to.pull(plan);
    EXPECT_TRUE(before == in.raw()) << "forward changed its input";
    EXPECT_LT(
        error(out.compare(transformed(c.problem, x, Direction::forward), by * factor(c.problem, c.problem.forward))),
        bound(c.out));
    EXPECT_TRUE(out.gaps_untouched());
    const Verdict verdict = plan.verify(from.view(), to.view(), Direction::forward, by);
    EXPECT_TRUE(verdict.ok()) << verdict.error_rel_l2 << " > " << verdict.bound;

    const Whole y = random_array(c.out, to_complex, c.seed + 7);
    out.fill(y);
    const auto spectrum = out.raw();
    to.push();
    plan.backward(to.view(), returned.view(), by);
    to.pull(plan), returned.pull(plan);
    EXPECT_TRUE(spectrum == out.raw()) << "backward changed its input";
    EXPECT_LT(
        error(back.compare(transformed(c.problem, y, Direction::backward), by * factor(c.problem, c.problem.backward))),
        bound(c.in));
    EXPECT_TRUE(back.gaps_untouched());
    EXPECT_TRUE(plan.verify(to.view(), returned.view(), Direction::backward, by).ok());
  }
};

/// All of it, on ranks that are threads.
inline void check_on_ranks(const Case& c) {
  on_ranks(c.ranks, [&](Comm comm) {
    Rank rank{c, comm, std::mt19937_64(c.seed * 1000 + static_cast<std::uint64_t>(comm.rank()))};
    c.problem.precision == f32 ? rank.check<float>() : rank.check<double>();
  });
}

/// Forward and backward in place, complex and in f64, against the definition. `problem` names its axes.
inline void expect_right_in_place(const Comm& comm, const Problem& problem, Options options) {
  options.in_place = true;
  Plan plan(comm, problem, options);
  LocalData<double> data(packed_memory(plan.input(), comm.rank()), true);
  const Whole x = random_array(problem.shape, true, 8);
  data.fill(x);
  const auto expect = [&](const Whole& expected) {
    const auto [difference, norm] = data.compare(expected, 1);
    EXPECT_LT(std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), 2e-15) << to_string(problem);
  };
  plan.forward(data.view(), data.view());
  expect(transformed(problem, x, Direction::forward));
  plan.backward(data.view(), data.view());
  expect(x);
}

/// What a plan on so many ranks says of itself.
inline std::string recipe_of(const Problem& problem, const Options& options, int ranks) {
  std::string text;
  on_ranks(ranks, [&](Comm comm) {
    const Plan plan(comm, problem, options);
    if (comm.rank() == 0) text = plan.describe();
  });
  return text;
}

}  // namespace shardfft::testing
