// Transforms of arrays outside memory. Python reads and writes those that are no .npy files.
#include "outside.hpp"
#include "plan.hpp"

namespace shardfft::python {
namespace {

nb::dict dict_of(const files::PassesReport& r) {
  nb::list passes;
  for (const files::PassReport& p : r.passes) {
    nb::dict pass;
    pass["does"] = p.does, pass["axes"] = p.axes, pass["tiles"] = p.tiles, pass["tile"] = tuple_of(p.tile);
    pass["seconds"] = p.total, pass["reading"] = p.reading, pass["transforming"] = p.transforming;
    pass["writing"] = p.writing;
    passes.append(pass);
  }
  nb::dict all;
  all["passes"] = passes, all["memory_bytes"] = r.memory_bytes, all["bytes_read"] = r.bytes_read;
  all["bytes_written"] = r.bytes_written, all["scratch_bytes"] = r.scratch_bytes;
  all["tiles_done_before"] = r.tiles_done_before, all["hash"] = r.hash;
  all["error"] = r.verdict.error_rel_l2, all["bound"] = r.verdict.bound, all["right"] = r.right;
  return all;
}

nb::object transform_outside(const Comm& comm, const nb::object& source, const nb::object& target,
                             const Request& request, bool forward, const std::optional<Operator>& f,
                             files::OutOfCore how) {
  const auto [problem, options] = agreed(comm, request);
  const End from = read_end(source), to = read_end(target);
  files::PassesReport report;
  Interruptible watcher(comm);
  how.watcher = &watcher;
  {
    const nb::gil_scoped_release free;
    const files::File in = opened(comm, from);
    files::ArrayInfo info;
    collectively(comm, [&, &asked = problem] {
      info = files::Passes::result_of(asked, f ? Direction::backward : direction_of(forward));
    });
    const files::File out = created(comm, to, info);
    report = f ? files::apply(
                     comm, in, out, problem, [&](const Plan&) { return *f; }, options, how)
               : files::transform(comm, in, out, problem, direction_of(forward), options, how);
  }
  return dict_of(report);
}

std::vector<double> power_spectrum_outside(const Comm& comm, const nb::object& source, const Request& request,
                                           const std::vector<double>& lengths, double width, files::OutOfCore how) {
  const auto [problem, options] = agreed(comm, request);
  const End from = read_end(source);
  Interruptible watcher(comm);
  how.watcher = &watcher;
  const nb::gil_scoped_release free;
  return files::power_spectrum(comm, opened(comm, from), problem, lengths, width, options, how);
}

nb::tuple info_of_file(const Comm& comm, const std::string& path) {
  files::ArrayInfo info;
  {
    const nb::gil_scoped_release free;
    info = files::File::open(comm, path).info();
  }
  const char* order = info.type.swapped ? ">" : "<";
  return nb::make_tuple(tuple_of(info.shape), order + (info.type.kind + std::to_string(info.type.size)));
}

}  // namespace

void add_files(nb::module_& module) {
  nb::class_<files::OutOfCore>(module, "OutOfCore", "How passes are made.")
      .def(nb::init<>())
      .def_rw("memory_bytes", &files::OutOfCore::memory_bytes)
      .def_rw("scratch", &files::OutOfCore::scratch)
      .def_rw("resume", &files::OutOfCore::resume)
      .def_rw("resumed_with", &files::OutOfCore::resumed_with)
      .def_rw("verify", &files::OutOfCore::verify);
  module.def("transform_outside", &transform_outside, nb::arg("comm"), nb::arg("source"), nb::arg("target"),
             nb::arg("request"), nb::arg("forward"), nb::arg("operator").none(), nb::arg("how"),
             nb::sig("def transform_outside(comm: Comm, source: typing.Any, target: typing.Any, request: Request, "
                     "forward: bool, operator: Operator | None, how: OutOfCore) -> dict[str, typing.Any]"));
  module.def("power_spectrum_outside", &power_spectrum_outside, nb::arg("comm"), nb::arg("source"), nb::arg("request"),
             nb::arg("lengths"), nb::arg("width"), nb::arg("how"),
             nb::sig("def power_spectrum_outside(comm: Comm, source: typing.Any, request: Request, "
                     "lengths: collections.abc.Sequence[float], width: float, how: OutOfCore) -> list[float]"));
  module.def("info_of_file", &info_of_file, nb::arg("comm"), nb::arg("path"),
             nb::sig("def info_of_file(comm: Comm, path: str) -> tuple[tuple[int, ...], str]"),
             "Shape and dtype of the array in a .npy file.");
}

}  // namespace shardfft::python
