// Wiener's filter, and the iterations of Richardson and Lucy.
#include <algorithm>
#include <cmath>
#include <complex>

#include <fmt/format.h>

#include "answers/beside.hpp"
#include "plan/operators/owned_rows.hpp"
#include "plan/operators/wave_numbers.hpp"
#include "shardfft/answers/convolution.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/operators/spectral.hpp"
#include "shardfft/programs/team.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

void require_deconvolution(const Plan& plan, const Deconvolution& how) {
  require_answering(plan, "deconvolve");
  if (plan.problem().kind != r2c)
    refuse_argument(fmt::format("deconvolve() is of real arrays; got {}; take a plan r2c", to_string(plan.problem())));
  if (how.iterations < 0) refuse_argument(fmt::format("iterations are 1 or more; got {}", how.iterations));
  if (!(how.balance >= 0 && std::isfinite(how.balance)))
    refuse_argument(fmt::format("the balance of Wiener's filter is 0 or more, and finite; got {}", how.balance));
}

/// Makes Wiener's factors of the spectrum of the point spread function.
template <class T>
void make_factors(const Plan& plan, std::complex<T>* spectrum, double balance) {
  std::vector<double> lengths;
  for (const Index n : plan.problem().shape) lengths.push_back(static_cast<double>(n));
  const WaveNumbers waves(plan.problem(), lengths);
  std::vector<AxisTable> tables;
  for (int a = 0; a < waves.dims(); ++a) tables.push_back(waves.laplace(a, Stencil::second_order));
  for_each_owned_row(
      plan.middle(), plan.comm().rank(), allowed_threads(),
      [&](int, const Coord& first, int axis, Index count, Index place) {
        for (Index i = 0; i < count; ++i) {
          double laplace = 0;
          for (int a = 0; a < waves.dims(); ++a)
            laplace += tables[static_cast<std::size_t>(a)][static_cast<std::size_t>(first[a] + (a == axis ? i : 0))];
          const std::complex<double> h(spectrum[place + i]);
          const double under = std::norm(h) + balance * laplace * laplace;
          spectrum[place + i] = std::complex<T>(under == 0 ? 0.0 : std::conj(h) / under);
        }
      });
}

template <class T>
void iterate(Plan& plan, View blurred, const Array& spectrum, View out, int iterations) {
  const Operator blur = spectral::convolve(plan, spectrum), back = spectral::correlate(plan, spectrum);
  Array lacks, corrections;
  collectively(plan.comm(), [&] { lacks = plan.make_input(), corrections = plan.make_applied(); });
  const auto count = static_cast<Index>(plan.input_bytes() / sizeof(T));
  const auto* given = static_cast<const T*>(blurred.data);
  T* estimate = const_cast<T*>(static_cast<const T*>(out.data));  // NOLINT: the caller's, who says what is written
  std::fill_n(estimate, count, T(0.5));
  constexpr T least = T(1e-12);  // blurred zeros give no infinite corrections
  T* const ratio = reinterpret_cast<T*>(lacks.data());
  const T* const changes = reinterpret_cast<const T*>(corrections.data());
  const int threads = allowed_threads();
  for (int i = 0; i < iterations; ++i) {
    plan.apply(out, corrections, blur);
    for_each_shared(threads, count, [&](Index e) { ratio[e] = given[e] / (changes[e] + least); });
    plan.apply(lacks, corrections, back);
    for_each_shared(threads, count, [&](Index e) { estimate[e] *= changes[e]; });
  }
}

}  // namespace

void deconvolve(Plan& plan, View blurred, View psf, View out, const Deconvolution& how) {
  collectively(plan.comm(), [&] {
    require_deconvolution(plan, how);
    require_bytes(blurred, static_cast<Index>(plan.input_bytes()), "the blurred array");
    require_bytes(out, static_cast<Index>(plan.input_bytes()), "the result");
  });
  in_precision_of(plan, [&](auto number) {
    using T = decltype(number);
    Array spectrum = transformed_beside(plan, psf, /*whole=*/true);
    if (how.iterations > 0) return iterate<T>(plan, blurred, spectrum, out, how.iterations);
    make_factors<T>(plan, reinterpret_cast<std::complex<T>*>(spectrum.data()), how.balance);
    plan.apply(blurred, out, spectral::multiply(plan, spectrum));
  });
}

}  // namespace shardfft
