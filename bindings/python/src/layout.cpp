// Layouts: who owns what.
#include "module.hpp"

namespace shardfft::python {

nb::object box_of(const Box& box) { return nb::make_tuple(tuple_of(box.lo), tuple_of(box.hi)); }

namespace {

using Numbers = std::vector<Index>;
using Corners = std::pair<Numbers, Numbers>;  // lo, hi

std::vector<std::vector<Box>> boxes_of(const std::vector<std::vector<Corners>>& per_rank) {
  std::vector<std::vector<Box>> all;
  for (const auto& of_rank : per_rank) {
    all.emplace_back();
    for (const auto& [lo, hi] : of_rank) all.back().push_back({Coord(lo), Coord(hi)});
  }
  return all;
}

nb::list boxes(const Layout& layout, int rank) {
  nb::list all;
  for (const Box& box : layout.boxes(rank)) all.append(box_of(box));
  return all;
}

// The axis along which boxes lie in each other and are one local array; -1: none.
int cyclic_axis(const Layout& layout) {
  const LayoutSpec& spec = layout.spec();
  if (spec.kind != LayoutSpec::Kind::cyclic || layout.ranks() == 1) return -1;
  return spec.axis < 0 ? spec.axis + layout.global().dims() : spec.axis;
}

}  // namespace

void add_layout(nb::module_& module) {
  nb::class_<LayoutSpec>(module, "LayoutSpec", "Who shall own what: a word for a layout of any shape.")
      .def(
          "ordered", [](const LayoutSpec& s, std::vector<int> order) { return s.ordered(std::move(order)); },
          nb::arg("slowest_first"), "The same owners with another memory order of the axes.")
      .def("__repr__", [](const LayoutSpec& s) { return "<shardfft.LayoutSpec: " + to_string(s) + ">"; })
      .def("__str__", [](const LayoutSpec& s) { return to_string(s); });
  module.attr("any_layout") = any_layout;
  module.def("slabs", &slabs, nb::arg("axis") = 0, nb::arg("block") = 0,
             "Cut along `axis` over all ranks; with a `block`, rank r owns planes r block to (r + 1) block - 1.");
  module.def("pencils", &pencils, nb::arg("axis"), "Whole along `axis`, cut along the two longest others.");
  module.def("bricks", &bricks, "As cubic as the number of ranks allows.");
  module.def("cyclic", &cyclic, nb::arg("axis"), "Index i of `axis` belongs to rank i mod ranks.");
  module.def(
      "process_grid", [](const Numbers& processes) { return process_grid(Coord(processes)); }, nb::arg("processes"),
      "So many processes along each axis; rank = row-major position in the grid.");
  module.def(
      "custom", [](const std::vector<std::vector<Corners>>& per_rank) { return custom(boxes_of(per_rank)); },
      nb::arg("boxes"), "For each rank the boxes that it owns, each as (lo, hi).");
  module.def("parse_layout", &parse_layout, nb::arg("text"), nb::arg("dims"),
             "natural, slabs:A, slabs:A/B, pencils:A, bricks, cyclic:A, grid:2x3x1 or any.");

  nb::class_<Layout>(module, "Layout", "Which rank owns which boxes of an array.")
      .def(
          "__init__",
          [](Layout* self, const LayoutSpec& spec, const Numbers& shape, int ranks) {
            new (self) Layout(spec, Coord(shape), ranks);
          },
          nb::arg("spec"), nb::arg("shape"), nb::arg("ranks"))
      .def_prop_ro("shape", [](const Layout& l) { return tuple_of(l.global()); })
      .def_prop_ro("ranks", &Layout::ranks)
      .def_prop_ro("spec", &Layout::spec)
      .def_prop_ro("order", [](const Layout& l) { return nb::tuple(nb::cast(l.order())); })
      .def_prop_ro("grid", [](const Layout& l) { return tuple_of(l.grid()); })
      .def("boxes", &boxes, nb::arg("rank"), "Boxes of a rank as (lo, hi), in the order in which they lie in memory.")
      .def("count", &Layout::count, nb::arg("rank"), "Elements of a rank.")
      .def_prop_ro("cyclic_axis", &cyclic_axis, "-1: its boxes do not lie in each other.")
      .def("is_whole_along", &Layout::is_whole_along, nb::arg("axis"))
      .def(
          "owners",
          [](const Layout& l, const Numbers& lo, const Numbers& hi) {
            nb::list all;
            for (const auto& [rank, box] : l.owners({Coord(lo), Coord(hi)}))
              all.append(nb::make_tuple(rank, box_of(box)));
            return all;
          },
          nb::arg("lo"), nb::arg("hi"), "All (rank, box) that meet a region.")
      .def("same_owners", &Layout::same_owners, nb::arg("other"))
      .def("describe", &Layout::describe)
      .def("__repr__", [](const Layout& l) { return "<shardfft.Layout: " + l.describe() + ">"; });
}

}  // namespace shardfft::python
