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
  need(std::max(how.n, how.inner));
  text_ = how.describe();
  switch (how.method) {
    case Method::passes: return add_passes(how, swapped);
    case Method::rader: return add_rader(how, swapped);
    case Method::bluestein: return add_bluestein(how, swapped);
  }
}

template <class T>
void Program<T>::add_passes(const Decomposition& how, bool swapped) {
  if (how.radices.empty()) return;
  const bool opening = steps_.empty();
  passes_.emplace_back(
      how.radices, swapped, *routines_, [&](int radix, Index done) { return twiddles(radix, done); }, [&](int radix) { return matrix(radix); });
  if (!opening) return add_moving(run_passes<T>, {.passes = &passes_.back()});
  add_in_place(run_passes<T>, {.passes = &passes_.back()});
  places_ = passes_.back().places();
}

template <class T>
void Program<T>::add_rader(const Decomposition& how, bool swapped) {
  order_ = generator_powers(how.n);
  std::vector<long double> response;
  for (Index q = 0; q < how.inner; ++q) {
    const Root w = root_of_unity(order_[static_cast<std::size_t>((how.inner - q) % how.inner)], how.n);
    response.insert(response.end(), {w.re, w.im});
  }
  StepArgs<T> args{.n = how.n, .inner = how.inner, .swapped = swapped, .table = filter(how, response), .order = order_.data()};
  add_moving(routines_->rader_in, args);
  add_passes(how, swapped);
  add_moving(routines_->rader_filter, args);
  add_passes(how, !swapped);
  add_moving(routines_->rader_out, args);
}

template <class T>
void Program<T>::add_bluestein(const Decomposition& how, bool swapped) {
  const std::vector<long double> chirp = chirp_table<long double>(how.n);
  std::vector<long double> response(static_cast<std::size_t>(2 * how.inner));
  for (Index k = 0; k < how.n; ++k)
    for (const Index at : {k, (how.inner - k) % how.inner}) {
      response[static_cast<std::size_t>(2 * at)] = chirp[static_cast<std::size_t>(2 * k)];
      response[static_cast<std::size_t>(2 * at + 1)] = -chirp[static_cast<std::size_t>(2 * k + 1)];
    }
  StepArgs<T> args{.n = how.n, .inner = how.inner, .swapped = swapped, .table = keep(chirp_table<T>(how.n))};
  StepArgs<T> middle = args;
  middle.table = filter(how, response);
  add_in_place(routines_->chirp_in, args);
  add_passes(how, swapped);
  add_in_place(routines_->chirp_filter, middle);
  add_passes(how, !swapped);
  add_in_place(routines_->chirp_out, args);
}

template <class T>
const T* Program<T>::keep(std::vector<T> table) {
  tables_.push_back(std::move(table));
  return tables_.back().data();
}

template <class T>
const T* Program<T>::twiddles(int radix, Index done) {
  const T*& table = twiddles_[{radix, done}];
  if (table == nullptr) table = keep(twiddle_table<T>(radix, done));
  return table;
}

template <class T>
const T* Program<T>::matrix(int radix) {
  return keep(matrix_table<T>(radix));
}

/// The transform of a filter's response (re, im pairs), divided by its length: in long double, rounded once.
template <class T>
const T* Program<T>::filter(const Decomposition& how, const std::vector<long double>& response) {
  using Wide = long double;
  const Routines<Wide>& wide = shardfft::native::routines<Wide>();
  const Decomposition passes{.n = how.inner, .inner = how.inner, .radices = how.radices};
  const Program<Wide> forward(passes, false, wide);
  const Index step = 2 * wide.lanes;
  Tile<Wide> a(how.inner * step), b(how.inner * step);
  const auto place = [&](Index k) { return forward.places() == nullptr ? k : forward.places()[k]; };
  for (Index k = 0; k < 2 * how.inner; ++k) a.data()[place(k / 2) * step + k % 2 * wide.lanes] = response[static_cast<std::size_t>(k)];
  const Wide* spectrum = forward.run(a.data(), b.data());
  std::vector<T> table;
  for (Index k = 0; k < 2 * how.inner; ++k)
    table.push_back(static_cast<T>(spectrum[k / 2 * step + k % 2 * wide.lanes] / static_cast<Wide>(how.inner)));
  return keep(std::move(table));
}

template class Program<float>;
template class Program<double>;
template class Program<long double>;

}  // namespace shardfft::native
