// Peaks of correlations, also between points.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "plan/operators/wave_numbers.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/operators/elementary.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft {

using Complex = std::complex<double>;

/// F conj(G), of modulus 1 if only phases count.
template <class T>
std::complex<T> cross_product(std::complex<T> f, std::complex<T> g, bool phase) {
  constexpr double least = 100 * std::numeric_limits<T>::epsilon();  // below, phases are those of rounding errors
  Complex product = Complex(f) * std::conj(Complex(g));
  if (phase) product /= std::max(std::abs(product), least);
  return std::complex<T>(product);
}

/// The largest modulus, and the first place in C order that has it.
struct Peak {
  double height = -1;
  Index place = 0;

  void note(double other, Index at) {
    if (other > height || (other == height && at < place)) height = other, place = at;
  }
  void note(const Peak& other) { note(other.height, other.place); }
  [[nodiscard]] Peak over_ranks(const Comm& comm) const {
    const double highest = all_max(comm, height);
    const Index none = std::numeric_limits<Index>::max();
    return {highest, -all_max(comm, -(height == highest ? place : none))};
  }
};

/// The shift that the peak of an array of `shape` means, in points from the middle on to both sides.
inline std::vector<Index> shift_at(const Peak& peak, const Shape& shape) {
  std::vector<Index> at(static_cast<std::size_t>(shape.dims()));
  Index rest = peak.place;
  for (int a = shape.dims(); a-- > 0; rest /= shape[a]) {
    const Index place = rest % shape[a];
    at[static_cast<std::size_t>(a)] = place > shape[a] / 2 ? place - shape[a] : place;
  }
  return at;
}

/// Fourier sums of a spectrum at a few points around a place: along each axis the same number of points.
class FinePoints {
 public:
  /// `order`: of the axes in memory, slowest first.
  FinePoints(const Problem& problem, std::vector<int> order)
      : order_(std::move(order)), waves_(problem, [&] {
          std::vector<double> lengths;
          for (const Index n : problem.shape) lengths.push_back(static_cast<double>(n));
          return lengths;
        }()) {
    for (const Index extent : problem.shape) count_ *= static_cast<double>(extent);
  }

  /// Begins sums at centre + (j - side) / upsample, 0 <= j <= 2 side along each axis; `centre` in multiples of
  /// 1 / upsample.
  void begin(const std::vector<Index>& centre, Index side, Index upsample) {
    side_ = side;
    turns_.clear();
    for (int a = 0; a < waves_.dims(); ++a)
      turns_.push_back(turns_of(a, centre[static_cast<std::size_t>(a)], upsample));
    sums_.assign(points_of(waves_.dims()), Complex());
  }

  /// Adds the modes of a box, in the order of the slowest index, whatever the number of threads.
  template <class T>
  void add(const Box& box, const std::complex<T>* from) {
    constexpr Index together = 64;
    const int dims = waves_.dims(), axis = order_[0];
    const Index extent = box.extent(axis), stride = box.count() / extent;
    std::vector<std::vector<Complex>> planes(static_cast<std::size_t>(std::min(extent, together)));
    for (Index first = 0; first < extent; first += together) {
      const Index count = std::min(together, extent - first);
      for_each_dealt(allowed_threads(), count, 1, [&](Index i) {
        auto& own = planes[static_cast<std::size_t>(i)];
        own.assign(points_of(dims - 1), Complex());
        if (dims == 1)
          own[0] = Complex(from[first + i]);
        else
          contract(box, 1, from + (first + i) * stride, own);
      });
      for (Index i = 0; i < count; ++i)
        add_turned(axis, box.lo[axis] + first + i, planes[static_cast<std::size_t>(i)], sums_);
    }
  }

  /// Collective. The place of the largest of the sums: the middle unless another is larger, so that arrays without a
  /// peak have no shift.
  [[nodiscard]] Peak largest(const Comm& comm) const {
    const std::vector<Complex> sums = over_ranks(comm);
    const auto height = [&](std::size_t i) {
      return (waves_.half_axis() >= 0 ? std::abs(sums[i].real()) : std::abs(sums[i])) / count_;
    };
    const std::size_t middle = sums.size() / 2;
    Peak peak{height(middle), static_cast<Index>(middle)};
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (height(i) > peak.height) peak = {height(i), static_cast<Index>(i)};
    return peak;
  }

 private:
  [[nodiscard]] std::size_t points() const { return static_cast<std::size_t>(2 * side_ + 1); }
  [[nodiscard]] std::size_t points_of(int axes) const {
    std::size_t all = 1;
    for (int a = 0; a < axes; ++a) all *= points();
    return all;
  }

