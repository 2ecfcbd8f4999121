// A library whose arrays are on a device: what the common part asks of it, and when.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <thread>

#include <gtest/gtest.h>

#include "peers/common/dense.hpp"
#include "peers/measure/checks.hpp"
#include "peers/measure/measure.hpp"

namespace shardfft::peers {
namespace {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;
using Names = std::vector<std::string>;

constexpr std::chrono::milliseconds copying{200};

/// A transform of one axis by its definition. Its arrays are out of the benchmark's sight; what it shows are mirrors,
/// which hold NaN until they are copied to.
class OnDevice final : public Transform {
 public:
  explicit OnDevice(Index n)
      : shape_{n}, in_(static_cast<std::size_t>(n)), out_(in_), in_mirror_(in_), out_mirror_(in_) {
    forget();
  }

  std::vector<LocalPart> input() override { return {shown(in_mirror_)}; }
  std::vector<LocalPart> spectrum() override { return {shown(out_mirror_)}; }
  void to_device() override {
    called.emplace_back("to_device");
    std::this_thread::sleep_for(copying);
    in_ = in_mirror_;
    forget();
  }
  void to_host() override {
    called.emplace_back("to_host");
    in_mirror_ = in_, out_mirror_ = out_;
  }
  void forward() override {
    called.emplace_back("forward");
    out_ = sums(in_, -1);
    forget();
  }
  void backward() override {
    called.emplace_back("backward");
    in_ = sums(out_, 1);
    forget();
  }
  double gain() const override { return static_cast<double>(shape_[0]); }
  Description describe() const override { return {}; }

  Names called{};

 private:
  LocalPart shown(Numbers& mirror) const {
    return dense(whole(shape_), reinterpret_cast<std::byte*>(mirror.data()), sizeof(Number));
  }
  void forget() {
    for (Numbers* mirror : {&in_mirror_, &out_mirror_})
      mirror->assign(mirror->size(), {std::numeric_limits<double>::quiet_NaN(), 0});
  }
  static Numbers sums(const Numbers& x, int sign) {
    Numbers y(x.size());
    const auto n = static_cast<double>(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t j = 0; j < x.size(); ++j)
        y[k] += x[j] * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % x.size()) / n);
    return y;
  }

  Shape shape_;
  Numbers in_, out_, in_mirror_, out_mirror_;
};

Arguments three_runs(Index n) {
  Arguments arguments;
  arguments.task.shape = {n};
  arguments.iterations = 2, arguments.warmup = 1;
  return arguments;
}

TEST(ArraysOnADevice, AreCopiedToAndFroSoThatTheAnswerIsChecked) {
  const Arguments arguments = three_runs(11);
  OnDevice transform(11);
  const Findings findings = check(local(), arguments.task, transform);
  EXPECT_EQ(transform.called, (Names{"to_device", "forward", "to_host", "backward", "to_host"}));
  EXPECT_TRUE(findings.right()) << findings.error_rel_l2 << ", " << findings.error_backward_rel_l2;
  EXPECT_GT(findings.error_backward_rel_l2, 0);
}

TEST(ArraysOnADevice, GetFreshDataBeforeEveryRunOutsideOfWhatIsTimed) {
  const Arguments arguments = three_runs(7);
  OnDevice transform(7);
  const Times times = measure(local(), arguments, transform);
  Names expected;
  for (int run = 0; run < 3; ++run) expected.insert(expected.end(), {"to_device", "forward", "backward"});
  EXPECT_EQ(transform.called, expected);
  const double copying_s = std::chrono::duration<double>(copying).count();
  EXPECT_LT(*std::ranges::min_element(times.forward_s), copying_s);
  EXPECT_LT(*std::ranges::min_element(times.backward_s), copying_s);
}

}  // namespace
}  // namespace shardfft::peers
