// Plans.
#include "plan.hpp"
#include "shardfft/verify.hpp"

namespace shardfft::python {
namespace {

void transform(PythonPlan& p, bool forward, nb::handle in, nb::handle out, double factor, const std::string& call) {
  const Read read(in);
  const Written written(out);
  const View from = p.view(read), to = p.view(written);
  p.run([&](Plan& plan) { forward ? plan.forward(from, to, factor) : plan.backward(from, to, factor); }, call);
}

// A run on arrays whose places in memory the plan was made for: all that is left is two addresses. False, with nothing
// done, where one of them is not aligned.
bool transform_as_planned(PythonPlan& p, bool forward, nb::handle in, nb::handle out, double factor) {
  const FirstElement from = first_element_of(in), to = first_element_of(out);
  if (!from.is_aligned || !to.is_aligned) return false;
  constexpr std::size_t few_bytes = 32 << 10;  // are transformed in microseconds
  const auto work = [&](Plan& plan) {
    const View a(from.address, forward ? plan.input_bytes() : plan.output_bytes()),
        b(to.address, forward ? plan.output_bytes() : plan.input_bytes());
    forward ? plan.forward(a, b, factor) : plan.backward(a, b, factor);
  };
  p.plan().input_bytes() <= few_bytes ? p.run_with_lock(work) : p.run(work);
  return true;
}

nb::list last_run(PythonPlan& p) {
  nb::list all;
  for (const StepReport& s : p.run([](Plan& plan) { return plan.last_run(); })) {
    nb::dict row;
    row["label"] = s.label, row["seconds"] = s.seconds;
    row["bytes_memory"] = s.bytes_memory, row["bytes_network"] = s.bytes_network;
    row["bytes_shared"] = s.bytes_shared, row["messages"] = s.messages;
    row["bytes_link"] = s.bytes_link, row["seconds_to_device"] = s.seconds_to_device;
    row["seconds_kernels"] = s.seconds_kernels, row["seconds_from_device"] = s.seconds_from_device;
    row["seconds_staging"] = s.seconds_staging;
    all.append(row);
  }
  return all;
}

nb::dict loss(PythonPlan& p) {
  const Loss l = p.run([](Plan& plan) { return plan.loss(); });
  nb::dict row;
  row["bound"] = l.bound, row["floor"] = l.floor, row["encoded"] = l.encoded, row["bits"] = l.bits;
  row["bytes_before"] = l.bytes_before, row["bytes_after"] = l.bytes_after;
  return row;
}

}  // namespace

void add_plan(nb::module_& module) {
  nb::class_<PythonPlan>(module, "Plan", "A transform that is ready to run.")
      .def(nb::init<const Comm&, const Request&>(), nb::arg("comm"), nb::arg("request"))
      .def("destroy", &PythonPlan::destroy)
      .def("run", &transform, nb::arg("forward"), nb::arg("input").none(), nb::arg("output").none(),
           nb::arg("factor") = 1.0, nb::arg("call") = "")
      .def("run_as_planned", &transform_as_planned, nb::arg("forward"), nb::arg("input"), nb::arg("output"),
           nb::arg("factor"))
      .def(
          "start",
          [](PythonPlan& p, bool forward, nb::handle in, nb::handle out, double factor, const std::string& call) {
            const Read read(in);
            const Written written(out);
            const View from = p.view(read), to = p.view(written);
            p.run([&](Plan& plan) { plan.start(direction_of(forward), from, to, factor); }, call);
          },
          nb::arg("forward"), nb::arg("input").none(), nb::arg("output").none(), nb::arg("factor"), nb::arg("call"))
      .def("test", [](PythonPlan& p) { return p.run([](Plan& plan) { return plan.test(); }); })
      .def("wait", [](PythonPlan& p) { p.run([](Plan& plan) { plan.wait(); }); })
      .def(
          "verify",
          [](PythonPlan& p, nb::handle in, nb::handle out, bool forward, double factor) {
            const Read of_in(in), of_out(out);
            const View from = p.view(of_in), to = p.view(of_out);
            const Verdict v = p.run([&](Plan& plan) { return plan.verify(from, to, direction_of(forward), factor); });
            return std::pair(v.error_rel_l2, v.bound);
          },
          nb::arg("input").none(), nb::arg("output").none(), nb::arg("forward"), nb::arg("factor") = 1.0)
      .def("error_bound", [](PythonPlan& p) { return p.run([](Plan& plan) { return plan.error_bound(); }); })
      .def("loss", &loss)
      .def(
          "exact_samples",
          [](PythonPlan& p, nb::handle in, const std::vector<Numbers>& positions, bool forward) {
            std::vector<Coord> all;
            for (const Numbers& at : positions) all.emplace_back(at);
            const Read read(in);
            const View from = p.view(read);
            return p.run([&](Plan& plan) { return plan.exact_samples(from, all, direction_of(forward)); });
          },
          nb::arg("input").none(), nb::arg("positions"), nb::arg("forward"))
      .def(
          "hash_input",
          [](PythonPlan& p, nb::handle array) {
            const Read read(array);
            const View view = p.view(read);
            return p.run([&](Plan& plan) { return plan.hash_input(view); });
          },
          nb::arg("array").none())
      .def(
          "hash_output",
          [](PythonPlan& p, nb::handle array) {
            const Read read(array);
            const View view = p.view(read);
            return p.run([&](Plan& plan) { return plan.hash_output(view); });
          },
          nb::arg("array").none())
      .def("describe", [](PythonPlan& p) { return p.run([](Plan& plan) { return plan.describe(); }); })
      .def("describe_json", [](PythonPlan& p) { return p.run([](Plan& plan) { return plan.describe_json(); }); })
      .def("last_run", &last_run)
      .def_prop_ro("input", [](const PythonPlan& p) { return p.plan().input(); })
      .def_prop_ro("output", [](const PythonPlan& p) { return p.plan().output(); })
      .def_prop_ro("input_bytes", [](const PythonPlan& p) { return p.plan().input_bytes(); })
      .def_prop_ro("output_bytes", [](const PythonPlan& p) { return p.plan().output_bytes(); })
      .def_prop_ro("workspace_bytes", [](const PythonPlan& p) { return p.plan().workspace_bytes(); })
      .def("make_input", [](PythonPlan& p) { return memory_of(p.run([](Plan& plan) { return plan.make_input(); })); })
      .def("make_output",
           [](PythonPlan& p) { return memory_of(p.run([](Plan& plan) { return plan.make_output(); })); });
}

}  // namespace shardfft::python
