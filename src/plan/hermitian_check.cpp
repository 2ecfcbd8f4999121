#include "plan/hermitian_check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

// Any function of the place will do.
double phase_at(const Coord& k) {
  std::uint64_t mixed = 1;
  for (const Index i : k) mixed = (mixed ^ static_cast<std::uint64_t>(i + 1)) * 0x9e3779b97f4a7c15;
  return static_cast<double>(mixed >> 40) * 1e-3;
}

}  // namespace

Coord HermitianCheck::opposite(Coord k) const {
  for (const int axis : axes_)
    if (axis != axes_.back()) k[axis] = (modes_[axis] - k[axis]) % modes_[axis];
  return k;
}

template <class T>
HermitianCheck::Sums HermitianCheck::sums_of(const Modes& m) const {
  Sums sums;
  const int real = axes_.back();
  for (Index i = 0; i < m.count; ++i) {
    Coord k = m.first;
    k[m.axis] += i;
    if (k[real] != 0 && 2 * k[real] != modes_[real]) continue;
    const Coord other = opposite(k);
    const int sign = k == other                                                                     ? 0
                     : std::lexicographical_compare(k.begin(), k.end(), other.begin(), other.end()) ? 1
                                                                                                    : -1;
    const double phase = sign * phase_at(sign > 0 ? k : other);
    for (int c = 0; c < m.components_out; ++c) {
      const std::complex<double> value(m.values<T>(c)[static_cast<std::size_t>(i)]);
      sums.imaginary += std::cos(phase) * value.imag() + std::sin(phase) * value.real();
      sums.all += std::abs(value);
    }
  }
  return sums;
}

void HermitianCheck::look(const Modes& m) {
  const Sums sums = m.precision == f32 ? sums_of<float>(m) : sums_of<double>(m);
  const std::lock_guard lock(mutex_);
  sums_.imaginary += sums.imaginary;
  sums_.all += sums.all;
  precision_ = m.precision;
}

Operator HermitianCheck::around(const Operator& f) {
  sums_ = {};
  Operator looked([this, &f](const Modes& m) {
    f.run(f.self.get(), m);
    look(m);
  });
  looked.components_in = f.components_in;
  looked.components_out = f.components_out;
  return looked;
}

void HermitianCheck::require(const Comm& comm) const {
  const double imaginary = all_sum(comm, sums_.imaginary), all = all_sum(comm, sums_.all),
               rounding = all_max(comm, precision_ == f32 ? 1.0 : 0.0) > 0 ? 1e-3 : 1e-9;
  if (!(std::abs(imaginary) > rounding * all)) return;
  throw Error(
      Status::invalid_argument,
      fmt::format("an operator on the half spectrum of reals leaves the values at k and -k conjugates; got one that "
                  "does not, in the planes 0 and n/2 of axis {}; make its factors there conjugates, and real where "
                  "k is its own negative",
                  axes_.back()));
}

}  // namespace shardfft
