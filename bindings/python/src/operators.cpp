// What runs between two transforms: ready operators, functions of Python, and functions of C by their address.
#include <atomic>

#include "modes.hpp"
#include "plan.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/operators/spectral.hpp"

namespace shardfft::python {
namespace {

using Lengths = std::vector<double>;

// Memory that an array of NumPy owns: functions of Python may keep it.
template <class T>
nb::object array_of(std::vector<std::size_t> shape, const T* from) {
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  auto* numbers = new T[count];
  const nb::capsule owner(numbers, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  if (from) std::copy_n(from, count, numbers);
  return nb::cast(nb::ndarray<nb::numpy, T>(numbers, shape.size(), shape.data(), owner));
}

// A copy of the elements, component after component; zeros where there are none yet.
template <class T>
nb::object values_of(const Modes& m) {
  const auto count = static_cast<std::size_t>(m.count);
  const int components = std::max(m.components_in, m.components_out);
  const auto shape = components == 1 ? std::vector{count} : std::vector{static_cast<std::size_t>(components), count};
  const nb::object array = array_of<T>(shape, nullptr);
  T* to = nb::cast<nb::ndarray<T>>(array).data();
  std::fill_n(to, static_cast<std::size_t>(components) * count, T{});
  for (int c = 0; c < m.components_in; ++c)
    std::copy_n(reinterpret_cast<const T*>(m.data + c * m.component_bytes), count, to + c * m.count);
  return array;
}

template <class T>
void take_back(const Modes& m, const nb::object& array) {
  const T* from = nb::cast<nb::ndarray<T>>(array).data();
  for (int c = 0; c < m.components_out; ++c)
    std::copy_n(from + c * m.count, m.count, reinterpret_cast<T*>(m.data + c * m.component_bytes));
}

template <class Work>
auto with_type_of(const Modes& m, Work work) {
  if (m.complex) return m.precision == f32 ? work(std::complex<float>{}) : work(std::complex<double>{});
  return m.precision == f32 ? work(float{}) : work(double{});
}

// What a function of Python sees of neighbouring elements. It ends with the call.
struct SeenModes {
  Modes modes{};
  nb::object values{};
  bool over = false;

  [[nodiscard]] const Modes& now() const {
    if (over) throw Error(Status::invalid_argument, "modes are there during the call alone; copy what you keep");
    return modes;
  }
};

nb::object frequency(const SeenModes& seen, int axis) {
  const Modes& m = seen.now();
  if (axis < 0) axis += m.first.dims();
  if (axis < 0 || axis >= m.first.dims())
    throw nb::index_error(("the array has " + std::to_string(m.first.dims()) + " axes").c_str());
  if (axis != m.axis) return nb::float_(m.frequency(axis, 0));
  return array_of({static_cast<std::size_t>(m.count)}, m.wave[static_cast<std::size_t>(axis)] + m.first[axis]);
}

nb::tuple frequencies(const SeenModes& seen) {
  nb::list all;
  for (int axis = 0; axis < seen.now().first.dims(); ++axis) all.append(frequency(seen, axis));
  return nb::tuple(all);
}

// A function of Python, and the first exception that it raised on this rank: the run goes on without it.
struct Function {
  PythonPlan& plan;
  nb::callable call;
  std::atomic<bool> failed = false;
  std::optional<nb::python_error> error{};

  void operator()(const Modes& m) {
    if (failed) return;
    const nb::gil_scoped_acquire held;
    const nb::object seen = nb::cast(SeenModes{.modes = m});
    auto& inside = nb::cast<SeenModes&>(seen);
    try {
      inside.values = with_type_of(m, [&](auto t) { return values_of<decltype(t)>(m); });
      plan.run_operator([&] { call(seen); });
      with_type_of(m, [&](auto t) { take_back<decltype(t)>(m, inside.values); });
    } catch (nb::python_error& raised) {
      if (!failed.exchange(true)) error.emplace(std::move(raised));
    } catch (const std::exception& raised) {  // of the conversions above
      PyErr_SetString(PyExc_RuntimeError, raised.what());
      nb::python_error raised_there;
      if (!failed.exchange(true)) error.emplace(std::move(raised_there));
    }
    inside.over = true;
  }
};

void apply(PythonPlan& p, bool physical, nb::handle in, nb::handle out, const Operator& f) {
  const Read read(in);
  const Written written(out);
  const View from = p.view(read), to = p.view(written);
  p.run([&](Plan& plan) { physical ? plan.apply_physical(from, to, f) : plan.apply(from, to, f); });
}

// The caller's `function` outlives the run, so that the operator may hold a bare pointer.
void apply_function(PythonPlan& p, bool physical, nb::handle in, nb::handle out, const nb::callable& call) {
  Function function{.plan = p, .call = call};
  apply(p, physical, in, out, Operator([f = &function](const Modes& m) { (*f)(m); }));
  const bool mine = function.failed;
  const bool any = p.run([&](Plan& plan) { return all_max(plan.comm(), std::int64_t{mine}) > 0; });
  if (mine) throw std::move(*function.error);
  if (any) throw Error(Status::transport_failed, "the operator raised an exception on another rank, which says why");
}

// Each element times a real number of its own, an array in the middle layout.
template <class T>
struct ByReals {
  const T* factors;

  void operator()(const Modes& m) const {
    for (int c = 0; c < m.components_in; ++c) {
      const T* by = factors + m.place + c * m.component_step;
      const auto multiply = [&](auto values) {
        for (Index i = 0; i < m.count; ++i) values[static_cast<std::size_t>(i)] *= by[i * m.step];
      };
      m.complex ? multiply(m.values<T>(c)) : multiply(m.reals<T>(c));
    }
  }
};

Operator by_reals(const PythonPlan& p, const ReadArray& array) {
  const Plan& plan = p.plan();
  const View by = view_of(array);
  const std::size_t scalar = plan.problem().precision == f32 ? 4 : 8,
                    bytes = plan.middle_bytes() / (plan.middle_is_complex() ? 2 : 1);
  if (array.size() > 0 && (by.scalar != scalar || by.complex))
    throw Error(Status::invalid_argument, "factors are real numbers of the plan's precision; convert them");
  if (by.bytes < bytes)
    throw Error(Status::invalid_argument, "factors lie in the plan's middle layout, " + std::to_string(bytes) +
                                              " bytes on this rank; got " + std::to_string(by.bytes) +
                                              "; see make_middle()");
  Operator f = scalar == 4 ? Operator(ByReals<float>{static_cast<const float*>(by.data)})
                           : Operator(ByReals<double>{static_cast<const double*>(by.data)});
  f.components_out = -1;  // as many as it takes
  return f;
}

Operator at_address(std::uintptr_t function, std::uintptr_t user) {
  if (function == 0)
    throw Error(Status::invalid_argument, "an operator is a function; got the address 0; pass that of a C function");
  return c::calling(reinterpret_cast<shardfft_operator>(function), reinterpret_cast<void*>(user));
}

Stencil stencil_of(int order) {
  switch (order) {
    case 0:
      return Stencil::spectral;
    case 2:
      return Stencil::second_order;
    case 4:
      return Stencil::fourth_order;
    case 6:
      return Stencil::sixth_order;
    default:
      throw Error(Status::invalid_argument,
                  "differences have order 2, 4 or 6, or 0 for derivatives; got " + std::to_string(order));
  }
}

void add_modes(nb::module_& module) {
  nb::class_<SeenModes>(module, "Modes", "Neighbouring elements between two transforms, for the time of a call.")
      .def_ro("values", &SeenModes::values,
              nb::for_getter(nb::sig("def values(self) -> numpy.ndarray[typing.Any, typing.Any]")),
              "(count,) of one component, else (components, count); written in place.")
      .def_prop_ro(
          "first", [](const SeenModes& s) { return tuple_of(s.now().first); }, "Global index of the first.")
      .def_prop_ro(
          "axis", [](const SeenModes& s) { return s.now().axis; }, "Along which they follow each other.")
      .def_prop_ro("count", [](const SeenModes& s) { return s.now().count; })
      .def_prop_ro("components_in", [](const SeenModes& s) { return s.now().components_in; })
      .def_prop_ro("components_out", [](const SeenModes& s) { return s.now().components_out; })
      .def("frequency", &frequency, nb::arg("axis"), nb::sig("def frequency(self, axis: int) -> typing.Any"),
           "Along `axis`: of each element, or one number for all of them.")
      .def("frequencies", &frequencies, "The same along every axis of the array.");
}

void add_spectral(nb::module_& module) {
  module.def(
      "lengths_from",
      [](const PythonPlan& p, const Lengths& spacing) { return spectral::lengths_from(p.plan(), spacing); },
      nb::arg("plan"), nb::arg("spacing"));
  nb::class_<Operator>(module, "Operator", "What runs between two transforms, ready made for a plan.")
      .def(nb::init<>());
  module.def("operator_at", &at_address, nb::arg("function"), nb::arg("user") = 0);
  module.def(
      "multiply", [](const PythonPlan& p, const ReadArray& by) { return spectral::multiply(p.plan(), view_of(by)); },
      nb::arg("plan"), nb::arg("factors"), nb::keep_alive<0, 2>());
  module.def("multiply_by_reals", &by_reals, nb::arg("plan"), nb::arg("factors"), nb::keep_alive<0, 2>());
  module.def(
      "convolve", [](const PythonPlan& p, const ReadArray& by) { return spectral::convolve(p.plan(), view_of(by)); },
      nb::arg("plan"), nb::arg("spectrum"), nb::keep_alive<0, 2>());
  module.def(
      "correlate", [](const PythonPlan& p, const ReadArray& by) { return spectral::correlate(p.plan(), view_of(by)); },
      nb::arg("plan"), nb::arg("spectrum"), nb::keep_alive<0, 2>());
  module.def(
      "inverse_laplace",
      [](const PythonPlan& p, const Lengths& lengths, int order, double shift) {
        return spectral::inverse_laplace(p.plan(), lengths, stencil_of(order), shift);
      },
      nb::arg("plan"), nb::arg("lengths"), nb::arg("differences"), nb::arg("shift"));
  module.def(
      "derivative",
      [](const PythonPlan& p, int axis, int order, double length) {
        return spectral::derivative(p.plan(), axis, order, length);
      },
      nb::arg("plan"), nb::arg("axis"), nb::arg("order"), nb::arg("length"));
  const std::pair<const char*, Operator (*)(const Plan&, std::span<const double>)> of_vectors[] = {
      {"gradient", &spectral::gradient},
      {"divergence", &spectral::divergence},
      {"curl", &spectral::curl},
      {"project", &spectral::project}};
  for (const auto& [name, make] : of_vectors)
    module.def(
        name, [make = make](const PythonPlan& p, const Lengths& lengths) { return make(p.plan(), lengths); },
        nb::arg("plan"), nb::arg("lengths"));
  for (const auto& [name, make] : {std::pair{"gaussian", &spectral::gaussian}, {"lowpass", &spectral::lowpass}})
    module.def(
        name,
        [make = make](const PythonPlan& p, const Lengths& lengths, double by) { return make(p.plan(), lengths, by); },
        nb::arg("plan"), nb::arg("lengths"), nb::arg("by"));
  module.def(
      "shift",
      [](const PythonPlan& p, const Lengths& lengths, const Lengths& distances) {
        return spectral::shift(p.plan(), lengths, distances);
      },
      nb::arg("plan"), nb::arg("lengths"), nb::arg("distances"));
}

}  // namespace

void add_operators(nb::module_& module) {
  add_modes(module);
  add_spectral(module);
  module.def("apply", &apply, nb::arg("plan"), nb::arg("physical"), nb::arg("input").none(), nb::arg("output").none(),
             nb::arg("operator"));
  module.def("apply_function", &apply_function, nb::arg("plan"), nb::arg("physical"), nb::arg("input").none(),
             nb::arg("output").none(), nb::arg("function"));
  module.def(
      "adjoint",
      [](PythonPlan& p, bool forward, nb::handle in, nb::handle out, double factor) {
        const Read read(in);
        const Written written(out);
        const View from = p.view(read), to = p.view(written);
        p.run([&](Plan& plan) { plan.adjoint(from, to, direction_of(forward), factor); });
      },
      nb::arg("plan"), nb::arg("forward"), nb::arg("input").none(), nb::arg("output").none(), nb::arg("factor"));
  module.def("middle", [](const PythonPlan& p) { return p.plan().middle(); }, nb::arg("plan"));
  module.def("middle_is_complex", [](const PythonPlan& p) { return p.plan().middle_is_complex(); }, nb::arg("plan"));
  module.def("applied", [](const PythonPlan& p) { return p.plan().applied(); }, nb::arg("plan"));
  module.def(
      "make_applied", [](PythonPlan& p) { return memory_of(p.run([](Plan& plan) { return plan.make_applied(); })); },
      nb::arg("plan"));
  module.def(
      "make_middle", [](PythonPlan& p) { return memory_of(p.run([](Plan& plan) { return plan.make_middle(); })); },
      nb::arg("plan"));
  module.def(
      "wave",
      [](const PythonPlan& p, int axis) {
        const std::span<const double> wave = p.plan().wave(axis);
        return array_of({wave.size()}, wave.data());
      },
      nb::arg("plan"), nb::arg("axis"));
}

}  // namespace shardfft::python
