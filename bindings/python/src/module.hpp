// What the parts of the extension module share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "shardfft/answers/spectrum.hpp"
#include "shardfft/shardfft.hpp"

namespace shardfft::python {

namespace nb = nanobind;

/// Shapes, positions and strides are tuples in Python.
[[nodiscard]] inline nb::tuple tuple_of(const Coord& coord) {
  nb::list all;
  for (const Index value : coord) all.append(value);
  return nb::tuple(all);
}
[[nodiscard]] nb::object box_of(const Box& box);

/// Collective; call it without the interpreter's lock. Checks that all ranks make this call. An error that one rank
/// reports by Python's agree() is thrown on all.
void agree(const Comm& comm, const std::string& call);

void add_comm(nb::module_& module);
void add_layout(nb::module_& module);
void add_request(nb::module_& module);
void add_plan(nb::module_& module);
void add_operators(nb::module_& module);
void add_halo(nb::module_& module);
void add_solve(nb::module_& module);
void add_flow(nb::module_& module);
/// "power", "sum", "dimensionless" or "energy"; throws Error(invalid_argument).
[[nodiscard]] PowerAs power_of(const std::string& word);
[[nodiscard]] nb::list rows_of(const std::vector<SpectrumShell>& shells);
void add_answers(nb::module_& module);
void add_answers_outside(nb::module_& module);
void add_files(nb::module_& module);
void add_tools(nb::module_& module);

}  // namespace shardfft::python
