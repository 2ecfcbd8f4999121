#include "sweep/row_chirp.hpp"

#include "engine/native/root_products.hpp"
#include "sweep/host/tile_loops.hpp"

namespace shardfft {
namespace {

template <class T>
void multiply_tile(const double* factors, Index row, const TileFormat& format, T* tile,
                   const RowChirp::Pencils& pencils) {
  const TileSteps steps(format);
  for (Index k = 0; k < row; ++k)
    for (Index v = 0; v < pencils.count; ++v) {
      const double* const factor = factors + 2 * (v * pencils.step * row + k);
      const auto fr = static_cast<T>(factor[0]), fi = static_cast<T>(factor[1]);
      T* const x = tile + format.place(k) * steps.k + (pencils.lane + v) * steps.v;
      const T re = x[0], im = x[steps.imaginary];
      x[0] = re * fr - im * fi;
      x[steps.imaginary] = re * fi + im * fr;
    }
}

}  // namespace

// From element to element the factor turns by an angle that grows evenly.
void store_chirp(Index n, Index first, Index count, double* to) {
  const Index turns = 2 * n, k = (first % turns + turns) % turns;
  const auto root = [&](Index by) { return native::root_of_unity(by, turns); };
  native::Root factor = root(native::multiply_mod(k, k, turns)), step = root((2 * k + 1) % turns);
  const native::Root bend = root(2);
  for (Index i = 0; i < count; ++i) {
    to[2 * i] = static_cast<double>(factor.re);
    to[2 * i + 1] = static_cast<double>(factor.im);
    factor = factor * step;
    step = step * bend;
  }
}

RowChirp::RowChirp(Index n, Index row, Index first, Index end, bool conjugated)
    : row_(row), first_(first), end_(end), factors_(static_cast<std::size_t>(2 * row * (end - first))) {
  for (Index r = first; r < end; ++r) store_chirp(n, r * row, row, factors_.data() + 2 * row * (r - first));
  for (std::size_t i = 1; conjugated && i < factors_.size(); i += 2) factors_[i] = -factors_[i];
}

void RowChirp::multiply(Scalar scalar, const TileFormat& format, std::byte* tile, const Pencils& pencils) const {
  const double* const factors = factors_.data() + 2 * row_ * (pencils.row - first_);
  if (scalar == Scalar::f32)
    multiply_tile(factors, row_, format, reinterpret_cast<float*>(tile), pencils);
  else
    multiply_tile(factors, row_, format, reinterpret_cast<double*>(tile), pencils);
}

}  // namespace shardfft
