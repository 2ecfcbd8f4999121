#include "plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "blocks.hpp"
#include "fftw3-mpi.h"

namespace shardfft::fftw_mpi {
namespace {

/// Extents, with the tuples of a batch as the fastest axis.
std::vector<std::int64_t> shape_of(std::vector<std::ptrdiff_t> n, std::ptrdiff_t howmany) {
  if (howmany > 1) n.push_back(howmany);
  return {n.begin(), n.end()};
}

Problem problem_of(const Request& request) {
  const std::vector<std::int64_t> shape = shape_of(request.n, request.howmany);
  const int precision = request.real_bytes == 4 ? SHARDFFT_F32 : SHARDFFT_F64;
  const int kind = request.what == What::transpose ? SHARDFFT_MOVE
                   : request.what == What::r2c     ? SHARDFFT_R2C
                   : request.what == What::c2r     ? SHARDFFT_C2R
                   : request.what == What::r2r     ? SHARDFFT_R2R
                                                   : SHARDFFT_C2C;
  auto problem = made<Problem>(shardfft_problem_create, static_cast<int>(shape.size()), shape.data(), kind, precision);
  if (request.what == What::transpose) {
    check(shardfft_problem_element(problem.get(), static_cast<std::size_t>(request.real_bytes)));
    return problem;
  }
  std::vector<int> axes(request.n.size());
  std::iota(axes.begin(), axes.end(), 0);
  check(shardfft_problem_axes(problem.get(), static_cast<int>(axes.size()), axes.data()));
  check(shardfft_problem_scaling(problem.get(), SHARDFFT_UNSCALED, SHARDFFT_UNSCALED));
  std::vector<int> kinds;
  for (const int of_axis : request.kinds) kinds.push_back(kind_of(of_axis));
  check(shardfft_problem_kinds(problem.get(), static_cast<int>(kinds.size()), kinds.data()));
  return problem;
}

Spec spec_of(const Side& side, int dims) {
  const std::string words = side.cut == Side::Cut::cyclic ? fmt::format("cyclic:{}", side.axis)
                                                          : fmt::format("slabs:{}/{}", side.axis, side.block);
  auto spec = made<Spec>(shardfft_spec_words, words.c_str(), dims);
  if (side.swapped) {
    std::vector<int> order(static_cast<std::size_t>(dims));
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[0], order[1]);
    check(shardfft_spec_order(spec.get(), dims, order.data()));
  }
  return spec;
}

/// A choice that the user may have made by its variable, which wins.
void choose(const Options& options, const char* name, const std::string& value, const char* variable) {
  const char* chosen = variable == nullptr ? nullptr : std::getenv(variable);
  if (chosen == nullptr || *chosen == '\0') check(shardfft_options_set(options.get(), name, value.c_str()));
}

/// FFTW's flags. Neither FFTW_ESTIMATE nor FFTW_MEASURE, which is the default, measures: plans of programs that never
/// thought of it must not take seconds.
void choose_effort(const Options& options, const Request& request) {
  const bool exhaustive = (request.flags & FFTW_EXHAUSTIVE) != 0, patient = (request.flags & FFTW_PATIENT) != 0;
  if ((!exhaustive && !patient) || (request.flags & FFTW_ESTIMATE) != 0 || request.seconds == 0) return;
  choose(options, "effort", exhaustive ? "exhaustive" : "measure", "SHARDFFT_EFFORT");
  if (request.seconds > 0) choose(options, "tune_seconds", fmt::format("{}", request.seconds), "SHARDFFT_TUNE_SECONDS");
}

bool may_destroy_input(const Request& request) {
  if ((request.flags & FFTW_PRESERVE_INPUT) != 0) return false;
  return request.what == What::c2r || (request.flags & FFTW_DESTROY_INPUT) != 0;
}

/// Rows of n reals have room for 2 (n/2 + 1), each of them a tuple. Of the input of r2c, the output of c2r.
void place_padded_reals(const Options& options, const Request& request, const Side& side, int rank) {
  std::vector<std::ptrdiff_t> memory = request.n;
  memory.back() = 2 * (memory.back() / 2 + 1);
  const std::vector<std::int64_t> shape = shape_of(memory, request.howmany);
  std::vector<std::int64_t> strides(shape.size(), 1);
  const auto cut = static_cast<std::size_t>(side.axis);
  std::int64_t stride = 1;
  for (std::size_t a = shape.size(); a-- > 0;)
    if (a != cut) strides[a] = std::exchange(stride, stride * shape[a]);
  strides[cut] = stride;
  const bool owns = rows_of(request.n[cut], side.block, rank).count > 0;
  const std::int64_t offset = 0;
  const auto place = request.what == What::r2c ? shardfft_options_input_memory : shardfft_options_output_memory;
  check(place(options.get(), static_cast<int>(strides.size()), owns ? 1 : 0, &offset, strides.data()));
}

/// Problem and layouts of a request, before any options.
struct Parts {
  Problem problem{};
  Spec in{}, out{};
};

Parts parts_of(const Request& request, const Sides& sides) {
  const int dims = static_cast<int>(shape_of(request.n, request.howmany).size());
  return {problem_of(request), spec_of(sides.in, dims), spec_of(sides.out, dims)};
}

}  // namespace

