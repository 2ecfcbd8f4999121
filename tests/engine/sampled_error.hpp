// How far a kernel is from the definition, at some outputs.
#pragma once

#include <cmath>

#include "engine/pencils.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {

/// Mean squared value of an output: Parseval.
inline Wide mean_square(const Pencil& inputs) {
  Wide sum = 0;
  for (const auto& x : inputs) sum += std::norm(x);
  return sum;
}

/// By the definition each takes as long as the length, and under sanitizers many times longer than the kernel.
inline constexpr int usual_samples = sanitized ? 6 : 24;

/// Root of the mean squared error of `samples` outputs, relative to what an output is on average.
template <class T>
double sampled_error(const Kernel& kernel, Transform1d t, Index n, std::mt19937_64& random, const Definition& reference,
                     int samples = usual_samples) {
  std::vector<Pencil> pencils;
  for (int v = 0; v < kernel.in().pencils; ++v)
    pencils.push_back(random_pencil<T>(random, input_length(t, n), is_real_in(t)));
  const auto out = transformed<T>(kernel, pencils);
  Wide error = 0;
  for (int i = 0; i < samples; ++i) {
    const std::size_t v = random() % out.size(), u = random() % out[v].size();
    const Pencil inputs = complex_inputs(pencils[v], t, n);
    auto want = reference.output(inputs, static_cast<Index>(u), sign_of(t));
    if (is_real_out(t)) want.imag(0);
    error += std::norm(out[v][u] - want) / mean_square(inputs);
  }
  return static_cast<double>(std::sqrt(error / samples));
}

}  // namespace shardfft::testing
