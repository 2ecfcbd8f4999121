// The extension module shardfft._core.
#include "module.hpp"

#include "shardfft/version.hpp"

namespace shardfft::python {
namespace {

// Classes of shardfft._errors, one for each status; they live as long as the interpreter.
PyObject* errors = nullptr;

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    PyObject* type = errors ? PyList_GetItem(errors, static_cast<int>(error.status())) : PyExc_RuntimeError;
    PyErr_SetString(type, error.what());
  }
}

}  // namespace
}  // namespace shardfft::python

NB_MODULE(_core, module) {
  using namespace shardfft::python;
  module.doc() = "What shardfft's Python files are built on; use the package shardfft.";
  nb::register_exception_translator(translate);
  module.def(
      "use_errors", [](const nb::list& classes) { errors = nb::list(classes).release().ptr(); }, nb::arg("classes"),
      "The exceptions to raise, by the number of the status.");
  module.attr("version") = SHARDFFT_VERSION;
  add_comm(module);
  add_layout(module);
  add_request(module);
  add_plan(module);
  add_operators(module);
  add_halo(module);
  add_solve(module);
  add_flow(module);
  add_answers(module);
  add_files(module);
  add_answers_outside(module);
  add_tools(module);
}
