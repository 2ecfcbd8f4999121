// Answers about arrays outside memory.
#include <optional>

#include "outside.hpp"
#include "shardfft/answers/convolution.hpp"
#include "shardfft/answers/registration.hpp"
#include "shardfft/answers/spectrum.hpp"

namespace shardfft::python {
namespace {

/// Without a second array `second` is none.
nb::list spectrum_outside(const Comm& comm, const nb::object& source, const nb::object& second, const Request& request,
                          const std::vector<double>& lengths, double width, bool centred, const std::string& normalize,
                          files::OutOfCore how) {
  const auto [problem, options] = agreed(comm, request);
  const End from = read_end(source);
  std::optional<End> other;
  if (!second.is_none()) other = read_end(second);
  const SpectrumRequest asked{.lengths = lengths, .width = width, .centred = centred, .power = power_of(normalize)};
  Interruptible watcher(comm);
  how.watcher = &watcher;
  std::vector<SpectrumShell> shells;
  {
    const nb::gil_scoped_release free;
    const files::File in = opened(comm, from);
    std::optional<files::File> beside;
    if (other) beside = opened(comm, *other);
    shells = files::spectrum(comm, in, problem, asked, options, how, beside ? &*beside : nullptr);
  }
  return rows_of(shells);
}

/// Without a place for the correlation `target` is none.
nb::tuple register_outside(const Comm& comm, const nb::object& reference, const nb::object& moving,
                           const nb::object& target, const Request& request, bool phase, int upsample,
                           files::OutOfCore how) {
  const auto [problem, options] = agreed(comm, request);
  const End first = read_end(reference), second = read_end(moving);
  std::optional<End> to;
  if (!target.is_none()) to = read_end(target);
  Interruptible watcher(comm);
  how.watcher = &watcher;
  Registration found;
  {
    const nb::gil_scoped_release free;
    const files::File a = opened(comm, first), b = opened(comm, second);
    std::optional<files::File> out;
    if (to) out = created(comm, *to, {problem.shape, files::plan_dtype(problem.precision, problem.kind == c2c), {}});
    found = files::register_shift(comm, a, b, out ? &*out : nullptr, problem, {.phase = phase, .upsample = upsample},
                                  options, how);
    if (out) out->commit();
  }
  return nb::make_tuple(found.shift, found.peak);
}

void convolve_outside(const Comm& comm, const nb::object& source, const nb::object& kernel, const nb::object& target,
                      const Convolution& what, bool by_tiles, int threads, files::OutOfCore how) {
  const End from = read_end(source), by = read_end(kernel), to = read_end(target);
  Interruptible watcher(comm);
  how.watcher = &watcher;
  const nb::gil_scoped_release free;
  const files::File in = opened(comm, from), weights = opened(comm, by);
  files::File out = created(comm, to, {what.result(), files::plan_dtype(what.precision, what.complex), {}});
  (by_tiles ? files::convolve_tiles : files::convolve)(comm, in, weights, out, what, {.threads = threads}, how);
  out.commit();
}

void deconvolve_outside(const Comm& comm, const nb::object& source, const nb::object& psf, const nb::object& target,
                        bool single, int iterations, double balance, int threads, files::OutOfCore how) {
  const End from = read_end(source), by = read_end(psf), to = read_end(target);
  const Precision precision = single ? f32 : f64;
  Interruptible watcher(comm);
  how.watcher = &watcher;
  const nb::gil_scoped_release free;
  const files::File in = opened(comm, from), spread = opened(comm, by);
  files::File out = created(comm, to, {in.info().shape, files::plan_dtype(precision, false), {}});
  files::deconvolve(comm, in, spread, out, precision, {.iterations = iterations, .balance = balance},
                    {.threads = threads}, how);
  out.commit();
}

}  // namespace

void add_answers_outside(nb::module_& module) {
  module.def("spectrum_outside", &spectrum_outside, nb::arg("comm"), nb::arg("source"), nb::arg("second").none(),
             nb::arg("request"), nb::arg("lengths"), nb::arg("width"), nb::arg("centred"), nb::arg("normalize"),
             nb::arg("how"),
             nb::sig("def spectrum_outside(comm: Comm, source: typing.Any, second: typing.Any, request: Request, "
                     "lengths: collections.abc.Sequence[float], width: float, centred: bool, normalize: str, "
                     "how: OutOfCore) -> list[typing.Any]"));
  module.def("register_outside", &register_outside, nb::arg("comm"), nb::arg("reference"), nb::arg("moving"),
             nb::arg("target").none(), nb::arg("request"), nb::arg("phase"), nb::arg("upsample"), nb::arg("how"),
             nb::sig("def register_outside(comm: Comm, reference: typing.Any, moving: typing.Any, target: typing.Any, "
                     "request: Request, phase: bool, upsample: int, how: OutOfCore) "
                     "-> tuple[list[float], float]"));
  module.def("convolve_outside", &convolve_outside, nb::arg("comm"), nb::arg("source"), nb::arg("kernel"),
             nb::arg("target"), nb::arg("what"), nb::arg("by_tiles"), nb::arg("threads"), nb::arg("how"),
             nb::sig("def convolve_outside(comm: Comm, source: typing.Any, kernel: typing.Any, target: typing.Any, "
                     "what: Convolution, by_tiles: bool, threads: int, how: OutOfCore) -> None"));
  module.def("deconvolve_outside", &deconvolve_outside, nb::arg("comm"), nb::arg("source"), nb::arg("psf"),
             nb::arg("target"), nb::arg("single"), nb::arg("iterations"), nb::arg("balance"), nb::arg("threads"),
             nb::arg("how"),
             nb::sig("def deconvolve_outside(comm: Comm, source: typing.Any, psf: typing.Any, target: typing.Any, "
                     "single: bool, iterations: int, balance: float, threads: int, how: OutOfCore) -> None"));
}

}  // namespace shardfft::python
