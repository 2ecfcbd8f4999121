// Shifts between arrays by phase correlation.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <fmt/format.h>

#include "answers/beside.hpp"
#include "plan/operators/wave_numbers.hpp"
#include "shardfft/answers/registration.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/operators/elementary.hpp"
#include "shardfft/operators/modes.hpp"
#include "shardfft/programs/team.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

using Complex = std::complex<double>;

/// Each mode becomes F conj(G), which is also kept in G's place.
template <class T>
struct CrossProduct {
  std::complex<T>* kept;
  bool phase;

  void operator()(const Modes& m) const {
    constexpr double least = 100 * std::numeric_limits<T>::epsilon();  // below, phases are those of rounding errors
    const auto values = m.values<T>();
    for (Index i = 0; i < m.count; ++i) {
      std::complex<T>&f = values[static_cast<std::size_t>(i)], &g = kept[m.place + i * m.step];
      Complex product = Complex(f) * std::conj(Complex(g));
      if (phase) product /= std::max(std::abs(product), least);
      f = g = std::complex<T>(product);
    }
  }
};

/// The largest modulus, and the first place in C order that has it.
struct Peak {
  double height = -1;
  Index place = 0;

  void note(double other, Index at) {
    if (other > height || (other == height && at < place)) height = other, place = at;
  }
  [[nodiscard]] Peak over_ranks(const Comm& comm) const {
    const double highest = all_max(comm, height);
    const Index none = std::numeric_limits<Index>::max();
    return {highest, -all_max(comm, -(height == highest ? place : none))};
  }
};

template <class T>
Peak peak_of(const Plan& plan, const View& correlation) {
  Peak peak;
  const Shape& shape = plan.applied().global();
  const auto* values = static_cast<const T*>(correlation.data);
  const bool complex = plan.problem().kind == c2c;
  for_each_element(plan.applied(), plan.comm().rank(), [&](const Coord& at, std::size_t i) {
    Index place = 0;
    for (int a = 0; a < at.dims(); ++a) place = place * shape[a] + at[a];
    peak.note(complex ? std::abs(Complex(values[2 * i], values[2 * i + 1])) : std::abs(static_cast<double>(values[i])),
              place);
  });
  return peak;
}

/// Fourier sums of a spectrum at a few points around a place: along each axis the same number of points.
template <class T>
class FinePoints {
 public:
  FinePoints(const Plan& plan, const std::complex<T>* spectrum)
      : plan_(plan), spectrum_(spectrum), waves_(plan.problem(), [&] {
          std::vector<double> lengths;
          for (const Index n : plan.problem().shape) lengths.push_back(static_cast<double>(n));
          return lengths;
        }()) {
    if (plan.middle().spec().kind == LayoutSpec::Kind::cyclic && plan.comm().size() > 1)
      refuse_argument("register_shift() takes spectra in boxes; got a cyclic layout; make the plan with others");
  }

