// <r, out> must equal <F^T r, in> for every r. For r with independent entries of random phase, the mean of |difference|^2 is ||out - exact||^2.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "verify/exact_dft.hpp"
#include "verify/roots.hpp"
#include "verify/spec.hpp"

namespace shardfft {
namespace {

constexpr Index phases = 4096;  // entries are 4096-th roots of unity: mean 0, modulus 1, and two of them differ but for one time in 4096

/// Entries of the probe vectors along one axis: lane l is probe l. The same on every rank and machine.
Quads probe_entries(Index count, int axis, int probes, std::uint64_t seed) {
  static const std::vector<ComplexDD> roots = roots_of_unity(phases, 1);
  const auto mixed = [](std::uint64_t state) {  // finaliser of SplitMix64 (Steele, Lea, Flood 2014; public-domain constants of Vigna)
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebULL;
    return state ^ (state >> 31);
  };
  Quads r(count, whole_lanes(probes));
  for (int l = 0; l < probes; ++l) {
    const std::uint64_t stream = mixed(mixed(seed + 0x9e3779b97f4a7c15ULL) + static_cast<std::uint64_t>(l * max_dims + axis));
    for (Index i = 0; i < count; ++i) r.set(i, l, roots[static_cast<std::size_t>(mixed(stream + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(i + 1)) % phases)]);
  }
  return r;
}

/// Lanes of r, then as many of conj(r).
Quads with_conjugates(const Quads& r) {
  Quads both(r.count(), 2 * r.lanes);
  for (Index i = 0; i < r.count(); ++i)
    for (int l = 0; l < r.lanes; ++l) {
      both.set(i, l, r.get(i, l));
      both.set(i, r.lanes + l, conj(r.get(i, l)));
    }
  return both;
}

/// The first `count` entries, or zeros behind the last.
Quads resized(Quads table, Index count) {
  table.values.resize(static_cast<std::size_t>(4 * table.lanes * count));
  return table;
}

/// Functionals of the output, and those of the input that must give the same values. For half spectrum in, real out, the input has twice the lanes:
/// out = Re(G in), so that <r, out> = ( <G^T r, in> + conj <G^T conj(r), in> ) / 2.
struct ProbePair {
  Functionals in{}, out{};
};

ProbePair make_probes(const TransformSpec& spec, const LocalArray& in, const LocalArray& out, int probes, std::uint64_t seed) {
  ProbePair pair;
  for (int a = 0; a < spec.shape.dims(); ++a) {
    const Index n = spec.shape[a];
    const Quads r = probe_entries(out.global[a], a, probes, seed);
    Quads image = is_c2r(spec, in) ? with_conjugates(r) : r;
    std::vector<double> energy;
    if (is_transformed(spec, a)) image = ExactDft(n, spec.sign)(resized(std::move(image), n));
    if (is_real_axis(spec, a) && in.complex) {
      image = resized(std::move(image), in.global[a]);
      for (Index k = 0; k < in.global[a]; ++k) {
        energy.push_back(multiplicity(k, n));
        std::for_each_n(image.at(k), 4 * image.lanes, [&](double& v) { v *= energy.back(); });
      }
    }
    pair.out.weights.push_back(r);
    pair.out.energy.emplace_back();
    pair.in.weights.push_back(std::move(image));
    pair.in.energy.push_back(std::move(energy));
  }
  return pair;
}

/// Values of the probes on the exact output, but for `scale`.
std::vector<ComplexDD> exact_values(const Contraction& in, bool c2r) {
  if (!c2r) return in.values;
  const std::size_t lanes = in.values.size() / 2;
  std::vector<ComplexDD> values(lanes);
  for (std::size_t l = 0; l < lanes; ++l) values[l] = (in.values[l] + conj(in.values[lanes + l])) * DoubleDouble{0.5};
  return values;
}

void check(const LocalArray& in, const LocalArray& out, const TransformSpec& spec, int probes) {
  if (probes < 1 || probes > 1024) throw Error(Status::invalid_argument, fmt::format("verify: the number of probes must be 1 to 1024, but it is {}", probes));
  if (in.global.dims() != spec.shape.dims() || out.global.dims() != spec.shape.dims())
    throw Error(Status::invalid_argument, fmt::format("verify: input and output must have the {} axes of the transform, but have {} and {}",
                                                      spec.shape.dims(), in.global.dims(), out.global.dims()));
}

double relative_error(const Comm& comm, const LocalArray& in, const LocalArray& out, const TransformSpec& spec, int probes, std::uint64_t seed) {
  const double largest_in = largest(comm, in), largest_out = largest(comm, out);
  if (!std::isfinite(largest_in) || !std::isfinite(largest_out)) return std::numeric_limits<double>::quiet_NaN();
  const int e_in = exponent_of(largest_in), e_out = exponent_of(largest_out);
  const auto arithmetic = in.precision == Precision::f32 ? Arithmetic::plain : Arithmetic::double_double;

  ProbePair pair;
  collectively(comm, [&] { pair = make_probes(spec, in, out, probes, seed); });
  const Contraction x = contract(comm, in, pair.in, -e_in, arithmetic), y = contract(comm, out, pair.out, -e_out, arithmetic);
  const std::vector<ComplexDD> exact = exact_values(x, is_c2r(spec, in));

  double sum = 0;  // of |difference|^2, in units of 4^e_in
  for (std::size_t l = 0; l < static_cast<std::size_t>(probes); ++l) {
    const ComplexDD got{scaled(y.values[l].re, e_out - e_in), scaled(y.values[l].im, e_out - e_in)};
    const ComplexDD difference = got - exact[l] * DoubleDouble{spec.scale};
    sum += std::pow(difference.re.rounded(), 2) + std::pow(difference.im.rounded(), 2);
  }
  const double error = std::sqrt(sum / probes);
  const double norm = is_r2c(spec, in) ? std::ldexp(std::sqrt(y.energy), e_out - e_in) : std::abs(spec.scale) * std::sqrt(transform_size(spec) * x.energy);
  if (norm > 0) return error / norm;
  return error == 0 ? 0 : std::numeric_limits<double>::infinity();
}

}  // namespace

Verdict verify(const Comm& comm, const LocalArray& in, const LocalArray& out, const TransformSpec& spec, int probes, std::uint64_t seed) {
  check(in, out, spec, probes);
  return {.error_rel_l2 = relative_error(comm, in, out, spec, probes, seed), .bound = exact_bound(spec, in.precision)};
}

}  // namespace shardfft
