// What a plan is made from, and what tuning finds for it.
#include "request.hpp"

#include "shardfft/tune.hpp"

namespace shardfft::python {
namespace {

Scaling scaling_of(const std::string& text) {
  return word_of<Scaling>("a scaling", text,
                          {{"none", Scaling::none},
                           {"by_sqrt_n", Scaling::by_sqrt_n},
                           {"by_n", Scaling::by_n},
                           {"orthonormal", Scaling::orthonormal}});
}

AxisKind axis_kind_of(const std::string& text) {
  using enum AxisKind;
  return word_of<AxisKind>("the kind of an axis", text,
                           {{"fourier", fourier},
                            {"cosine1", cosine1},
                            {"cosine2", cosine2},
                            {"cosine3", cosine3},
                            {"cosine4", cosine4},
                            {"sine1", sine1},
                            {"sine2", sine2},
                            {"sine3", sine3},
                            {"sine4", sine4},
                            {"hartley", hartley}});
}

std::string kind_of_words(const std::string& low, const std::string& high, const std::string& points) {
  return to_string(kind_of(end_of(low), end_of(high), points_of(points)));
}

}  // namespace

Boundary end_of(const std::string& text) {
  return word_of<Boundary>("an end", text,
                           {{"periodic", Boundary::periodic}, {"even", Boundary::even}, {"odd", Boundary::odd}});
}

Points points_of(const std::string& text) {
  return word_of<Points>("points", text, {{"cells", Points::cells}, {"nodes", Points::nodes}});
}

Problem problem_of(const Request& r) {
  std::vector<AxisKind> kinds;
  for (const std::string& kind : r.kinds) kinds.push_back(axis_kind_of(kind));
  return {.shape = Coord(r.shape),
          .kind = word_of<Kind>("kind", r.kind,
                                {{"c2c", c2c}, {"r2c", r2c}, {"c2r", c2r}, {"r2r", r2r}, {"move", Kind::move}}),
          .precision = word_of<Precision>("precision", r.precision, {{"f32", f32}, {"f64", f64}}),
          .axes = r.axes,
          .forward = scaling_of(r.forward_scaling),
          .backward = scaling_of(r.backward_scaling),
          .element_bytes = r.element_bytes,
          .kinds = std::move(kinds),
          .modes = Coord(r.modes),
          .support = Coord(r.support)};
}

namespace {

std::vector<Placement> placements_of(const std::vector<std::pair<Index, Numbers>>& memory) {
  std::vector<Placement> all;
  for (const auto& [offset, strides] : memory) all.push_back({offset, Coord(strides)});
  return all;
}

}  // namespace

Options options_of(const Request& r) {
  Options o;
  for (const auto& [name, text] : r.options) set_option(o, name, text);
  if (r.input) o.input = *r.input;
  if (r.output) o.output = *r.output;
  o.input_memory = placements_of(r.input_memory);
  o.output_memory = placements_of(r.output_memory);
  o.queue = reinterpret_cast<void*>(r.queue);
  return o;
}

namespace {

nb::list tuned(const Comm& comm, const Request& request) {
  const auto [problem, options] = agreed(comm, request);
  TuneReport report;
  {
    const nb::gil_scoped_release free;
    report = tune(comm, problem, options);
  }
  nb::list rows;
  for (const TuneRow& r : report.rows) {
    nb::dict row;
    row["recipe"] = r.recipe, row["seconds"] = r.seconds, row["model_seconds"] = r.model_seconds;
    row["untuned"] = r.untuned, row["dropped"] = r.dropped;
    rows.append(row);
  }
  return rows;
}

}  // namespace

void add_request(nb::module_& module) {
  nb::class_<Request>(module, "Request", "What a plan is made from.")
      .def(nb::init<>())
      .def_rw("shape", &Request::shape)
      .def_rw("kind", &Request::kind)
      .def_rw("precision", &Request::precision)
      .def_rw("axes", &Request::axes)
      .def_rw("kinds", &Request::kinds)
      .def_rw("modes", &Request::modes)
      .def_rw("support", &Request::support)
      .def_rw("forward_scaling", &Request::forward_scaling)
      .def_rw("backward_scaling", &Request::backward_scaling)
      .def_rw("element_bytes", &Request::element_bytes)
      .def_rw("input", &Request::input, nb::arg().none())
      .def_rw("output", &Request::output, nb::arg().none())
      .def_rw("input_memory", &Request::input_memory)
      .def_rw("output_memory", &Request::output_memory)
      .def_rw("options", &Request::options)
      .def_rw("queue", &Request::queue);
  module.def("kind_of", &kind_of_words, nb::arg("low"), nb::arg("high"), nb::arg("points"),
             "The kind of an axis whose functions are periodic, even or odd at its ends, with samples in cells or on "
             "nodes.");
  module.def("dealiased", &dealiased, nb::arg("n"), "Most modes of which products on n points are exact.");
  module.def("tune", &tuned, nb::arg("comm"), nb::arg("request"), "Collective: the measured candidates, best first.");
}

}  // namespace shardfft::python
