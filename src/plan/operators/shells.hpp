// Sums over shells of wave numbers, mode by mode.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/operators/wave_numbers.hpp"
#include "shardfft/exact_sum.hpp"
#include "shardfft/operators/modes.hpp"

namespace shardfft {

/// Which modes are in which shell: in s those with edge(s) <= |k| < edge(s + 1). Sides of a box that are equal make
/// squares of k that are whole numbers of a unit: then no rounding moves a mode to another shell.
class Shells {
 public:
  /// `width`: in radians per unit of length; 0: the usual one, 2 pi over the longest or over the shortest side.
  /// `centred`: shell s has |k| around s times the width, shell 0 half as much. Throws Error(invalid_argument).
  Shells(WaveNumbers waves, double width, bool centred, bool usual_is_longest);

  [[nodiscard]] const WaveNumbers& waves() const { return waves_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// 2 pi over the side that measures k; the width and the edges of shells in this unit.
  [[nodiscard]] double unit() const { return unit_; }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double edge(std::size_t shell) const {
    return shell == 0 ? 0 : (static_cast<double>(shell) - offset_) * width_;
  }
  /// Squares of the wave numbers of an axis, in this unit.
  [[nodiscard]] const AxisTable& squares(int axis) const { return squares_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::size_t shell_of(double square) const {
    auto s = static_cast<std::size_t>(std::sqrt(square) / width_ + offset_);
    while (s > 0 && square < edge(s) * edge(s)) --s;
    while (square >= edge(s + 1) * edge(s + 1)) ++s;
    return s;
  }
  /// Modes of half spectra that stand for another one, too.
  [[nodiscard]] bool stands_for_two(Index at_half_axis) const {
    return at_half_axis > 0 && !waves_.is_middle(waves_.half_axis(), at_half_axis);
  }

 private:
  WaveNumbers waves_;
  std::vector<AxisTable> squares_{};
  double unit_, width_, offset_;
  std::size_t count_ = 0;
};

/// What is summed over the modes of each shell, exactly: the same bits in whatever order modes come. Its place is the
/// number of the sum.
enum class ShellSum : std::uint8_t { power, wave_number, power_b, cross_re, cross_im };

/// One thread's sums over the modes that it is given.
class ShellSums {
 public:
  /// The first `sums` of ShellSum: 1, 2, or all 5 of two spectra.
  ShellSums(const Shells& shells, int sums);

  /// Component 0 of the modes, and component 1 as the second spectrum.
  void add(const Modes& modes);
  /// One spectrum's modes in a box, in C order, and perhaps those of a second one.
  void add(const Box& box, const std::byte* elements, const std::byte* second = nullptr);
  void add(const ShellSums& other);
  /// Collective: each sum of all shells, one after the other, then how many modes they have.
  [[nodiscard]] std::vector<double> over_ranks(const Comm& comm);

 private:
  template <class T>
  void add_row(const Modes& modes);
  [[nodiscard]] ExactSum& sum(ShellSum what, std::size_t shell) {
    return sums_[static_cast<std::size_t>(what) * shells_->count() + shell];
  }

  const Shells* shells_;
  int kinds_;
  std::vector<ExactSum> sums_;
  std::vector<Index> modes_;
};

/// Collective. The sums over one spectrum or two, stored as forward of `plan` left them. Throws
/// Error(invalid_argument) on every rank for arrays that are none. `call` names it in messages.
[[nodiscard]] std::vector<double> sum_shells(const Plan& plan, std::span<const View> spectra, const Shells& shells,
                                             int sums, const char* call);

}  // namespace shardfft
