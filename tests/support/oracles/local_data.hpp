// A rank's part of a small array, filled from and compared with the whole.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "support/problems/random_problem.hpp"

namespace shardfft::testing {

/// Plain memory with guard values in every gap and behind the end; `T` is float or double.
template <class T>
class LocalData {
 public:
  LocalData(LocalMemory memory, bool complex) : memory_(std::move(memory)), per_(complex ? 2 : 1) {
    data_.assign(static_cast<std::size_t>(memory_.elements * per_ + guards), guard());
  }

  void fill(const Whole& all) {
    each([&](T* element, const Coord& at) {
      element[0] = static_cast<T>(all.at(at).real());
      if (per_ == 2) element[1] = static_cast<T>(all.at(at).imag());
    });
  }

  /// The other way: this rank's elements into the whole.
  void read(Whole& all) {
    each([&](const T* element, const Coord& at) { all.at(at) = {element[0], per_ == 2 ? element[1] : T{0}}; });
  }

  /// Sums of |this - all * scale|^2 and |all * scale|^2 over this rank's elements.
  [[nodiscard]] std::pair<double, double> compare(const Whole& all, long double scale) {
    long double difference = 0, norm = 0;
    each([&](T* element, const Coord& at) {
      const Reference expected = all.at(at) * scale;
      const Reference got{element[0], per_ == 2 ? element[1] : T{0}};
      const Reference wanted = per_ == 2 ? expected : Reference{expected.real(), 0};
      difference += std::norm(got - wanted);
      norm += std::norm(wanted);
    });
    return {static_cast<double>(difference), static_cast<double>(norm)};
  }

  /// True when no gap and nothing behind the end was written.
  [[nodiscard]] bool gaps_untouched() {
    std::vector<bool> owned(data_.size());
    each([&](T* element, const Coord&) {
      for (Index i = 0; i < per_; ++i) owned[static_cast<std::size_t>(element - data_.data() + i)] = true;
    });
    for (std::size_t i = 0; i < data_.size(); ++i)
      if (!owned[i] && std::memcmp(&data_[i], &reference_guard_, sizeof(T)) != 0) return false;
    return true;
  }

  [[nodiscard]] View view() const {
    return {data_.data(), static_cast<std::size_t>(memory_.elements * per_) * sizeof(T)};
  }
  [[nodiscard]] const std::vector<T>& raw() const { return data_; }

 private:
  static constexpr Index guards = 4;
  static T guard() { return static_cast<T>(-1234.5); }

  template <class Visit>
  void each(Visit visit) {
    for (std::size_t b = 0; b < memory_.boxes.size(); ++b)
      for_each(memory_.boxes[b], [&](const Coord& at) { visit(data_.data() + memory_.position(b, at) * per_, at); });
  }

  LocalMemory memory_;
  Index per_;
  std::vector<T> data_;
  T reference_guard_ = guard();
};

}  // namespace shardfft::testing
