#include "bench/measure.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/noise.hpp"

namespace shardfft::cli {
namespace {

Options options_of(const BenchWords& words, const Comm& comm) {
  Options options = to_options(words.choices, words.problem, comm);
  if (!words.apply.empty()) options.apply = Apply::to_outputs;
  return options;
}

}  // namespace

BenchArrays::BenchArrays(const Plan& plan, bool in_place, bool applies) : in_place_(in_place) {
  collectively(plan.comm(), [&] {
    in_ = plan.make_input();  // in place it is long enough for the output
    if (!in_place) out_ = plan.make_output();
    if (!in_place && applies) applied_ = plan.make_applied();
  });
}

Bench::Bench(const Comm& comm, const BenchWords& words, Progress& progress)
    : comm_(comm),
      words_(words),
      progress_(progress),
      options_(options_of(words, comm)),
      plan_(comm, to_problem(words.problem), options_),
      arrays_(with_room(), words.problem.in_place, applies()) {
  if (applies()) operator_ = parse_operator(words.apply, words.box, plan_);
}

BenchResult Bench::run() {
  progress_.stage("filling");
  fill();
  BenchResult result;
  time_runs(result);
  if (!words_.quiet || !words_.json.empty()) {  // else nobody would be told
    progress_.stage("measuring the limit");
    measure_limit_of(result);
  }
  progress_.stage("verifying");
  verify(result);
  result.memory_peak = peak_memory(comm_);
  return result;
}

void Bench::time_runs(BenchResult& result) {
  for (int i = -words_.warmup; i < words_.iterations; ++i) {
    if (i == 0 && !words_.trace.empty())
      plan_.record((applies() ? 3 : 2) * static_cast<std::size_t>(words_.iterations));
    progress_.stage(i < 0 ? "warming up" : fmt::format("iteration {} of {}", i + 1, words_.iterations));
    const RunCost forward = timed([&] { plan_.forward(arrays_.in(), arrays_.out()); });
    const RunCost backward = timed([&] { plan_.backward(arrays_.out(), arrays_.in()); });
    const RunCost apply =
        applies() ? timed([&] { plan_.apply(arrays_.in(), arrays_.applied(), operator_); }) : RunCost{};
    if (i < 0) continue;
    result.forward.push_back(forward);
    result.backward.push_back(backward);
    if (applies()) result.apply.push_back(apply);
  }
}

template <class Work>
RunCost Bench::timed(Work&& work) {
  comm_.barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  plan_.synchronize();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return cost_over_ranks(comm_, seconds, plan_.last_run());
}

// In place, verifying takes copies of both.
const Plan& Bench::with_room() const {
  const auto in = static_cast<Index>(plan_.input_bytes()), out = static_cast<Index>(plan_.output_bytes());
  const bool on_host = options_.device.empty() || options_.arrays == "host";
  if (on_host)
    require_room(plan_, words_.problem.in_place ? 3 * std::max(in, out) : in + out + (applies() ? in : 0),
                 "use more nodes, --precision f32 or a smaller shape");
  return plan_;
}

// Noise goes to the side of the reals; a half spectrum is the transform of noise, for not every array is one.
void Bench::fill() {
  const Problem& p = plan_.problem();
  if (p.kind == c2r) {
    fill(plan_.output(), false, arrays_.out());
    plan_.backward(arrays_.out(), arrays_.in());
  } else {
    fill(plan_.input(), p.kind == c2c, arrays_.in());
  }
}

void Bench::fill(const Layout& layout, bool complex, Array& array) {
  const int threads = helper_threads(comm_, options_.threads);
  const int padded = options_.padded_reals && !complex ? layout.order().back() : -1;
  if (array.space() == Space::host)
    return fill_with_noise(layout, comm_.rank(), plan_.problem().precision, complex, array, threads, padded);
  Array made = on_host(array);
  fill_with_noise(layout, comm_.rank(), plan_.problem().precision, complex, made, threads, padded);
  plan_.copy(made, array);
}

// Memory of the host as large as an array.
Array Bench::on_host(const Array& array) const {
  Array made;
  collectively(comm_, [&] { made = Array(array.bytes()); });
  return made;
}

// That the next transform, in place, does not overwrite.
Array Bench::copy_of(const Array& array) const {
  Array copy = on_host(array);
  plan_.copy(array, copy);
  return copy;
}

// Results are kept where it cannot be measured.
void Bench::measure_limit_of(BenchResult& result) try {
  constexpr double most_s = 3;
  result.limit = options_.device.empty()
                     ? measure_limit(comm_, plan_.problem(), description_of(plan_)["threads"].get<int>(), 1, most_s)
                     : measure_device_limit(comm_, plan_.problem(), options_.device, options_.arrays != "host");
} catch (const Error& e) {  // on all ranks alike
  if (e.status() == Status::transport_failed || e.status() == Status::internal) throw;
  result.no_limit = e.what();
}

void Bench::verify(BenchResult& result) {
  fill();
  const bool in_place = words_.problem.in_place;
  const Array before = in_place ? copy_of(arrays_.in()) : Array();
  plan_.forward(arrays_.in(), arrays_.out());
  result.forward_verdict = plan_.verify(in_place ? before : arrays_.in(), arrays_.out(), Direction::forward);
  result.forward_loss = plan_.loss();
  result.hash = plan_.hash_output(arrays_.out());
  const Array between = in_place ? copy_of(arrays_.out()) : Array();
  plan_.backward(arrays_.out(), arrays_.in());
  result.backward_verdict = plan_.verify(in_place ? between : arrays_.out(), arrays_.in(), Direction::backward);
  result.backward_loss = plan_.loss();
}

}  // namespace shardfft::cli
