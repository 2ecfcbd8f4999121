#include "engine/native/four_step/four_step_pencil.hpp"

#include "engine/native/four_step/four_step_complex.hpp"
#include "engine/native/four_step/four_step_convolution.hpp"
#include "engine/native/four_step/four_step_real.hpp"

namespace shardfft::native {

namespace {

bool is_real(Transform1d t) { return t == Transform1d::r2c || t == Transform1d::c2r; }

bool has_vectors(Scalar scalar) {
  return scalar == Scalar::f32 ? four_step_routines<float>() != nullptr : four_step_routines<double>() != nullptr;
}

/// How a length is computed.
struct FourStepOrder {
  FourStepChoice way{};
  bool convolution = false;
};

/// What a convolution costs per element of its pencil.
double convolution_cost(Index n, const FourStepChoice& inner) {
  return (2 * inner.cost + 10) * static_cast<double>(inner.halves.length()) / static_cast<double>(n);
}

FourStepOrder way_of(const KernelRequest& request) {
  const Index lanes = static_cast<Index>(64 / size_of(request.scalar));
  const std::optional<FourStepChoice> halves = four_step_factors(request.n, {lanes, is_real(request.transform)});
  const FourStepChoice inner =
      four_step_factors_at_least(least_convolution_length(request.n, chirp_form(request.n)), {lanes, false});
  if (halves && halves->cost <= convolution_cost(request.n, inner)) return {*halves, false};
  return {inner, true};
}

// Found by measuring (docs/performance/results.md, "Long pencils"). Bits depend on these, so they are not the
// machine's. Tiles of many pencils take twice the work for odd lengths of reals; even ones, and complex ones, are
// faster in lanes as long as the common cache holds them.
constexpr Index least_convolution = 4096, least_odd_real = 4096, least_of_few = 4096, least_of_many = Index{1} << 20;

Index least_of_halves(const KernelRequest& request) {
  if (request.few_pencils) return least_of_few;
  return is_real(request.transform) && request.n % 2 != 0 ? least_odd_real : least_of_many;
}

}  // namespace

bool is_long(const KernelRequest& request) {
  if (request.n < least_convolution || !has_vectors(request.scalar)) return false;
  return request.n >= least_of_halves(request) || way_of(request).convolution;
}

template <class T>
std::shared_ptr<const Kernel> make_four_step_kernel(const KernelRequest& request) {
  const FourStepOrder way = way_of(request);
  const FourStepFactors& halves = way.way.halves;
  if (way.convolution)
    return std::make_shared<FourStepConvolution<T>>(request, halves, *four_step_routines<T>(), routines<T>(),
                                                    chirp_form(request.n));
  if (is_real(request.transform))
    return std::make_shared<FourStepReal<T>>(request, halves, *four_step_routines<T>(), routines<T>());
  return std::make_shared<FourStepComplex<T>>(request, halves, *four_step_routines<T>(), routines<T>());
}

template std::shared_ptr<const Kernel> make_four_step_kernel<float>(const KernelRequest&);
template std::shared_ptr<const Kernel> make_four_step_kernel<double>(const KernelRequest&);

}  // namespace shardfft::native