void check_parts(const Request& request, const Sides& sides) { static_cast<void>(parts_of(request, sides)); }

Plan::Plan(Request request, const Sides& sides, Group group, const Agreed& agreed)
    : request_(std::move(request)), group_(std::move(group)), sides_(sides), in_place_(agreed.in_place) {
  request_.threads = agreed.threads;
  request_.seconds = agreed.seconds;
  if (request_.howmany > 0) way(in_place_);
}

Plan::Way& Plan::way(bool in_place) {
  Way& w = ways_[in_place ? 1 : 0];
  if (!w.plan) w = make_way(in_place);
  return w;
}

Plan::Way Plan::make_way(bool in_place) const {
  auto [problem, in, out] = parts_of(request_, sides_);
  if (is_backward()) std::swap(in, out);

  const auto options = made<Options>(shardfft_options_create);
  check(shardfft_options_input(options.get(), in.get()));
  check(shardfft_options_output(options.get(), out.get()));
  choose(options, "in_place", in_place ? "true" : "false", nullptr);
  choose(options, "destroy_input", !in_place && may_destroy_input(request_) ? "true" : "false", nullptr);
  choose(options, "threads", fmt::format("{}", std::max(1, request_.threads)), "SHARDFFT_THREADS");
  choose_effort(options, request_);
  const bool has_reals = request_.what == What::r2c || request_.what == What::c2r;
  if (has_reals && request_.n.size() > 1)
    place_padded_reals(options, request_, request_.what == What::r2c ? sides_.in : sides_.out,
                       shardfft_comm_rank(group_.get()));

  Way w;
  w.plan = made<LibraryPlan>(shardfft_plan_create, group_.get(), problem.get(), options.get());
  w.in_bytes = shardfft_plan_input_bytes(w.plan.get());
  w.out_bytes = shardfft_plan_output_bytes(w.plan.get());
  if (is_backward()) std::swap(w.in_bytes, w.out_bytes);
  return w;
}

void Plan::run(void* in, void* out) {
  if (request_.howmany == 0) return;
  const bool in_place = in == out && (in != nullptr || in_place_);
  const Way& w = way(in_place);
  const auto run = is_backward() ? shardfft_backward : shardfft_forward;
  check(run(w.plan.get(), in, w.in_bytes, out, w.out_bytes));
}

double Plan::flops() const {
  if (request_.what == What::transpose) return 0;
  double points = 1;
  for (const std::ptrdiff_t n : request_.n) points *= static_cast<double>(n);
  const double complex = 5 * points * std::log2(points) * static_cast<double>(request_.howmany);
  return request_.what == What::c2c ? complex : complex / 2;
}

std::string Plan::describe() {
  if (request_.howmany == 0) return "nothing to do: howmany is 0";
  char* text = nullptr;
  check(shardfft_describe(way(in_place_).plan.get(), &text));
  const std::string copy = text;
  shardfft_free(text);
  return copy;
}

}  // namespace shardfft::fftw_mpi
