// Whether an operator on spectra of reals leaves spectra of reals.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "shardfft/comm.hpp"
#include "shardfft/operators/modes.hpp"

namespace shardfft {

/// Whether plans look at each operator: it costs as much as many of them. Builds with assertions do.
#ifdef NDEBUG
inline constexpr bool checks_operators = false;
#else
inline constexpr bool checks_operators = true;
#endif

/// Looks at what an operator leaves on the planes 0 and n/2 of the real axis, where a half spectrum holds both k and
/// -k: sums values times phases that are conjugates at k and -k. Of a spectrum of reals the sum is real.
class HermitianCheck {
 public:
  /// `modes`: of each axis of the array, all of them along the real one, too; `axes` are the fourier ones, the last one
  /// is the real one.
  HermitianCheck(const Shape& modes, std::vector<int> axes) : modes_(modes), axes_(std::move(axes)) {}

  /// `f`, and a look at what it left; counted from now on.
  [[nodiscard]] Operator around(const Operator& f);
  /// Collective. Throws Error(invalid_argument) on every rank.
  void require(const Comm& comm) const;

 private:
  struct Sums {
    double imaginary = 0, all = 0;
  };
  void look(const Modes& m);
  template <class T>
  [[nodiscard]] Sums sums_of(const Modes& m) const;
  [[nodiscard]] Coord opposite(Coord k) const;

  Shape modes_;
  std::vector<int> axes_;
  std::mutex mutex_{};
  Sums sums_{};
  Precision precision_ = f64;
};

}  // namespace shardfft
