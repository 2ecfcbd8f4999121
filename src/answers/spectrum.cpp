// Shells of a spectrum in the units that people use.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "passes/two.hpp"
#include "plan/operators/shells.hpp"
#include "shardfft/answers/spectrum.hpp"
#include "support/comm/agree.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

void require_fourier_axes(const Problem& problem) {
  if (problem.kind != c2c && problem.kind != r2c)
    refuse_argument(fmt::format("a spectrum is of a plan c2c or r2c; got {}; transform forward", to_string(problem)));
  for (const AxisKind kind : problem.kinds)
    if (kind != AxisKind::fourier)
      refuse_argument(fmt::format("a spectrum is of Fourier axes; got {}; use power_spectrum()", to_string(kind)));
}

/// What the box says of the numbers in it.
struct BoxOfSpectrum {
  BoxOfSpectrum(const Problem& problem, const WaveNumbers& waves)
      : dims(static_cast<int>(waves.axes().size())), is_real(problem.kind == r2c) {
    double points = 1, widest = 0;
    for (const int a : waves.axes()) {
      points *= static_cast<double>(problem.shape[a]);
      volume *= waves.period(a);
      if (problem.shape[a] > 1) widest = std::max(widest, waves.period(a) / static_cast<double>(problem.shape[a]));
    }
    nyquist = widest > 0 ? std::numbers::pi / widest : std::numeric_limits<double>::infinity();
    const Scaling scaled = problem.forward;
    square = scaled == Scaling::by_n ? 1 : scaled == Scaling::none ? 1 / points / points : 1 / points;
  }
  int dims;
  bool is_real;
  double volume = 1;
  double nyquist = 0;
  double square = 1;  ///< makes |F|^2 / N^2 of squares of what the plan's forward leaves
};

/// By what the sum of a shell is multiplied.
double factor_of(PowerAs power, const BoxOfSpectrum& box, const SpectrumShell& shell, double width) {
  const double density = box.square * box.volume / static_cast<double>(shell.modes), k = shell.k_mean;
  constexpr double pi = std::numbers::pi;
  switch (power) {
    case PowerAs::sum:
      return box.square;
    case PowerAs::energy:
      return box.square / 2 / width;
    case PowerAs::dimensionless:
      return density * std::pow(k, box.dims) / (box.dims == 3 ? 2 * pi * pi : box.dims == 2 ? 2 * pi : pi);
    default:
      return density;
  }
}

/// Collective.
Shells shells_of(const Comm& comm, const Problem& problem, const SpectrumRequest& request) {
  std::optional<Shells> shells;
  collectively(comm, [&] {
    require_fourier_axes(problem);
    shells.emplace(WaveNumbers(problem, request.lengths), request.width, request.centred, /*usual_is_longest=*/false);
    if (request.power == PowerAs::dimensionless && shells->waves().axes().size() > 3)
      refuse_argument("a dimensionless spectrum is of 1 to 3 dimensions; got 4; take another one");
  });
  return *shells;
}

/// What sums over ranks say, of one spectrum or two.
std::vector<SpectrumShell> rows_of(const Problem& problem, const Shells& shells, const std::vector<double>& sums,
                                   bool two, const SpectrumRequest& request) {
  const BoxOfSpectrum box(problem, shells.waves());
  const std::size_t count = shells.count();
  const auto sum = [&](ShellSum what, std::size_t s) { return sums[static_cast<std::size_t>(what) * count + s]; };
  std::vector<SpectrumShell> rows(count);
  for (std::size_t s = 0; s < count; ++s) {
    SpectrumShell& row = rows[s];
    row.k_low = shells.edge(s) * shells.unit();
    row.k_high = shells.edge(s + 1) * shells.unit();
    row.modes = static_cast<Index>(sums[sums.size() - count + s]);
    const auto modes = static_cast<double>(row.modes);
    row.k_mean = sum(ShellSum::wave_number, s) / modes * shells.unit();
    row.beyond_nyquist = shells.edge(s + 1) > box.nyquist / shells.unit() * (1 + 1e-12);
    const double factor = factor_of(request.power, box, row, shells.width() * shells.unit());
    row.power = sum(ShellSum::power, s) * factor;
    row.error = row.power * std::sqrt((box.is_real ? 2 : 1) / modes);
    if (!two) continue;
    row.power_b = sum(ShellSum::power_b, s) * factor;
    row.cross_re = sum(ShellSum::cross_re, s) * factor;
    row.cross_im = sum(ShellSum::cross_im, s) * factor;
    row.correlation =
        sum(ShellSum::cross_re, s) / std::sqrt(sum(ShellSum::power, s)) / std::sqrt(sum(ShellSum::power_b, s));
  }
  return rows;
}

}  // namespace

std::vector<SpectrumShell> spectrum(const Plan& plan, View a, View b, const SpectrumRequest& request) {
  const Shells shells = shells_of(plan.comm(), plan.problem(), request);
  const bool two = b.data != nullptr || b.bytes > 0;
  const View spectra[] = {a, b};
  return rows_of(plan.problem(), shells, sum_shells(plan, {spectra, two ? 2U : 1U}, shells, two ? 5 : 2, "spectrum"),
                 two, request);
}

std::vector<SpectrumShell> files::spectrum(const Comm& comm, const File& in, const Problem& problem,
                                           const SpectrumRequest& request, const Options& options, const OutOfCore& how,
                                           const File* second) {
  require_same(comm, "the spectrum that is asked for",
               fmt::format("lengths {}\nwidth {}\ncentred {}\n", fmt::join(request.lengths, " "), request.width,
                           request.centred));
  const Shells shells = shells_of(comm, problem, request);
  ShellSums sums(shells, second ? 5 : 2);
  if (second)
    (void)reduce_two(
        comm, in, *second, problem,
        [&](const Box& box, const std::byte* a, const std::byte* b) { sums.add(box, a, b); }, options, how);
  else
    (void)reduce(
        comm, in, problem, [&](const Box& box, const std::byte* elements) { sums.add(box, elements); }, options, how);
  return rows_of(problem, shells, sums.over_ranks(comm), second != nullptr, request);
}

}  // namespace shardfft
