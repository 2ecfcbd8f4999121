// Solvers.
#include <variant>

#include "held.hpp"
#include "memory.hpp"
#include "request.hpp"
#include "shardfft/solvers/open_poisson.hpp"

namespace shardfft::python {
namespace {

using solvers::OpenPoisson;
using solvers::Poisson;
using solvers::PoissonProblem;
using solvers::Scheme;

/// What a solver is made from, beside shape, precision, layout and options of a Request.
struct PoissonWords {
  std::vector<double> lengths{}, spacing{};
  std::vector<std::pair<std::string, std::string>> ends{};  // even, odd, periodic; none: open
  std::string points{"cells"}, scheme{"2"};
  double shift = 0, compatible = 0;
  std::vector<std::pair<double, double>> values{};
  bool project = false;
  int stretched = -1;
  std::vector<double> faces{};
};

PoissonProblem poisson_of(const Request& request, const PoissonWords& words) {
  const Problem given = problem_of(request);
  PoissonProblem problem{.shape = given.shape,
                         .lengths = words.lengths,
                         .spacing = words.spacing,
                         .points = points_of(words.points),
                         .scheme = word_of<Scheme>("order", words.scheme,
                                                   {{"2", Scheme::second_order},
                                                    {"4", Scheme::fourth_order},
                                                    {"6", Scheme::sixth_order},
                                                    {"compact", Scheme::compact},
                                                    {"spectral", Scheme::spectral}}),
                         .shift = words.shift,
                         .precision = given.precision,
                         .compatible = words.compatible,
                         .project = words.project,
                         .stretched = words.stretched,
                         .faces = words.faces};
  for (const auto& [low, high] : words.ends) problem.ends.push_back({end_of(low), end_of(high)});
  for (const auto& [low, high] : words.values) {
    solvers::EndValues& ends = problem.values.emplace_back();
    if (low != 0) ends.low = [low = low](const solvers::Position&) { return low; };
    if (high != 0) ends.high = [high = high](const solvers::Position&) { return high; };
  }
  return problem;
}

class PythonPoisson : public Held<std::variant<Poisson, OpenPoisson>> {
 public:
  PythonPoisson(const Comm& comm, const Request& request, const PoissonWords& words) {
    auto [problem, options] =
        agreed_by(comm, [&] { return std::pair(poisson_of(request, words), options_of(request)); });
    options.in_place = true;
    if (words.ends.empty())
      make(std::in_place_type<OpenPoisson>, comm, solvers::without_ends(problem), options);
    else
      make(std::in_place_type<Poisson>, comm, problem, options);
  }
  /// work(solver), of either kind.
  template <class Work>
  auto run(Work work) {
    return Held::run([&](auto& solver) { return std::visit(work, solver); });
  }
};

nb::dict solve(PythonPoisson& p, nb::handle f, nb::handle u) {
  const Read read(f);
  const Written written(u);
  const View from = read.numbers(), to = written.numbers();
  const solvers::PoissonReport report = p.run([&](auto& solver) { return solver.solve(from, to); });
  nb::dict row;
  row["gauge"] = report.gauge, row["mean"] = report.mean, row["compatibility"] = report.compatibility;
  row["error_bound"] = report.error_bound;
  row["bytes_before"] = report.bytes_before, row["bytes_after"] = report.bytes_after;
  return row;
}

nb::tuple estimate(PythonPoisson& p, nb::handle f) {
  const Read read(f);
  const View from = read.numbers();
  const solvers::PoissonEstimate found = p.run([&](auto& solver) -> solvers::PoissonEstimate {
    if constexpr (requires { solver.estimate(from); })
      return solver.estimate(from);
    else
      throw Error(Status::unsupported,
                  "the error is estimated of differences; got open boundaries, which have a kernel; give a tolerance");
  });
  return nb::make_tuple(found.error, found.tolerance);
}

std::vector<double> places(PythonPoisson& p, int axis) {
  return p.run([&](auto& solver) {
    const Shape& shape = solver.layout().global();
    if (axis < 0 || axis >= shape.dims())
      throw Error(Status::invalid_argument, "an axis of " + std::to_string(shape.dims()) + " is a number from 0 to " +
                                                std::to_string(shape.dims() - 1) + "; got " + std::to_string(axis));
    Coord at = Coord::filled(shape.dims(), 0);
    std::vector<double> all;
    for (at[axis] = 0; at[axis] < shape[axis]; ++at[axis])
      all.push_back(solver.position(at)[static_cast<std::size_t>(axis)]);
    return all;
  });
}

}  // namespace

void add_solve(nb::module_& module) {
  nb::class_<PoissonWords>(module, "PoissonWords", "What a Poisson solver is made from, beside a Request.")
      .def(nb::init<>())
      .def_rw("lengths", &PoissonWords::lengths)
      .def_rw("spacing", &PoissonWords::spacing)
      .def_rw("ends", &PoissonWords::ends)
      .def_rw("points", &PoissonWords::points)
      .def_rw("scheme", &PoissonWords::scheme)
      .def_rw("shift", &PoissonWords::shift)
      .def_rw("compatible", &PoissonWords::compatible)
      .def_rw("values", &PoissonWords::values)
      .def_rw("project", &PoissonWords::project)
      .def_rw("stretched", &PoissonWords::stretched)
      .def_rw("faces", &PoissonWords::faces);
  nb::class_<PythonPoisson>(module, "Poisson", "An equation that is ready to be solved.")
      .def(nb::init<const Comm&, const Request&, const PoissonWords&>(), nb::arg("comm"), nb::arg("request"),
           nb::arg("words"))
      .def("solve", &solve, nb::arg("f").none(), nb::arg("u").none())
      .def("estimate", &estimate, nb::arg("f").none())
      .def("places", &places, nb::arg("axis"))
      .def_prop_ro("layout", [](PythonPoisson& p) { return p.run([](auto& solver) { return solver.layout(); }); });
}

}  // namespace shardfft::python
