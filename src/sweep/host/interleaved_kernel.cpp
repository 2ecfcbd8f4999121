#include "sweep/host/interleaved_kernel.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace shardfft {
namespace {

std::size_t row_bytes(const TileFormat& format, Scalar scalar) {
  return static_cast<std::size_t>(format.pencils) * size_of(scalar) * (format.complex ? 2 : 1);
}

// Whole rows of what is gathered and of what is scattered, and whole lines: powers of two, all of them.
std::size_t bytes_of_copy(const Kernel& one, Scalar scalar) {
  const std::size_t unit = std::max({row_bytes(one.in(), scalar), row_bytes(one.out(), scalar), std::size_t{64}});
  return (one.buffer_bytes() + unit - 1) / unit * unit;
}

}  // namespace

InterleavedKernel::InterleavedKernel(std::shared_ptr<const Kernel> one, Scalar scalar, Index copies)
    : one_(std::move(one)),
      copies_(copies),
      copy_bytes_(bytes_of_copy(*one_, scalar)),
      in_(placed(one_->in(), scalar)),
      out_(placed(one_->out(), scalar)) {
  in_.format.places = in_.places.data();
  out_.format.places = out_.places.data();
}

std::size_t InterleavedKernel::buffer_bytes(const Kernel& one, Scalar scalar, Index copies) {
  return static_cast<std::size_t>(copies) * bytes_of_copy(one, scalar);
}

InterleavedKernel::PlacedFormat InterleavedKernel::placed(const TileFormat& of_one, Scalar scalar) const {
  PlacedFormat all{.format = of_one};
  all.format.length = of_one.length * copies_;
  const auto rows_of_copy = static_cast<Index>(copy_bytes_ / row_bytes(of_one, scalar));
  all.places.reserve(static_cast<std::size_t>(all.format.length));
  for (Index k = 0; k < of_one.length; ++k)
    for (Index c = 0; c < copies_; ++c) all.places.push_back(c * rows_of_copy + of_one.place(k));
  return all;
}

std::byte* InterleavedKernel::run(std::byte* a, std::byte* b) const {
  std::byte* result = a;
  for (std::size_t c = static_cast<std::size_t>(copies_); c-- > 0;) {
    const std::size_t at = c * copy_bytes_;
    result = one_->run(a + at, b + at);  // at last of the first one, where all of them begin
  }
  return result;
}

std::string InterleavedKernel::describe() const { return fmt::format("{} times {}", copies_, one_->describe()); }

}  // namespace shardfft
