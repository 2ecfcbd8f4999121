// Incompressible flow.
#include <nanobind/stl/array.h>

#include <cmath>
#include <cstring>

#include "held.hpp"
#include "memory.hpp"
#include "request.hpp"
#include "shardfft/solvers/navier_stokes.hpp"

namespace shardfft::python {
namespace {

using solvers::FlowProblem;
using solvers::Form;
using solvers::NavierStokes;

Form form_of(const std::string& word) {
  for (const Form form : {Form::rotational, Form::convective, Form::divergence})
    if (word == solvers::name(form)) return form;
  throw Error(Status::invalid_argument,
              "form is one of rotational, convective, divergence; got '" + word + "'; choose one of these");
}

class PythonFlow : public Held<NavierStokes> {
 public:
  PythonFlow(const Comm& comm, const Request& request, double viscosity, const std::array<double, 3>& lengths,
             const std::string& form, bool dealias, bool fused) {
    const auto [problem, options] = agreed_by(comm, [&] {
      const Problem given = problem_of(request);
      return std::pair(FlowProblem{.shape = given.shape,
                                   .lengths = lengths,
                                   .viscosity = viscosity,
                                   .form = form_of(form),
                                   .dealias = dealias,
                                   .fused = fused,
                                   .precision = given.precision},
                       options_of(request));
    });
    make(comm, problem, options);
  }
};

/// u: three components of f64 at all points, in C order.
void set(PythonFlow& p, const ReadArray& u) {
  const auto* const values = static_cast<const double*>(u.data());
  p.run([&](NavierStokes& flow) {
    const FlowProblem& problem = flow.problem();
    const Index component = product(problem.shape);
    const auto index = [&](double x, std::size_t a) {
      const Index n = problem.shape[static_cast<int>(a)];
      return std::llround(x / problem.lengths[a] * static_cast<double>(n)) % n;
    };
    flow.set([&](double x, double y, double z) {
      const double* const at = values + (index(x, 0) * problem.shape[1] + index(y, 1)) * problem.shape[2] + index(z, 2);
      return std::array{at[0], at[component], at[2 * component]};
    });
  });
}

nb::object state(PythonFlow& p) {
  return memory_of(p.run([](NavierStokes& flow) {
    const View modes = flow.state();
    Array copy(modes.bytes);
    if (modes.bytes > 0) std::memcpy(copy.data(), modes.data, modes.bytes);
    return copy;
  }));
}

nb::tuple sums(PythonFlow& p) {
  const solvers::FlowSums s = p.run([](NavierStokes& flow) { return flow.sums(); });
  return nb::make_tuple(s.energy, s.enstrophy, s.divergence);
}

}  // namespace

void add_flow(nb::module_& module) {
  const auto call = [](auto member) { return [member](PythonFlow& p) { return p.run(member); }; };
  nb::class_<PythonFlow>(module, "NavierStokes", "A flow that is ready to go on.")
      .def(
          nb::init<const Comm&, const Request&, double, const std::array<double, 3>&, const std::string&, bool, bool>(),
          nb::arg("comm"), nb::arg("request"), nb::arg("viscosity"), nb::arg("lengths"), nb::arg("form"),
          nb::arg("dealias"), nb::arg("fused"))
      .def("set", &set, nb::arg("u"))
      .def("taylor_green", call([](NavierStokes& flow) { flow.taylor_green(); }))
      .def(
          "step", [](PythonFlow& p, double dt) { p.run([&](NavierStokes& flow) { flow.step(dt); }); }, nb::arg("dt"))
      .def("sums", &sums)
      .def("state", &state)
      .def(
          "restore",
          [](PythonFlow& p, const ReadArray& modes, double time, Index steps) {
            const View from = view_of(modes);
            p.run([&](NavierStokes& flow) { flow.restore(from, time, steps); });
          },
          nb::arg("modes"), nb::arg("time"), nb::arg("steps"))
      .def("spectrum", call([](NavierStokes& flow) { return flow.spectrum(); }))
      .def("hash", call([](NavierStokes& flow) { return flow.hash(); }))
      .def("stable_step", call([](NavierStokes& flow) { return flow.stable_step(); }))
      .def_prop_ro("time", call([](NavierStokes& flow) { return flow.time(); }))
      .def_prop_ro("steps", call([](NavierStokes& flow) { return flow.steps(); }))
      .def_prop_ro("layout", call([](NavierStokes& flow) { return flow.state_layout(); }));
}

}  // namespace shardfft::python