  /// Collective. Of the sums at centre + (j - side) / upsample, 0 <= j <= 2 side along each axis, the place of the
  /// largest; `centre` in multiples of 1 / upsample.
  Peak largest(const std::vector<Index>& centre, Index side, Index upsample) {
    side_ = side;
    turns_.clear();
    for (int a = 0; a < waves_.dims(); ++a)
      turns_.push_back(turns_of(a, centre[static_cast<std::size_t>(a)], upsample));
    const std::vector<Complex> sums = over_ranks();
    Peak peak;
    double n = 1;
    for (const Index extent : plan_.problem().shape) n *= static_cast<double>(extent);
    for (std::size_t i = 0; i < sums.size(); ++i)
      peak.note((waves_.half_axis() >= 0 ? std::abs(sums[i].real()) : std::abs(sums[i])) / n, static_cast<Index>(i));
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
  void contract(const Box& box, int place, const std::complex<T>* from, std::vector<Complex>& sums) const {
    const std::vector<int>& order = plan_.middle().order();
    const int dims = waves_.dims(), axis = order[static_cast<std::size_t>(place)];
    const Index extent = box.extent(axis);
    const std::size_t inner = points_of(dims - place - 1);
    Index stride = 1;
    for (int p = place + 1; p < dims; ++p) stride *= box.extent(order[static_cast<std::size_t>(p)]);
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

  // In the order of the slowest index, whatever the number of threads.
  [[nodiscard]] std::vector<Complex> of_this_rank() const {
    const std::vector<int>& order = plan_.middle().order();
    const int dims = waves_.dims(), axis = order[0];
    std::vector<Complex> sums(points_of(dims));
    const std::complex<T>* from = spectrum_;
    for (const Box& box : plan_.middle().boxes(plan_.comm().rank())) {
      const Index extent = box.extent(axis), stride = box.count() / extent;
      std::vector<std::vector<Complex>> planes(static_cast<std::size_t>(extent));
      for_each_dealt(allowed_threads(), extent, 1, [&](Index i) {
        auto& own = planes[static_cast<std::size_t>(i)];
        own.assign(points_of(dims - 1), Complex());
        if (dims == 1)
          own[0] = Complex(from[i]);
        else
          contract(box, 1, from + i * stride, own);
      });
      for (Index i = 0; i < extent; ++i) add_turned(axis, box.lo[axis] + i, planes[static_cast<std::size_t>(i)], sums);
      from += box.count();
    }
    return sums;
  }

  // In the order of the axes, added in the order of the ranks.
  [[nodiscard]] std::vector<Complex> over_ranks() const {
    const std::vector<Complex> mine = of_this_rank();
    std::vector<Complex> all(mine.size() * static_cast<std::size_t>(plan_.comm().size())), sums(mine.size());
    plan_.comm().allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    const std::vector<int>& order = plan_.middle().order();
    for (std::size_t at = 0; at < mine.size(); ++at) {
      Coord point = Coord::filled(waves_.dims(), 0);
      std::size_t rest = at, place = 0;
      for (int p = waves_.dims(); p-- > 0; rest /= points())
        point[order[static_cast<std::size_t>(p)]] = static_cast<Index>(rest % points());
      for (const Index j : point) place = place * points() + static_cast<std::size_t>(j);
      for (std::size_t rank = 0; rank * mine.size() < all.size(); ++rank) sums[place] += all[rank * mine.size() + at];
    }
    return sums;
  }

  const Plan& plan_;
  const std::complex<T>* spectrum_;
  WaveNumbers waves_;
  Index side_ = 0;
  std::vector<std::vector<Complex>> turns_{};
};

// Ten times finer at each step. The points reach 3/4 of a point to each side at first, then beyond the neighbours of
// the place that the step before has found.
template <class T>
Peak refine(const Plan& plan, const std::complex<T>* spectrum, int upsample, std::vector<Index>& at, Peak peak) {
  FinePoints<T> points(plan, spectrum);
  for (Index fine = 1; fine < upsample;) {
    const Index finer = std::min<Index>(fine * 10, upsample), near = fine == 1 ? 4 : 2,
                side = (3 * finer + near * fine - 1) / (near * fine);
    for (Index& place : at)
      place = static_cast<Index>(
          std::llround(static_cast<double>(place) * static_cast<double>(finer) / static_cast<double>(fine)));
    peak = points.largest(at, side, finer);
    Index rest = peak.place;
    for (std::size_t a = at.size(); a-- > 0; rest /= 2 * side + 1) at[a] += rest % (2 * side + 1) - side;
    fine = finer;
  }
  return peak;
}

template <class T>
Registration registered(Plan& plan, View reference, View moving, View correlation, const RegistrationRequest& request) {
  Array beside = transformed_beside(plan, moving);
  auto* kept = reinterpret_cast<std::complex<T>*>(beside.data());
  Operator product(CrossProduct<T>{kept, request.phase});
  plan.apply(reference, correlation, product);
  Peak peak = peak_of<T>(plan, correlation).over_ranks(plan.comm());
  const Shape& shape = plan.problem().shape;
  std::vector<Index> at(static_cast<std::size_t>(shape.dims()));
  Index rest = peak.place;
  for (int a = shape.dims(); a-- > 0; rest /= shape[a]) {
    const Index place = rest % shape[a];
    at[static_cast<std::size_t>(a)] = place > shape[a] / 2 ? place - shape[a] : place;
  }
  if (request.upsample > 1) peak = refine<T>(plan, kept, request.upsample, at, peak);
  Registration found{.peak = peak.height};
  for (const Index place : at) found.shift.push_back(static_cast<double>(place) / request.upsample);
  return found;
}

}  // namespace

Registration register_shift(Plan& plan, View reference, View moving, View correlation,
                            const RegistrationRequest& request) {
  collectively(plan.comm(), [&] {
    require_answering(plan, "register_shift");
    if (request.upsample < 1 || request.upsample > 1000)
      refuse_argument(
          fmt::format("a shift is found to 1 / upsample points, upsample from 1 to 1000; got {}", request.upsample));
    if (plan.problem().support.dims() > 0 || plan.problem().modes.dims() > 0)
      refuse_argument("register_shift() takes all points and modes; got a plan with support or modes");
  });
  return in_precision_of(
      plan, [&](auto number) { return registered<decltype(number)>(plan, reference, moving, correlation, request); });
}

}  // namespace shardfft