  // exp(i k x) of each k of an axis and each point, times the weight of modes that stand for two.
  [[nodiscard]] std::vector<Complex> turns_of(int axis, Index centre, Index upsample) const {
    std::vector<Complex> turns;
    const AxisTable& k = waves_.k(axis);
    for (std::size_t i = 0; i < k.size(); ++i) {
      const bool two = axis == waves_.half_axis() && i > 0 && !waves_.is_middle(axis, static_cast<Index>(i));
      for (Index j = -side_; j <= side_; ++j) {
        const double turn = k[i] * (static_cast<double>(centre + j) / static_cast<double>(upsample));
        turns.push_back((two ? 2.0 : 1.0) * Complex(nearest_cos(turn), nearest_sin(turn)));
      }
    }
    return turns;
  }

  /// Adds to `sums`, one for each combination of points of the axes from place `place` on in memory order, the modes of
  /// `box` from `from` on.
  template <class T>
  void contract(const Box& box, int place, const std::complex<T>* from, std::vector<Complex>& sums) const {
    const int dims = waves_.dims(), axis = order_[static_cast<std::size_t>(place)];
    const Index extent = box.extent(axis);
    const std::size_t inner = points_of(dims - place - 1);
    Index stride = 1;
    for (int p = place + 1; p < dims; ++p) stride *= box.extent(order_[static_cast<std::size_t>(p)]);
    std::vector<Complex> own(inner);
    for (Index i = 0; i < extent; ++i) {
      if (place + 1 == dims) {
        own[0] = Complex(from[i]);
      } else {
        std::fill(own.begin(), own.end(), Complex());
        contract(box, place + 1, from + i * stride, own);
      }
      add_turned(axis, box.lo[axis] + i, own, sums);
    }
  }

  void add_turned(int axis, Index index, const std::vector<Complex>& own, std::vector<Complex>& sums) const {
    const Complex* turns = turns_[static_cast<std::size_t>(axis)].data() + static_cast<std::size_t>(index) * points();
    for (std::size_t j = 0; j < points(); ++j)
      for (std::size_t i = 0; i < own.size(); ++i) sums[j * own.size() + i] += turns[j] * own[i];
  }

  // In the order of the axes, added in the order of the ranks.
  [[nodiscard]] std::vector<Complex> over_ranks(const Comm& comm) const {
    const std::vector<Complex>& mine = sums_;
    std::vector<Complex> all(mine.size() * static_cast<std::size_t>(comm.size())), sums(mine.size());
    comm.allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    for (std::size_t at = 0; at < mine.size(); ++at) {
      Coord point = Coord::filled(waves_.dims(), 0);
      std::size_t rest = at, place = 0;
      for (int p = waves_.dims(); p-- > 0; rest /= points())
        point[order_[static_cast<std::size_t>(p)]] = static_cast<Index>(rest % points());
      for (const Index j : point) place = place * points() + static_cast<std::size_t>(j);
      for (std::size_t rank = 0; rank * mine.size() < all.size(); ++rank) sums[place] += all[rank * mine.size() + at];
    }
    return sums;
  }

  std::vector<int> order_;
  WaveNumbers waves_;
  double count_ = 1;  ///< points of the array
  Index side_ = 0;
  std::vector<std::vector<Complex>> turns_{};
  std::vector<Complex> sums_{};
};

// Ten times finer at each step. The points reach 3/4 of a point to each side at first, then beyond the neighbours of
// the place that the step before has found. add_all() hands all modes to the sums.
template <class AddAll>
Peak refine(const Comm& comm, FinePoints& points, int upsample, std::vector<Index>& at, Peak peak, AddAll&& add_all) {
  for (Index fine = 1; fine < upsample;) {
    const Index finer = std::min<Index>(fine * 10, upsample), near = fine == 1 ? 4 : 2,
                side = (3 * finer + near * fine - 1) / (near * fine);
    for (Index& place : at)
      place = static_cast<Index>(
          std::llround(static_cast<double>(place) * static_cast<double>(finer) / static_cast<double>(fine)));
    points.begin(at, side, finer);
    add_all();
    peak = points.largest(comm);
    Index rest = peak.place;
    for (std::size_t a = at.size(); a-- > 0; rest /= 2 * side + 1) at[a] += rest % (2 * side + 1) - side;
    fine = finer;
  }
  return peak;
}

}  // namespace shardfft
