// <r, out> must equal <F^T r, in> for every r. For r with independent entries of random phase, the mean of
// |difference|^2 is ||out - exact||^2.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "verify/exact_dft.hpp"
#include "verify/kinds/kind_matrix.hpp"
#include "verify/roots.hpp"
#include "verify/spec.hpp"

namespace shardfft {
namespace {

constexpr int most_probes = 1024;
constexpr Index phases =
    4096;  // entries are 4096-th roots of unity: mean 0, modulus 1, and two of them differ but for one time in 4096

/// Entries of the probe vectors along one axis, or one digit of it (0: lower, 1: higher): lane l is probe l. The same
/// on every rank and machine.
Quads probe_entries(Index count, int axis, int digit, int probes, std::uint64_t seed) {
  static const std::vector<ComplexDD> roots = roots_of_unity(phases, 1);
  const auto mixed =
      [](std::uint64_t state) {  // finaliser of SplitMix64 (Steele, Lea, Flood 2014; public-domain constants of Vigna)
        state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
        state = (state ^ (state >> 27)) * 0x94d049bb133111ebULL;
        return state ^ (state >> 31);
      };
  Quads r(count, whole_lanes(probes));
  for (int l = 0; l < probes; ++l) {
    const int number = (most_probes * digit + l) * max_dims + axis;
    const std::uint64_t stream = mixed(mixed(seed + 0x9e3779b97f4a7c15ULL) + static_cast<std::uint64_t>(number));
    for (Index i = 0; i < count; ++i)
      r.set(i, l,
            roots[static_cast<std::size_t>(mixed(stream + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(i + 1)) %
                                           phases)]);
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

/// Functionals of the output, and those of the input that must give the same values. For half spectrum in, real out,
/// the input has twice the lanes: out = Re(G in), so that <r, out> = ( <G^T r, in> + conj <G^T conj(r), in> ) / 2.
struct ProbePair {
  Functionals in{}, out{};
};

/// Weights of output and input along one axis.
struct AxisPair {
  std::unique_ptr<AxisWeights> in{}, out{};
};

/// What the probes along one axis depend on.
struct AxisProbes {
  int axis = 0;
  Index points = 0;     ///< logical extent
  KeptModes modes{};    ///< of the spectrum
  bool pruned = false;  ///< fewer of them, or fewer points
  Index outputs = 0, inputs = 0;
  int sign = 0;  ///< of the exponent; 0 when not transformed
  AxisKind kind = AxisKind::fourier;
  bool orthonormal = false;
  bool conjugates = false;  ///< twice the lanes for the input
  Index half_of = 0;        ///< extent of the spectrum that the input is half of along this axis, or 0
  int probes = 0;
  std::uint64_t seed = 0;
};

/// Turns functionals of the kept modes into functionals of all modes. Both frequencies of a shared place are in its
/// sum.
Quads spread(const Quads& kept, const KeptModes& modes) {
  Quads all(modes.n, kept.lanes);
  for (Index place = 0; place < kept.count(); ++place)
    std::copy_n(kept.at(place), 4 * kept.lanes, all.at(modes.index(place)));
  if (modes.folds()) std::copy_n(kept.at(modes.middle()), 4 * kept.lanes, all.at(modes.mirrored()));
  return all;
}

/// Turns functionals of all modes into functionals of the kept ones. Each frequency gets half of a shared place.
Quads folded(const Quads& all, const KeptModes& modes) {
  Quads kept(modes.count(), all.lanes);
  for (Index place = 0; place < kept.count(); ++place)
    std::copy_n(all.at(modes.index(place)), 4 * all.lanes, kept.at(place));
  if (!modes.folds()) return kept;
  for (int l = 0; l < all.lanes; ++l) {
    const ComplexDD both = all.get(modes.middle(), l) + all.get(modes.mirrored(), l);
    kept.set(modes.middle(), l, both * DoubleDouble{0.5});
  }
  return kept;
}

/// The functional of the input whose values are those of `r` on the output.
Quads transposed(Quads r, const AxisProbes& p) {
  const bool to_modes = p.sign < 0;
  r = p.pruned && to_modes ? spread(r, p.modes) : resized(std::move(r), p.points);
  r = ExactDft(p.points, p.sign)(r);
  return p.pruned && !to_modes ? folded(r, p.modes) : resized(std::move(r), p.inputs);
}

/// Independent phases for every position.
AxisPair short_axis(const AxisProbes& p) {
  Quads r = probe_entries(p.outputs, p.axis, 0, p.probes, p.seed);
  Quads image = p.conjugates ? with_conjugates(r) : r;
  if (p.kind != AxisKind::fourier)
    image =
        resized(KindMatrix(p.kind, p.points, p.orthonormal).transposed(resized(std::move(image), p.points)), p.inputs);
  else if (p.sign != 0)
    image = transposed(std::move(image), p);
  return {kept_weights(std::move(image), p.half_of), kept_weights(std::move(r))};
}

/// Independent phases for every value of either digit: as if the axis were two.
AxisPair long_axis(const AxisProbes& p) {
  const Index base = best_base(p.points, p.outputs);
  DigitTables r{probe_entries(base, p.axis, 0, p.probes, p.seed),
                probe_entries((p.outputs + base - 1) / base, p.axis, 1, p.probes, p.seed)};
  DigitTables image = p.conjugates ? DigitTables{with_conjugates(r.low), with_conjugates(r.high)} : r;
  auto in = p.kind != AxisKind::fourier ? transposed_weights(KindMatrix(p.kind, p.points, p.orthonormal), image)
            : p.sign == 0               ? digit_weights(std::move(image))
                                        : transformed_weights(image, p.outputs, p.points, p.sign, p.half_of);
  return {std::move(in), digit_weights(std::move(r))};
}

ProbePair make_probes(const TransformSpec& spec, const LocalArray& in, const LocalArray& out, int probes,
                      std::uint64_t seed) {
  ProbePair pair;
  for (int a = 0; a < spec.shape.dims(); ++a) {
    const bool half = is_real_axis(spec, a) && in.complex;
    const AxisProbes p{.axis = a,
                       .points = spec.shape[a],
                       .modes = modes_of(spec, a),
                       .pruned = is_transformed(spec, a) && is_pruned(spec, a),
                       .outputs = out.global[a],
                       .inputs = in.global[a],
                       .sign = is_transformed(spec, a) ? spec.sign : 0,
                       .kind = kind_of(spec, a),
                       .orthonormal = spec.orthonormal,
                       .conjugates = is_c2r(spec, in),
                       .half_of = half ? modes_of(spec, a).modes : 0,
                       .probes = probes,
                       .seed = seed};
    const Index longest = p.kind == AxisKind::fourier ? longest_table : longest_table / 8;  // its tables are longer
    AxisPair weights = p.points > longest && !p.pruned ? long_axis(p) : short_axis(p);
    pair.in.weights.push_back(std::move(weights.in));
    pair.out.weights.push_back(std::move(weights.out));
    if (half) pair.in.half_axis = a, pair.in.half_of = p.half_of;
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
  if (probes < 1 || probes > most_probes)
    throw Error(Status::invalid_argument,
                fmt::format("verify: the number of probes must be 1 to {}, but it is {}", most_probes, probes));
  if (in.global.dims() != spec.shape.dims() || out.global.dims() != spec.shape.dims())
    throw Error(Status::invalid_argument,
                fmt::format("verify: input and output must have the {} axes of the transform, but have {} and {}",
                            spec.shape.dims(), in.global.dims(), out.global.dims()));
  constexpr Index longest_pruned = Index{1} << 20;  // whose table takes a quarter of a gigabyte
  for (const int axis : spec.axes)
    if (is_pruned(spec, axis) && spec.shape[axis] > longest_pruned)
      throw Error(
          Status::unsupported,
          fmt::format("verify: an axis with fewer points or modes has at most {} of them in all; got {}; verify "
                      "samples instead",
                      longest_pruned, spec.shape[axis]));
}

/// What sums of two frequencies may add to the norm.
double folding(const TransformSpec& spec) {
  double factor = 1;
  for (const int axis : spec.axes)
    if (is_analysis(spec) && modes_of(spec, axis).folds()) factor *= std::sqrt(2.0);
  return factor;
}

// The error and its bound, which underflow raises where results are subnormal.
Verdict verdict(const Comm& comm, const LocalArray& in, const LocalArray& out, const TransformSpec& spec, int probes,
                std::uint64_t seed) {
  const double largest_in = largest(comm, in), largest_out = largest(comm, out);
  if (!std::isfinite(largest_in) || !std::isfinite(largest_out))
    return {.error_rel_l2 = std::numeric_limits<double>::quiet_NaN(), .bound = exact_bound(spec, in.precision)};
  const int e_in = exponent_of(largest_in), e_out = exponent_of(largest_out);
  const auto arithmetic = in.precision == Precision::f32 ? Arithmetic::plain : Arithmetic::double_double;

  ProbePair pair;
  collectively(comm, [&] { pair = make_probes(spec, in, out, probes, seed); });
  const Contraction x = contract(comm, in, pair.in, -e_in, arithmetic),
                    y = contract(comm, out, pair.out, -e_out, arithmetic);
  const std::vector<ComplexDD> exact = exact_values(x, is_c2r(spec, in));

  double sum = 0;  // of |difference|^2, in units of 4^e_in
  for (std::size_t l = 0; l < static_cast<std::size_t>(probes); ++l) {
    const ComplexDD got{scaled(y.values[l].re, e_out - e_in), scaled(y.values[l].im, e_out - e_in)};
    const ComplexDD difference = got - exact[l] * DoubleDouble{spec.scale};
    sum += std::pow(difference.re.rounded(), 2) + std::pow(difference.im.rounded(), 2);
  }
  const double error = std::sqrt(sum / probes);
  // The norm of the exact result follows from Parseval. Exceptions: half spectra (they hold from half of the energy to
  // all of it), cut axes, and cosines and sines that are not orthogonal. There the computed norm decides, within
  // bounds, for it may be far off.
  const double all = std::abs(spec.scale) * std::sqrt(transform_size(spec) * x.energy) * folding(spec),
               computed = std::ldexp(std::sqrt(y.energy), e_out - e_in);
  const NormRange range = norm_range(spec);
  const double norm =
      is_pruned(spec)
          ? std::min(computed, all * range.most)
          : std::clamp(computed, all * range.least * (is_r2c(spec, in) ? std::sqrt(0.5) : 1), all * range.most);
  // Arithmetic errs relative to all that was computed, of which the result is a part.
  const double bound = exact_bound(spec, in.precision) * (is_pruned(spec) && norm > 0 ? all * range.most / norm : 1);
  if (norm == 0) return {.error_rel_l2 = error == 0 ? 0 : std::numeric_limits<double>::infinity(), .bound = bound};
  const double numbers = static_cast<double>(product(out.global)) * (out.complex ? 2 : 1);
  const double floor = std::ldexp(floor_in_subnormals(spec, numbers), smallest_exponent(out.precision) - e_in);
  return {.error_rel_l2 = error / norm, .bound = bound + floor / norm};
}

}  // namespace

Verdict verify(const Comm& comm, const LocalArray& in, const LocalArray& out, const TransformSpec& spec, int probes,
               std::uint64_t seed) {
  check(in, out, spec, probes);
  return verdict(comm, in, out, spec, probes, seed);
}

}  // namespace shardfft
