#include "engine/native/program.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>

#include "engine/native/passes/butterfly_constants.hpp"
#include "engine/native/roots.hpp"
#include "engine/native/shared.hpp"
#include "engine/native/tables.hpp"

namespace shardfft::native {

namespace {

/// Scratch for a tile at plan time, aligned as tiles are.
template <class T>
class ProgramTile {
 public:
  explicit ProgramTile(Index scalars) : data_(new(std::align_val_t(64)) T[static_cast<std::size_t>(scalars)]()) {}
  [[nodiscard]] T* data() { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  std::unique_ptr<T[], Free> data_;
};

/// Places of both reals of each complex number.
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
Program<T>::Program(Index n, Transform1d transform, const Routines<T>& routines, bool strided) : routines_(&routines) {
  if (transform == Transform1d::r2c || transform == Transform1d::c2r) {
    add_real(n, transform);
    return;
  }
  const Decomposition how = decompose(n, {.strided = strided, .lanes = strided ? 0 : widest<T>});
  const bool swapped = transform == Transform1d::backward;
  add_complex(how, swapped);
  add_contiguous(how, swapped);
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
  const Decomposition how = decompose(m, {.lanes = widest<T>});
  add_complex(how, !forward);
  if (forward && even) places_ = pairs(places_);
  if (forward && even) args.table = keep(split_table<T>(m)), add_in_place(routines_->split_real, args);
  if (!forward && !even) add_moving(routines_->narrow_real, args);
  if (even && add_contiguous(how, !forward))
    forward ? contiguous_->then_split(args.table, *this) : contiguous_->join_first(args.table, *this);
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
bool Program<T>::add_contiguous(const Decomposition& how, bool swapped) {
  for (const Routines<T>* routines : {routines_, narrower(*routines_)})
    if (routines != nullptr && ContiguousPasses<T>::can(how.radices, *routines)) {
      contiguous_.emplace(how.radices, swapped, *routines, *this);
      return true;
    }
  return false;
}

template <class T>
const Passes<T>& Program<T>::passes(const std::vector<Index>& radices, bool swapped) {
  Passes<T> made(radices, swapped, *routines_, *this);
  return passes_.emplace_back(std::move(made));
}

namespace {

/// Up to here filters are computed in fixed point. Beyond, that takes too long, and double is as exact as the transform
/// of doubles itself.
constexpr Index longest_wide_filter = 8192;

/// The transform of a filter's response (re, im pairs), divided by its length: before, so that no number leaves the
/// range of fixed point.
template <class Wide>
std::vector<Wide> spectrum_of(const Decomposition& how, const std::vector<Fixed>& response) {
  const Routines<Wide>& routines = shardfft::native::routines<Wide>();
  const Program<Wide> forward(how, false, routines);
  const Index step = 2 * routines.lanes;
  const Fixed scale = Fixed::ratio(1, static_cast<Fixed::Magnitude>(how.n));
  ProgramTile<Wide> a(forward.elements() * step), b(forward.elements() * step);
  const auto place = [&](Index k) { return forward.places() == nullptr ? k : forward.places()[k]; };
  for (Index k = 0; k < 2 * how.n; ++k)
    a.data()[place(k / 2) * step + k % 2 * routines.lanes] =
        static_cast<Wide>(scale * response[static_cast<std::size_t>(k)]);
  const Wide* spectrum = forward.run(a.data(), b.data());
  std::vector<Wide> table;
  for (Index k = 0; k < 2 * how.n; ++k) table.push_back(spectrum[k / 2 * step + k % 2 * routines.lanes]);
  return table;
}

template <class T>
std::vector<T> filter(Index length, const std::vector<Fixed>& response) {
  const auto rounded = [](const auto& table) {
    std::vector<T> list;
    for (const auto x : table) list.push_back(static_cast<T>(x));
    return list;
  };
  const Decomposition how = decompose(length);
  if constexpr (std::is_floating_point_v<T>)
    if (length > longest_wide_filter) return rounded(spectrum_of<double>(how, response));
  return rounded(spectrum_of<Fixed>(how, response));
}

/// From natural order to that of blocks: even numbers, odd numbers, and of both block u = u, u + half_blocks, ...
template <class T>
std::vector<T> in_blocks(const std::vector<T>& spectrum, Index inner) {
  std::vector<T> table;
  table.reserve(spectrum.size());
  for (const Index half : {0, 1})
    for (Index u = 0; u < half_blocks; ++u)
      for (Index v = 0; v < inner; ++v) {
        const auto at = spectrum.begin() + 2 * (half + 2 * (u + half_blocks * v));
        table.insert(table.end(), at, at + 2);
      }
  return table;
}

template <class T>
std::vector<T> filter_of(Index radix, const PrimeWay& way, const std::vector<Index>& powers) {
  if (way.method == Method::rader) return filter<T>(radix - 1, rader_response(powers, radix));
  const Index length = 2 * half_blocks * way.inner.n;
  return in_blocks(filter<T>(length, bluestein_response(radix, length)), way.inner.n);
}

/// The filter of a prime radix. Kernels of one instruction set, which `routines` stands for, share it.
template <class T>
std::shared_ptr<const std::vector<T>> shared_filter(Index radix, const PrimeWay& way, const std::vector<Index>& powers,
                                                    const Routines<T>& routines) {
  static Shared<std::pair<Index, const Routines<T>*>, std::vector<T>> known;
  return known.get({radix, &routines}, [&] { return filter_of<T>(radix, way, powers); });
}

/// Twiddles, with powers 1 or from power 0 on, shared in the same way.
template <class T>
std::shared_ptr<const LargeVector<T>> shared_twiddles(Index radix, Index done, bool plain) {
  static Shared<std::tuple<Index, Index, bool>, LargeVector<T>> known;
  return known.get({radix, done, plain},
                   [&] { return plain ? plain_twiddles<T>(radix, done) : twiddle_table<T>(radix, done); });
}

/// Constants of a pass with a butterfly of its own, for `lanes` butterflies at a time, of which the last ones may be
/// among those before: each of them that many times, for one after the other.
template <class T>
std::shared_ptr<const LargeVector<T>> shared_lane_twiddles(Index radix, Index done, Index lanes) {
  static Shared<std::tuple<Index, Index, Index>, LargeVector<T>> known;
  return known.get({radix, done, lanes}, [&] {
    const auto table = shared_twiddles<T>(radix, done, false);
    const Index count = twiddle_count(radix);
    LargeVector<T> result;
    for (Index begin = 0; begin < done; begin += lanes) {
      const Index k = std::min(begin, done - lanes);
      for (Index i = 0; i < count; ++i)
        for (Index lane = 0; lane < lanes; ++lane)
          result.push_back((*table)[static_cast<std::size_t>((k + lane) * count + i)]);
    }
    return result;
  });
}

}  // namespace

template <class T>
const Convolution<T>* Program<T>::convolution(Index radix) {
  const PrimeWay way = prime_way(radix);
  if (way.method == Method::direct) return nullptr;
  if (const auto known = convolutions_.find(radix); known != convolutions_.end()) return &known->second;
  Convolution<T> made{.inner = way.inner.n};
  made.forward = &passes(way.inner.radices, false);
  made.backward = &passes(way.inner.radices, true);
  way.method == Method::rader ? add_rader(radix, made) : add_bluestein(radix, made);
  made.filter = keep(
      shared_filter<T>(radix, way, way.method == Method::rader ? orders_.back() : std::vector<Index>{}, *routines_));
  return &convolutions_.emplace(radix, made).first->second;
}

template <class T>
void Program<T>::add_rader(Index radix, Convolution<T>& to) {
  to.run = routines_->rader;
  to.scratch = to.inner + to.forward->elements();
  to.order = orders_.emplace_back(generator_powers(radix)).data();
}

template <class T>
void Program<T>::add_bluestein(Index radix, Convolution<T>& to) {
  const Index length = 2 * half_blocks * to.inner;
  to.run = routines_->bluestein;
  to.scratch = length + to.forward->elements();
  to.chirp = keep(chirp_table<T>(radix, 0, length));
  to.odd_chirp = keep(chirp_table<T>(radix, 1, length));
  to.odd_chirp_back = keep(chirp_table<T>(radix, -1, length));
  to.begin = keep(shared_twiddles<T>(half_blocks, to.inner, true));
  to.end = keep(shared_twiddles<T>(half_blocks, to.inner, false));
}

template <class T>
const T* Program<T>::twiddles(Index radix, Index done) {
  const T*& table = twiddles_[{radix, done}];
  if (table == nullptr)
    table = keep(shared_twiddles<T>(radix, done, !is_own_radix(radix) && prime_way(radix).method != Method::direct));
  return table;
}

template <class T>
const T* Program<T>::lane_twiddles(Index radix, Index done, Index lanes) {
  return keep(shared_lane_twiddles<T>(radix, done, lanes));
}

// Numbers for pairs k, 0 <= k <= n/2, in vectors of real and imaginary parts of which the last one ends with n/2.
// Numbers without a pair are zero.
template <class T>
const T* Program<T>::lane_pairs(const T* table, Index n, Index lanes) {
  LargeVector<T> result;
  for (Index begin = 0; begin <= n / 2; begin += lanes)
    for (const Index part : {0, 1})
      for (Index lane = 0; lane < lanes; ++lane) {
        const Index k = std::min(begin, n / 2 + 1 - lanes) + lane;
        result.push_back(0 < k && 2 * k < n ? table[2 * (k - 1) + part] : T(0));
      }
  return keep(std::make_shared<const LargeVector<T>>(std::move(result)));
}

template <class T>
const T* Program<T>::matrix(Index radix) {
  return keep(matrix_table<T>(static_cast<int>(radix)));
}

template class Program<float>;
template class Program<double>;
template class Program<Fixed>;

}  // namespace shardfft::native
