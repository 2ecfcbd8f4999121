// Sums over shells of wave numbers.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "plan/operators/wave_numbers.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"
#include "shardfft/exact_sum.hpp"
#include "support/comm/agree.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

constexpr Index together = 1 << 13;  // elements that are read at once, into the first cache

class Shells {
 public:
  Shells(const Plan& plan, std::span<const double> lengths, double width)
      : plan_(plan),
        waves_(plan.problem(), lengths),
        layout_(plan.problem().kind == c2r ? plan.input() : plan.output()),
        numbers_(waves_.complex() ? 2 : 1) {
    double least = 0, most = 0;
    for (const int a : waves_.axes()) {
      const double lowest = std::abs(step(waves_.k(a))), highest = highest_of(waves_.k(a));
      if (lowest > 0 && (least == 0 || lowest < least)) least = lowest;
      most += highest * highest;
    }
    width_ = width != 0 ? width : least > 0 ? least : 1;
    if (!(width_ > 0 && std::isfinite(width_)))
      refuse_argument(
          fmt::format("the width of a shell is positive and finite, or 0 for the usual one; got {}", width));
    constexpr double limit = 1 << 20;
    const double shells = std::floor(std::sqrt(most) / width_ + 0.5) + 1;
    if (shells > limit)
      refuse_argument(fmt::format("a power spectrum has at most {} shells; got {} of width {}; make them wider", limit,
                                  shells, width_));
    sums_ = std::vector<ExactSum>(static_cast<std::size_t>(shells));
  }

  void require(const View& spectrum) const {
    const std::size_t scalar = waves_.precision() == f32 ? 4 : 8, element = scalar * static_cast<std::size_t>(numbers_);
    Index elements = 0;
    for (const Box& box : layout_.boxes(plan_.comm().rank())) elements += box.count();
    const std::size_t bytes = static_cast<std::size_t>(elements) * element,
                      of_plan = plan_.problem().kind == c2r ? plan_.input_bytes() : plan_.output_bytes();
    if (bytes != of_plan)
      refuse_argument(
          "power_spectrum() reads arrays without gaps; got a plan that was told where its spectrum lies; copy it");
    if (spectrum.scalar != 0 && (spectrum.scalar != scalar || spectrum.complex != waves_.complex()))
      refuse_argument(fmt::format("power_spectrum() takes {} f{} numbers here; got {} f{}; convert them",
                                  waves_.complex() ? "complex" : "real", 8 * scalar,
                                  spectrum.complex ? "complex" : "real", 8 * spectrum.scalar));
    if (bytes > 0 && (!spectrum.data || spectrum.bytes < bytes))
      refuse_argument(
          fmt::format("power_spectrum() takes an array of {} bytes on this rank; got {}; make it with make_output()",
                      bytes, spectrum.data ? fmt::format("{}", spectrum.bytes) : "a null pointer"));
  }

  template <class T>
  void add(const View& spectrum) {
    const auto* from = static_cast<const T*>(spectrum.data);
    std::vector<T> read(static_cast<std::size_t>(together * numbers_));
    const auto numbers = static_cast<std::size_t>(numbers_);
    const std::size_t all = spectrum.bytes / sizeof(T);
    for_each_element(layout_, plan_.comm().rank(), [&](const Coord& at, std::size_t i) {
      const std::size_t place = i % together * numbers;
      if (place == 0)
        plan_.copy(View(from + i * numbers, std::min(read.size(), all - i * numbers) * sizeof(T)),
                   View(read.data(), read.size() * sizeof(T)));
      double square = 0;
      for (std::size_t n = place; n < place + numbers; ++n)
        square += static_cast<double>(read[n]) * static_cast<double>(read[n]);
      sums_[shell_of(at)].add(stands_for_two(at) ? 2 * square : square);
    });
  }

  /// Collective.
  [[nodiscard]] std::vector<double> of_all_ranks() const { return values_of(plan_.comm(), sums_); }

 private:
  static double highest_of(const AxisTable& k) {
    double most = 0;
    for (const double number : k) most = std::max(most, std::abs(number));
    return most;
  }
  // From one wave number to the next; of a single one, itself.
  static double step(const AxisTable& k) { return k.size() > 1 ? k[1] - k[0] : k[0]; }

  [[nodiscard]] std::size_t shell_of(const Coord& at) const {
    double squares = 0;
    for (const int a : waves_.axes()) {
      const double k = waves_.k(a)[static_cast<std::size_t>(at[a])];
      squares += k * k;
    }
    return std::min(static_cast<std::size_t>(std::sqrt(squares) / width_ + 0.5), sums_.size() - 1);
  }

  [[nodiscard]] bool stands_for_two(const Coord& at) const {
    const int half = waves_.half_axis();
    return half >= 0 && at[half] > 0 && !waves_.is_middle(half, at[half]);
  }

  const Plan& plan_;
  WaveNumbers waves_;
  const Layout& layout_;
  Index numbers_;
  double width_ = 0;
  std::vector<ExactSum> sums_{};
};

}  // namespace

namespace spectral {

std::vector<double> power_spectrum(const Plan& plan, View spectrum, std::span<const double> lengths, double width) {
  std::optional<Shells> shells;
  collectively(plan.comm(), [&] {
    shells.emplace(plan, lengths, width);
    shells->require(spectrum);
    plan.problem().precision == f32 ? shells->add<float>(spectrum) : shells->add<double>(spectrum);
  });
  return shells->of_all_ranks();
}

}  // namespace spectral

}  // namespace shardfft
