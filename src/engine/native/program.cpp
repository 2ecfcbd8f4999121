#include "engine/native/program.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <new>

#include "engine/native/roots.hpp"
#include "engine/native/tables.hpp"

namespace shardfft::native {

namespace {

/// Scratch for a tile at plan time, aligned as tiles are.
template <class T>
class Tile {
 public:
  explicit Tile(Index scalars) : data_(new (std::align_val_t(64)) T[static_cast<std::size_t>(scalars)]()) {}
  [[nodiscard]] T* data() { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  std::unique_ptr<T[], Free> data_;
};

/// Of reals that are read as complex numbers.
std::vector<Index> pairs(const std::vector<Index>& places) {
  std::vector<Index> list;
  for (const Index p : places) list.insert(list.end(), {2 * p, 2 * p + 1});
  return list;
}

template <class T>
void run_passes(const StepArgs<T>& a, const T* in, T* out) {
  a.passes->run(in, out);
}

}  // namespace

template <class T>
Program<T>::Program(Index n, Transform1d transform, const Routines<T>& routines) : routines_(&routines) {
  const bool real = transform == Transform1d::r2c || transform == Transform1d::c2r;
  if (real)
    add_real(n, transform);
  else
    add_complex(decompose(n), transform == Transform1d::backward);
}

template <class T>
Program<T>::Program(const Decomposition& how, bool backward, const Routines<T>& routines) : routines_(&routines) {
  add_complex(how, backward);
}

template <class T>
void Program<T>::add_real(Index n, Transform1d transform) {
  const bool even = n % 2 == 0, forward = transform == Transform1d::r2c;
  const Index m = even ? n / 2 : n;
  StepArgs<T> args{.n = m};
  need(m + 1);
  if (forward && !even) add_moving(routines_->widen_real, args);
  if (!forward && even) args.table = keep(join_table<T>(m)), add_in_place(routines_->join_real, args);
  if (!forward && !even) add_moving(routines_->widen_half, args);
  add_complex(decompose(m), !forward);
  if (forward && even) places_ = pairs(places_);
  if (forward && even) args.table = keep(split_table<T>(m)), add_in_place(routines_->split_real, args);
  if (!forward && !even) add_moving(routines_->narrow_real, args);
  text_ = fmt::format("real by {}: {}", even ? "half the length" : "the whole length", text_);
}

template <class T>
void Program<T>::add_complex(const Decomposition& how, bool swapped) {
  need(how.n);
  text_ = how.describe();
  if (how.radices.empty()) return;
  const bool opening = steps_.empty();
  const Passes<T>& all = passes(how.radices, swapped);
  need(all.elements());
  if (!opening) return add_moving(run_passes<T>, {.passes = &all});
  add_in_place(run_passes<T>, {.passes = &all});
  places_ = all.places();
}

template <class T>
const Passes<T>& Program<T>::passes(const std::vector<Index>& radices, bool swapped) {
  Passes<T> made(radices, swapped, *routines_, *this);
  return passes_.emplace_back(std::move(made));
}

template <class T>
const Convolution<T>* Program<T>::convolution(Index radix) {
  const PrimeWay way = prime_way(radix);
  if (way.method == Method::direct) return nullptr;
  if (const auto known = convolutions_.find(radix); known != convolutions_.end()) return &known->second;
  Convolution<T> made{.inner = way.inner.n};
  if (way.method == Method::rader) {
    orders_.push_back(generator_powers(radix));
    made.order = orders_.back().data();
    made.filter = filter(way.inner, rader_response(orders_.back(), radix));
  } else {
    made.chirp = keep(chirp_table<T>(radix));
    made.filter = filter(way.inner, bluestein_response(radix, way.inner.n));
  }
  made.forward = &passes(way.inner.radices, false);
  made.backward = &passes(way.inner.radices, true);
  return &convolutions_.emplace(radix, made).first->second;
}

template <class T>
const T* Program<T>::keep(std::vector<T> table) {
  tables_.push_back(std::move(table));
  return tables_.back().data();
}

template <class T>
const T* Program<T>::twiddles(Index radix, Index done) {
  const T*& table = twiddles_[{radix, done}];
  if (table != nullptr) return table;
  const Convolution<T>* way = radix > max_own_radix ? convolution(radix) : nullptr;
  if (way == nullptr) return table = keep(twiddle_table<T>(radix, done, routines_->twiddles));
  return table = keep(way->order != nullptr ? rader_twiddles<T>(radix, done) : bluestein_twiddles<T>(radix, done));
}

template <class T>
const T* Program<T>::matrix(Index radix) {
  return keep(matrix_table<T>(static_cast<int>(radix)));
}

/// Up to here filters are computed in long double. Beyond, that takes too long, and double is as exact as the transform of doubles itself.
constexpr Index longest_wide_filter = 8192;

/// The transform of a filter's response (re, im pairs), divided by its length.
template <class Wide>
std::vector<Wide> spectrum_of(const Decomposition& how, const std::vector<long double>& response) {
  const Routines<Wide>& routines = shardfft::native::routines<Wide>();
  const Program<Wide> forward(how, false, routines);
  const Index step = 2 * routines.lanes;
  Tile<Wide> a(forward.elements() * step), b(forward.elements() * step);
  const auto place = [&](Index k) { return forward.places() == nullptr ? k : forward.places()[k]; };
  for (Index k = 0; k < 2 * how.n; ++k) a.data()[place(k / 2) * step + k % 2 * routines.lanes] = static_cast<Wide>(response[static_cast<std::size_t>(k)]);
  const Wide* spectrum = forward.run(a.data(), b.data());
  std::vector<Wide> table;
  for (Index k = 0; k < 2 * how.n; ++k) table.push_back(spectrum[k / 2 * step + k % 2 * routines.lanes] / static_cast<Wide>(how.n));
  return table;
}

template <class T>
const T* Program<T>::filter(const Decomposition& inner, const std::vector<long double>& response) {
  const auto rounded = [](const auto& table) { return std::vector<T>(table.begin(), table.end()); };
  if constexpr (sizeof(T) <= sizeof(double))
    if (inner.n > longest_wide_filter) return keep(rounded(spectrum_of<double>(inner, response)));
  return keep(rounded(spectrum_of<long double>(inner, response)));
}

template class Program<float>;
template class Program<double>;
template class Program<long double>;

}  // namespace shardfft::native
