// Plans.
#include <nanobind/ndarray.h>

#include <cstring>
#include <mutex>

#include "module.hpp"
#include "shardfft/tune.hpp"
#include "shardfft/verify.hpp"

namespace shardfft::python {
namespace {

using Numbers = std::vector<Index>;
using ReadArray = nb::ndarray<nb::ro>;
using WrittenArray = nb::ndarray<>;

// What Python makes a plan from.
struct Request {
  Numbers shape{};
  std::string kind{"c2c"}, precision{"f64"};
  std::vector<int> axes{};
  std::string forward_scaling{"none"}, backward_scaling{"by_n"};
  int element_bytes = 0;
  std::optional<LayoutSpec> input{}, output{};
  std::vector<std::pair<Index, Numbers>> input_memory{}, output_memory{};  // offset, strides
  std::vector<std::pair<std::string, std::string>> options{};
  std::uintptr_t queue = 0;
};

template <class Word, std::size_t count>
Word word_of(const char* what, const std::string& text, const std::pair<const char*, Word> (&words)[count]) {
  std::string all;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  throw Error(Status::invalid_argument, std::string(what) + " is one of " + all + "; got '" + text + "'");
}

Scaling scaling_of(const std::string& text) {
  return word_of<Scaling>("a scaling", text,
                          {{"none", Scaling::none}, {"by_sqrt_n", Scaling::by_sqrt_n}, {"by_n", Scaling::by_n}});
}

Problem problem_of(const Request& r) {
  return {.shape = Coord(r.shape),
          .kind = word_of<Kind>("kind", r.kind, {{"c2c", c2c}, {"r2c", r2c}, {"c2r", c2r}, {"move", Kind::move}}),
          .precision = word_of<Precision>("precision", r.precision, {{"f32", f32}, {"f64", f64}}),
          .axes = r.axes,
          .forward = scaling_of(r.forward_scaling),
          .backward = scaling_of(r.backward_scaling),
          .element_bytes = r.element_bytes};
}

std::vector<Placement> placements_of(const std::vector<std::pair<Index, Numbers>>& memory) {
  std::vector<Placement> all;
  for (const auto& [offset, strides] : memory) all.push_back({offset, Coord(strides)});
  return all;
}

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

Direction direction_of(bool forward) { return forward ? Direction::forward : Direction::backward; }

// Memory from the first to the last element; strides may leave gaps.
template <class Array>
View view_of(const Array& array) {
  if (array.size() == 0) return {};
  std::size_t last = 0;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    if (array.stride(axis) < 0)
      throw Error(Status::invalid_argument,
                  "strides of an array are not negative; got one along axis " + std::to_string(axis) + "; copy it");
    last += (array.shape(axis) - 1) * static_cast<std::size_t>(array.stride(axis));
  }
  View view(array.data(), (last + 1) * array.itemsize());
  const nb::dlpack::dtype type = array.dtype();
  const bool complex = type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Complex);
  if (complex || type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float)) {
    view.scalar = static_cast<std::size_t>(type.bits) / 8 / (complex ? 2 : 1);
    view.complex = complex;
  }
  view.space = array.device_type() == nb::device::cuda::value   ? Space::cuda
               : array.device_type() == nb::device::rocm::value ? Space::hip
                                                                : Space::host;
  if (view.space != Space::host) view.device = array.device_id();
  return view;
}

// Of a plan that moves elements any type will do.
View plain(View view) {
  view.scalar = 0;
  return view;
}

class PythonPlan {
 public:
  PythonPlan(const Comm& comm, const Request& request) : PythonPlan(comm, problem_of(request), options_of(request)) {}
  PythonPlan(const Comm& comm, const Problem& problem, const Options& options) : moves_(problem.kind == Kind::move) {
    const nb::gil_scoped_release free;
    plan_.emplace(comm, problem, options);
  }
  ~PythonPlan() { destroy(); }

  void destroy() {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    plan_.reset();
  }
  [[nodiscard]] const Plan& plan() const { return const_cast<PythonPlan*>(this)->plan(); }
  [[nodiscard]] Plan& plan() {
    if (!plan_) throw Error(Status::invalid_argument, "this plan was destroyed; make a new one");
    return *plan_;
  }
  /// work(plan) without the interpreter's lock; a second thread waits for the first one.
  template <class Work>
  auto run(Work work) {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    return work(plan());
  }
  template <class Array>
  [[nodiscard]] View view(const Array& array) const {
    return moves_ ? plain(view_of(array)) : view_of(array);
  }

 private:
  std::mutex mutex_;
  std::optional<Plan> plan_{};
  bool moves_;
};

void transform(PythonPlan& p, bool forward, const ReadArray& in, const WrittenArray& out, double factor) {
  const View from = p.view(in), to = p.view(out);
  p.run([&](Plan& plan) { forward ? plan.forward(from, to, factor) : plan.backward(from, to, factor); });
}

