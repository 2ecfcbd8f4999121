// Cells of neighbours around each rank's box.
#include "shardfft/halo.hpp"

#include "held.hpp"
#include "memory.hpp"
#include "request.hpp"

namespace shardfft::python {
namespace {

class PythonHalo : public Held<Halo> {
 public:
  PythonHalo(const Comm& comm, const Layout& layout, const Numbers& low, const Numbers& high,
             const std::vector<int>& periodic, bool corners, std::size_t element_bytes, const Request& request) {
    const auto [spec, options] = agreed_by(comm, [&] {
      return std::pair(HaloSpec{.low = Coord(low), .high = Coord(high), .periodic = periodic, .corners = corners},
                       options_of(request));
    });
    make(comm, layout, spec, element_bytes, options);
  }
  [[nodiscard]] const Halo& halo() const { return *held_; }
};

nb::list memory(const PythonHalo& h) {
  nb::list all;
  for (const Placement& place : h.halo().memory()) all.append(nb::make_tuple(place.offset, tuple_of(place.strides)));
  return all;
}

}  // namespace

void add_halo(nb::module_& module) {
  nb::class_<PythonHalo>(module, "Halo", "A halo that is ready to be filled.")
      .def(nb::init<const Comm&, const Layout&, const Numbers&, const Numbers&, const std::vector<int>&, bool,
                    std::size_t, const Request&>(),
           nb::arg("comm"), nb::arg("layout"), nb::arg("low"), nb::arg("high"), nb::arg("periodic"), nb::arg("corners"),
           nb::arg("element_bytes"), nb::arg("request"))
      .def_prop_ro(
          "box", [](const PythonHalo& h) { return box_of(h.halo().box()); },
          nb::for_getter(nb::sig("def box(self) -> tuple[tuple[int, ...], tuple[int, ...]]")))
      .def_prop_ro(
          "grown_box", [](const PythonHalo& h) { return box_of(h.halo().grown_box()); },
          nb::for_getter(nb::sig("def grown_box(self) -> tuple[tuple[int, ...], tuple[int, ...]]")))
      .def_prop_ro("memory", &memory, "(offset, strides) in elements of this rank's box; none without one.")
      .def_prop_ro("bytes", [](const PythonHalo& h) { return h.halo().bytes(); })
      .def(
          "index", [](const PythonHalo& h, const Numbers& at) { return h.halo().index(Coord(at)); }, nb::arg("at"))
      .def("make_array", [](PythonHalo& h) { return memory_of(h.run([](Halo& halo) { return halo.make_array(); })); })
      .def(
          "exchange",
          [](PythonHalo& h, nb::handle array, bool split) {
            const Written written(array);
            const View view = plain(written.view());
            h.run([&](Halo& halo) { split ? halo.start_exchange(view) : halo.exchange(view); });
          },
          nb::arg("array").none(), nb::arg("split"))
      .def(
          "accumulate",
          [](PythonHalo& h, nb::handle array, bool single, bool split) {
            const Written written(array);
            const View view = plain(written.view());
            const Precision precision = single ? f32 : f64;  // an empty array may not tell
            h.run(
                [&](Halo& halo) { split ? halo.start_accumulate(view, precision) : halo.accumulate(view, precision); });
          },
          nb::arg("array").none(), nb::arg("single"), nb::arg("split"))
      .def("test", [](PythonHalo& h) { return h.run([](Halo& halo) { return halo.test(); }); })
      .def("wait", [](PythonHalo& h) { h.run([](Halo& halo) { halo.wait(); }); })
      .def("describe", [](const PythonHalo& h) { return h.halo().describe(); });
}

}  // namespace shardfft::python
