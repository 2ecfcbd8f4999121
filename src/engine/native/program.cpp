#include "engine/native/program.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <new>

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
  if (forward && even) args.table = keep(split_table<T>(m)), add_in_place(routines_->split_real, args);
  if (!forward && !even) add_moving(routines_->narrow_real, args);
  text_ = fmt::format("real by {}: {}", even ? "half the length" : "the whole length", text_);
}

template <class T>
void Program<T>::add_complex(const Decomposition& how, bool swapped) {
  need(how.n);
  text_ = how.describe();
  if (how.padded > 0)
    add_convolution(how, swapped);
  else
    add_passes(how, swapped);
}

template <class T>
void Program<T>::add_passes(const Decomposition& how, bool swapped) {
  if (how.radices.empty()) return;
  passes_.emplace_back(
      how.radices, swapped, *routines_, [&](int radix, Index done) { return twiddles(radix, done); }, [&](int radix) { return matrix(radix); });
  add_moving(run_passes<T>, {.passes = &passes_.back()});
}

template <class T>
void Program<T>::add_convolution(const Decomposition& how, bool swapped) {
  need(how.padded);
  StepArgs<T> args{.n = how.n, .padded = how.padded, .swapped = swapped, .table = keep(chirp_table<T>(how.n))};
  add_in_place(routines_->chirp_in, args);
  add_passes(how, swapped);
  StepArgs<T> middle = args;
  middle.table = keep(filter(how));
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

/// The transform of the filter itself, in long double, rounded once.
template <class T>
std::vector<T> Program<T>::filter(const Decomposition& how) {
  using Wide = long double;
  const Routines<Wide>& wide = shardfft::native::routines<Wide>();
  const Decomposition passes{.n = how.padded, .radices = how.radices};
  const Program<Wide> forward(passes, false, wide);
  const Index step = 2 * wide.lanes;
  Tile<Wide> a(how.padded * step), b(how.padded * step);
  const std::vector<Wide> chirp = chirp_table<Wide>(how.n);
  for (Index k = 0; k < how.n; ++k)
    for (const Index at : {k, (how.padded - k) % how.padded}) {
      a.data()[at * step] = chirp[static_cast<std::size_t>(2 * k)];
      a.data()[at * step + wide.lanes] = -chirp[static_cast<std::size_t>(2 * k + 1)];
    }
  const Wide* spectrum = forward.run(a.data(), b.data());
  std::vector<T> table;
  const auto scaled = [&](Wide x) { return static_cast<T>(x / static_cast<Wide>(how.padded)); };
  for (Index k = 0; k < how.padded; ++k) {
    table.push_back(scaled(spectrum[k * step]));
    table.push_back(scaled(spectrum[k * step + wide.lanes]));
  }
  return table;
}

template class Program<float>;
template class Program<double>;
template class Program<long double>;

}  // namespace shardfft::native
