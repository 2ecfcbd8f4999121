// The shift between two arrays.
#pragma once

#include <vector>

#include "shardfft/files.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// The place of an array with regard to a reference.
struct Registration {
  std::vector<double> shift{};  ///< points along each axis by which `moving` must be moved to lie on `reference`
  double peak = 0;              ///< the correlation there; of phases at most 1
};
struct RegistrationRequest {
  bool phase = true;  ///< every mode counts alike; else those count by their power
  int upsample = 1;   ///< the shift is a multiple of 1 / upsample points, 1 to 1000
};

/// Collective. The shift between two periodic arrays by phase correlation: the peak of it, refined by its Fourier sums
/// at finer points around the peak (Guizar-Sicairos, Thurman and Fienup, Optics Letters 33, 2008).
///   plan         c2c or r2c on the host along all axes, made with options.apply = to_outputs
///   reference, moving  in the input layout
///   correlation  in the layout of applied(): element x is the correlation at the shift x; overwritten
///   error        invalid_argument
[[nodiscard]] Registration register_shift(Plan& plan, View reference, View moving, View correlation,
                                          const RegistrationRequest& request = {});

namespace files {

/// Collective. register_shift() of arrays in files that may be larger than memory. It finds the same shift, with the
/// same bits if upsample is 1. Throws what apply() throws, too.
///   problem  c2c or r2c along all axes
///   out      a new file of the correlation, of plan_dtype(), which is not committed; or none
[[nodiscard]] Registration register_shift(const Comm& comm, const File& reference, const File& moving, const File* out,
                                          const Problem& problem, const RegistrationRequest& request = {},
                                          const Options& options = {}, const OutOfCore& how = {});

}  // namespace files

}  // namespace shardfft
