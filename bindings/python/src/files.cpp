// Transforms of arrays outside memory. Python reads and writes those that are no .npy files.
#include "shardfft/files.hpp"

#include <nanobind/ndarray.h>

#include <memory>
#include <variant>

#include "plan.hpp"

namespace shardfft::python {
namespace {

/// read(lo, hi, memory) and write(lo, hi, memory) of Python give the text of what went wrong, or nothing.
class PythonArray final : public files::ArrayOutside {
 public:
  PythonArray(std::string called, const Numbers& shape, const std::string& dtype, nb::callable copy, Index bytes)
      : name_(std::move(called)),
        info_{Coord(shape), files::parse_dtype(dtype), {}},
        copy_(std::move(copy)),
        bytes_(bytes) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] files::ArrayInfo info() const override { return info_; }
  void read(const Box& box, std::byte* to) override { copy(box, to); }
  void write(const Box& box, const std::byte* from) override { copy(box, const_cast<std::byte*>(from)); }
  [[nodiscard]] Index memory_bytes() const override { return bytes_; }

 private:
  void copy(const Box& box, std::byte* memory) {
    const nb::gil_scoped_acquire held;
    const auto bytes = static_cast<std::size_t>(box.count() * info_.type.size);
    const nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> view(memory, {bytes}, nb::handle());
    std::string trouble;
    try {
      trouble =
          nb::cast<std::string>(copy_(tuple_of(box.lo), tuple_of(box.hi), nb::cast(view, nb::rv_policy::reference)));
    } catch (const nb::python_error& error) { trouble = error.what(); }
    if (!trouble.empty()) throw Error(Status::io_failed, name_ + ": " + trouble);
  }

  std::string name_;
  files::ArrayInfo info_;
  nb::callable copy_;
  Index bytes_;
};

/// Between tiles the main thread runs handlers of signals. What they raise ends the transform, on a rank that is alone:
/// others would wait for it.
struct Interruptible final : files::Watcher {
  explicit Interruptible(const Comm& comm) : alone(comm.size() == 1) {}
  void advance(Index) override {
    if (!alone) return;
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  bool alone;
};

/// A path, or (name, shape, dtype, copy, bytes) of an array that Python reads or writes.
using End = std::variant<std::string, std::shared_ptr<PythonArray>>;
End read_end(const nb::object& given) {
  if (nb::isinstance<nb::str>(given)) return nb::cast<std::string>(given);
  const auto all = nb::cast<nb::tuple>(given);
  return std::make_shared<PythonArray>(nb::cast<std::string>(all[0]), nb::cast<Numbers>(all[1]),
                                       nb::cast<std::string>(all[2]), nb::cast<nb::callable>(all[3]),
                                       nb::cast<Index>(all[4]));
}

files::File opened(const Comm& comm, const End& end) {
  if (const auto* path = std::get_if<std::string>(&end)) return files::File::open(comm, *path);
  return {comm, std::get<std::shared_ptr<PythonArray>>(end)};
}
files::File created(const Comm& comm, const End& end, const files::ArrayInfo& info) {
  if (const auto* path = std::get_if<std::string>(&end)) return files::File::create(comm, *path, info);
  return {comm, std::get<std::shared_ptr<PythonArray>>(end)};
}

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

nb::list spectrum_outside(const Comm& comm, const nb::object& source, const Request& request,
                          const std::vector<double>& lengths, double width, bool centred, const std::string& normalize,
                          files::OutOfCore how) {
  const auto [problem, options] = agreed(comm, request);
  const End from = read_end(source);
  const SpectrumRequest asked{.lengths = lengths, .width = width, .centred = centred, .power = power_of(normalize)};
  Interruptible watcher(comm);
  how.watcher = &watcher;
  std::vector<SpectrumShell> shells;
  {
    const nb::gil_scoped_release free;
    shells = files::spectrum(comm, opened(comm, from), problem, asked, options, how);
  }
  return rows_of(shells);
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
  module.def("spectrum_outside", &spectrum_outside, nb::arg("comm"), nb::arg("source"), nb::arg("request"),
             nb::arg("lengths"), nb::arg("width"), nb::arg("centred"), nb::arg("normalize"), nb::arg("how"),
             nb::sig("def spectrum_outside(comm: Comm, source: typing.Any, request: Request, "
                     "lengths: collections.abc.Sequence[float], width: float, centred: bool, normalize: str, "
                     "how: OutOfCore) -> list[typing.Any]"));
  module.def("info_of_file", &info_of_file, nb::arg("comm"), nb::arg("path"),
             nb::sig("def info_of_file(comm: Comm, path: str) -> tuple[tuple[int, ...], str]"),
             "Shape and dtype of the array in a .npy file.");
}

}  // namespace shardfft::python
