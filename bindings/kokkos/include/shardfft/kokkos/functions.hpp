// numpy.fft on whole Views in this process, with KokkosFFT's names and order of arguments. Nothing is copied: outputs
// have the extents that numpy.fft would give them. Errors are shardfft::Error.
//   norm       which direction is divided by the number of points
//   axis, axes negative ones count from the end; of reals the last one is halved
//   n, s       lengths: of the reals, else of the output. The input is cut off, or continued by zeros
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "shardfft/kokkos/hermitian.hpp"
#include "shardfft/kokkos/kept_plans.hpp"
#include "shardfft/kokkos/sides.hpp"

namespace shardfft::kokkos {

enum class Numbers { complex, from_reals, to_reals };

/// All functions. `scaled_as`: the direction whose factor the run has.
template <Numbers numbers, class Exec, class In, class Out, std::size_t Count>
void transform(const Exec& exec, const In& in, const Out& out, Direction direction, Direction scaled_as,
               Normalization norm, const axis_type<Count>& axes, const shape_type<Count>& s) {
  constexpr bool from_complex = number_of<In>::complex, to_complex = number_of<Out>::complex;
  static_assert(numbers != Numbers::complex || (from_complex && to_complex),
                "shardfft: fft and ifft go from complex to complex; of reals take rfft and irfft");
  static_assert(numbers != Numbers::from_reals || (!from_complex && to_complex),
                "shardfft: rfft and ihfft go from reals to complex");
  static_assert(numbers != Numbers::to_reals || (from_complex && !to_complex),
                "shardfft: irfft and hfft go from complex to reals");
  static_assert(Count >= 1, "shardfft: one axis or more is transformed; name them");
  const Asked asked =
      ask(exec, in, out, direction, {axes.begin(), axes.end()}, std::vector<Index>{s.begin(), s.end()}, Options{});
  if (asked.is_empty_batch()) return;
  if constexpr (is_host<Exec>) exec.fence();
  KeptPlans::all().with_plan(asked, [&](shardfft::Plan& plan) {
    const double scale = factor(norm, scaled_as, asked.points());
    if (direction == Direction::forward)
      plan.forward(view_of(in), view_of(out), scale);
    else
      plan.backward(view_of(in), view_of(out), scale);
  });
}

/// The last `Count` axes.
template <std::size_t Count>
[[nodiscard]] constexpr axis_type<Count> last_axes() {
  axis_type<Count> axes{};
  for (std::size_t i = 0; i < Count; ++i) axes[i] = static_cast<int>(i) - static_cast<int>(Count);
  return axes;
}

template <class Exec, class In, class Out>
void fft(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward, int axis = -1,
         std::optional<std::size_t> n = std::nullopt) {
  transform<Numbers::complex>(exec, in, out, Direction::forward, Direction::forward, norm, axis_type<1>{axis},
                              shape_type<1>{n.value_or(0)});
}
template <class Exec, class In, class Out>
void ifft(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward, int axis = -1,
          std::optional<std::size_t> n = std::nullopt) {
  transform<Numbers::complex>(exec, in, out, Direction::backward, Direction::backward, norm, axis_type<1>{axis},
                              shape_type<1>{n.value_or(0)});
}
template <class Exec, class In, class Out>
void rfft(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward, int axis = -1,
          std::optional<std::size_t> n = std::nullopt) {
  transform<Numbers::from_reals>(exec, in, out, Direction::forward, Direction::forward, norm, axis_type<1>{axis},
                                 shape_type<1>{n.value_or(0)});
}
template <class Exec, class In, class Out>
void irfft(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward, int axis = -1,
           std::optional<std::size_t> n = std::nullopt) {
  transform<Numbers::to_reals>(exec, in, out, Direction::backward, Direction::backward, norm, axis_type<1>{axis},
                               shape_type<1>{n.value_or(0)});
}

/// Spectrum of a signal with Hermitian symmetry, whose half is `in`: reals, with exponent -1.
template <class Exec, class In, class Out>
void hfft(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward, int axis = -1,
          std::optional<std::size_t> n = std::nullopt) {
  transform<Numbers::to_reals>(exec, in, out, Direction::backward, Direction::forward, norm, axis_type<1>{axis},
                               shape_type<1>{n.value_or(0)});
  reverse_along(exec, out, axis < 0 ? axis + rank_of<Out> : axis);
}
/// Its inverse.
template <class Exec, class In, class Out>
void ihfft(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward, int axis = -1,
           std::optional<std::size_t> n = std::nullopt) {
  transform<Numbers::from_reals>(exec, in, out, Direction::forward, Direction::backward, norm, axis_type<1>{axis},
                                 shape_type<1>{n.value_or(0)});
  conjugate(exec, out);
}

template <class Exec, class In, class Out>
void fft2(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward,
          axis_type<2> axes = {-2, -1}, shape_type<2> s = {}) {
  transform<Numbers::complex>(exec, in, out, Direction::forward, Direction::forward, norm, axes, s);
}
template <class Exec, class In, class Out>
void ifft2(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward,
           axis_type<2> axes = {-2, -1}, shape_type<2> s = {}) {
  transform<Numbers::complex>(exec, in, out, Direction::backward, Direction::backward, norm, axes, s);
}
template <class Exec, class In, class Out>
void rfft2(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward,
           axis_type<2> axes = {-2, -1}, shape_type<2> s = {}) {
  transform<Numbers::from_reals>(exec, in, out, Direction::forward, Direction::forward, norm, axes, s);
}
template <class Exec, class In, class Out>
void irfft2(const Exec& exec, const In& in, const Out& out, Normalization norm = Normalization::backward,
            axis_type<2> axes = {-2, -1}, shape_type<2> s = {}) {
  transform<Numbers::to_reals>(exec, in, out, Direction::backward, Direction::backward, norm, axes, s);
}

template <class Exec, class In, class Out, std::size_t Count = static_cast<std::size_t>(rank_of<In>)>
void fftn(const Exec& exec, const In& in, const Out& out, axis_type<Count> axes = last_axes<Count>(),
          Normalization norm = Normalization::backward, shape_type<Count> s = {}) {
  transform<Numbers::complex>(exec, in, out, Direction::forward, Direction::forward, norm, axes, s);
}
template <class Exec, class In, class Out, std::size_t Count = static_cast<std::size_t>(rank_of<In>)>
void ifftn(const Exec& exec, const In& in, const Out& out, axis_type<Count> axes = last_axes<Count>(),
           Normalization norm = Normalization::backward, shape_type<Count> s = {}) {
  transform<Numbers::complex>(exec, in, out, Direction::backward, Direction::backward, norm, axes, s);
}
template <class Exec, class In, class Out, std::size_t Count = static_cast<std::size_t>(rank_of<In>)>
void rfftn(const Exec& exec, const In& in, const Out& out, axis_type<Count> axes = last_axes<Count>(),
           Normalization norm = Normalization::backward, shape_type<Count> s = {}) {
  transform<Numbers::from_reals>(exec, in, out, Direction::forward, Direction::forward, norm, axes, s);
}
template <class Exec, class In, class Out, std::size_t Count = static_cast<std::size_t>(rank_of<In>)>
void irfftn(const Exec& exec, const In& in, const Out& out, axis_type<Count> axes = last_axes<Count>(),
            Normalization norm = Normalization::backward, shape_type<Count> s = {}) {
  transform<Numbers::to_reals>(exec, in, out, Direction::backward, Direction::backward, norm, axes, s);
}

}  // namespace shardfft::kokkos
