// How far two arrays are apart.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "shardfft/answers/difference.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"

namespace shardfft {
namespace {

template <class T>
T element(const LocalBox& box, const Coord& at) {
  Index offset = 0;
  for (int axis = 0; axis < at.dims(); ++axis) offset += (at[axis] - box.box.lo[axis]) * box.strides[axis];
  T value;
  std::memcpy(&value, box.data + offset, sizeof value);
  return value;
}

template <class T>
double apart(T a, T b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(static_cast<double>(b) - static_cast<double>(a));
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}
template <class T>
double apart(std::complex<T> a, std::complex<T> b) {
  return std::hypot(apart(a.real(), b.real()), apart(a.imag(), b.imag()));
}

double square_of(double x) { return std::isnan(x) ? 0 : x * x; }
template <class T>
double square_of(std::complex<T> x) {
  return square_of(static_cast<double>(x.real())) + square_of(static_cast<double>(x.imag()));
}

}  // namespace

void Differences::note(double distance, Index place) {
  if (distance > max_ || (distance == max_ && distance > 0 && place < where_)) max_ = distance, where_ = place;
}

template <class T>
void Differences::add(const LocalBox& a, const LocalBox& b) {
  for_each_position(a.box, {}, [&](const Coord& at) {
    const T one = element<T>(a, at), other = element<T>(b, at);
    squares_of_a_.add(square_of(one));
    const double d = apart(one, other);
    if (d == 0) return;
    squares_.add(d * d);
    Index place = 0;
    for (int axis = 0; axis < at.dims(); ++axis) place = place * global_[axis] + at[axis];
    note(d, place);
  });
}

template void Differences::add<float>(const LocalBox&, const LocalBox&);
template void Differences::add<double>(const LocalBox&, const LocalBox&);
template void Differences::add<std::complex<float>>(const LocalBox&, const LocalBox&);
template void Differences::add<std::complex<double>>(const LocalBox&, const LocalBox&);

void Differences::add(const Differences& other) {
  squares_.add(other.squares_);
  squares_of_a_.add(other.squares_of_a_);
  if (other.where_ >= 0) note(other.max_, other.where_);
}

Difference Differences::over_ranks(const Comm& comm) const {
  Difference found{.max = all_max(comm, max_)};
  constexpr Index none = std::numeric_limits<Index>::max();
  Index place = -all_max(comm, -(max_ == found.max && where_ >= 0 ? where_ : none));
  const ExactSum sums[] = {squares_, squares_of_a_};
  const std::vector<double> all = values_of(comm, sums);
  found.rms = std::sqrt(all[0] / static_cast<double>(std::max<Index>(product(global_), 1)));
  found.relative = all[0] == 0 ? 0 : std::sqrt(all[0] / all[1]);
  if (place == none) return found;
  found.where = Coord::filled(global_.dims(), 0);
  for (int axis = global_.dims(); axis-- > 0; place /= global_[axis]) found.where[axis] = place % global_[axis];
  return found;
}

}  // namespace shardfft