// The same for memory whose places the plan was made for: all that is left is two addresses.
void transform_at(PythonPlan& p, bool forward, std::uintptr_t in, std::uintptr_t out, double factor) {
  p.run([&](Plan& plan) {
    const View a(reinterpret_cast<const void*>(in), forward ? plan.input_bytes() : plan.output_bytes()),
        b(reinterpret_cast<const void*>(out), forward ? plan.output_bytes() : plan.input_bytes());
    forward ? plan.forward(a, b, factor) : plan.backward(a, b, factor);
  });
}

nb::object memory_of(Array array) {
  auto* kept = new Array(std::move(array));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Array*>(p); });
  const std::size_t shape[1] = {kept->bytes()};
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(kept->data(), 1, shape, owner), nb::rv_policy::reference);
}

nb::list last_run(PythonPlan& p) {
  nb::list all;
  for (const StepReport& s : p.run([](Plan& plan) { return plan.last_run(); })) {
    nb::dict row;
    row["label"] = s.label, row["seconds"] = s.seconds;
    row["bytes_memory"] = s.bytes_memory, row["bytes_network"] = s.bytes_network;
    row["bytes_shared"] = s.bytes_shared, row["messages"] = s.messages;
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

nb::list tuned(const Comm& comm, const Request& request) {
  const Problem problem = problem_of(request);
  const Options options = options_of(request);
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

void add_plan(nb::module_& module) {
  nb::class_<Request>(module, "Request", "What a plan is made from.")
      .def(nb::init<>())
      .def_rw("shape", &Request::shape)
      .def_rw("kind", &Request::kind)
      .def_rw("precision", &Request::precision)
      .def_rw("axes", &Request::axes)
      .def_rw("forward_scaling", &Request::forward_scaling)
      .def_rw("backward_scaling", &Request::backward_scaling)
      .def_rw("element_bytes", &Request::element_bytes)
      .def_rw("input", &Request::input)
      .def_rw("output", &Request::output)
      .def_rw("input_memory", &Request::input_memory)
      .def_rw("output_memory", &Request::output_memory)
      .def_rw("options", &Request::options)
      .def_rw("queue", &Request::queue);
  module.def("tune", &tuned, nb::arg("comm"), nb::arg("request"), "Collective: the measured candidates, best first.");
  nb::class_<PythonPlan>(module, "Plan", "A transform that is ready to run.")
      .def(nb::init<const Comm&, const Request&>(), nb::arg("comm"), nb::arg("request"))
      .def("destroy", &PythonPlan::destroy)
      .def("run", &transform, nb::arg("forward"), nb::arg("input"), nb::arg("output"), nb::arg("factor") = 1.0)
      .def("run_at", &transform_at, nb::arg("forward"), nb::arg("input"), nb::arg("output"), nb::arg("factor") = 1.0)
      .def(
          "start",
          [](PythonPlan& p, bool forward, const ReadArray& in, const WrittenArray& out, double factor) {
            const View from = p.view(in), to = p.view(out);
            p.run([&](Plan& plan) { plan.start(direction_of(forward), from, to, factor); });
          },
          nb::arg("forward"), nb::arg("input"), nb::arg("output"), nb::arg("factor") = 1.0)
      .def("test", [](PythonPlan& p) { return p.run([](Plan& plan) { return plan.test(); }); })
      .def("wait", [](PythonPlan& p) { p.run([](Plan& plan) { plan.wait(); }); })
      .def(
          "verify",
          [](PythonPlan& p, const ReadArray& in, const ReadArray& out, bool forward, double factor) {
            const View from = p.view(in), to = p.view(out);
            const Verdict v = p.run([&](Plan& plan) { return plan.verify(from, to, direction_of(forward), factor); });
            return std::pair(v.error_rel_l2, v.bound);
          },
          nb::arg("input"), nb::arg("output"), nb::arg("forward"), nb::arg("factor") = 1.0)
      .def("error_bound", [](PythonPlan& p) { return p.run([](Plan& plan) { return plan.error_bound(); }); })
      .def("loss", &loss)
      .def(
          "exact_samples",
          [](PythonPlan& p, const ReadArray& in, const std::vector<Numbers>& positions, bool forward) {
            std::vector<Coord> all;
            for (const Numbers& at : positions) all.emplace_back(at);
            const View from = p.view(in);
            return p.run([&](Plan& plan) { return plan.exact_samples(from, all, direction_of(forward)); });
          },
          nb::arg("input"), nb::arg("positions"), nb::arg("forward"))
      .def(
          "hash_input",
          [](PythonPlan& p, const ReadArray& in) {
            const View view = p.view(in);
            return p.run([&](Plan& plan) { return plan.hash_input(view); });
          },
          nb::arg("array"))
      .def(
          "hash_output",
          [](PythonPlan& p, const ReadArray& out) {
            const View view = p.view(out);
            return p.run([&](Plan& plan) { return plan.hash_output(view); });
          },
          nb::arg("array"))
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
