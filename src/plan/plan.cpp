#include "shardfft/plan.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "plan/impl.hpp"
#include "plan/result_norm.hpp"
#include "plan/tune/tuned.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_impl.hpp"

namespace shardfft {

Plan::Plan(const Comm& comm, const Problem& problem, const Options& options)
    : impl_(std::make_unique<Impl>(comm, problem, tuned_first(comm, problem, options))) {}
Plan::~Plan() { end_or_put_off(impl_); }
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&& other) noexcept {
  Plan old(std::move(*this));
  impl_ = std::move(other.impl_);
  return *this;
}

bool Plan::Impl::is_left_behind() const {
  return shardfft::is_left_behind(comm) || (recipe.device && comm.impl().generation != fork_generation());
}

void Plan::Impl::require_here() const {
  require_rank_here(comm);
  if (is_left_behind())
    throw Error(Status::invalid_argument,
                "a plan on a device belongs to the process that made it; got a child of fork(); start the child before "
                "the device is used, or let the parent do it");
}

const Layout& Plan::input() const { return there(impl_).arrays.input.layout; }
const Layout& Plan::output() const { return there(impl_).arrays.output.layout; }
std::size_t Plan::input_bytes() const { return there(impl_).arrays.input.bytes; }
std::size_t Plan::output_bytes() const { return there(impl_).arrays.output.bytes; }
Array Plan::make_input() const {
  const Impl& m = there(impl_);
  const bool reached = (m.pipelines.forward->access() & reads_peers) ||
                       (m.pipelines.backward->access() & writes_peers) ||
                       (m.options().apply == Apply::to_outputs && m.pipelines.both->access() != by_copies);
  return m.make_array(std::max(m.arrays.input.bytes, m.options().in_place ? m.arrays.output.bytes : 0), reached);
}
Array Plan::make_output() const {
  const Impl& m = there(impl_);
  const bool reached = (m.pipelines.forward->access() & writes_peers) ||
                       (m.pipelines.backward->access() & reads_peers) ||
                       (m.options().apply == Apply::to_inputs && m.pipelines.both->access() != by_copies);
  return m.make_array(m.arrays.output.bytes, reached);
}
std::size_t Plan::workspace_bytes() const { return there(impl_).workspace_bytes; }
const Problem& Plan::problem() const { return there(impl_).recipe.problem.asked; }
const Comm& Plan::comm() const { return there(impl_).comm; }

Array Plan::Impl::make_array(std::size_t bytes, bool peers_reach_it) const {
  require_here();
  if (bytes == 0) return Array(bytes);
  auto shared = peers_reach_it ? channel->take_array() : nullptr;
  return shared ? Array(std::move(shared), bytes) : home->make_array(bytes);
}

void Plan::Impl::begin(Direction direction, View in, View out, const Variation& by, const Operator* f) {
  require_whole();
  const Variation before = gate.variation();
  const unsigned access = gate.pass(direction, in, out, by, f);
  if (!(gate.variation() == before)) enough = {-1, -1};
  last = &pipeline(direction, f != nullptr);
  // The run writes `in` only where the caller said that it may: in_place, destroy_input.
  const bool looks = !recipe.holder() && !recipe.problem.moves() && !f;
  const bool stays = !options().in_place && !options().destroy_input;
  seen = {.result = looks ? static_cast<const std::byte*>(out.data) : nullptr,
          .given = stays ? static_cast<const std::byte*>(in.data) : nullptr};
  last->start({.input = static_cast<const std::byte*>(in.data),
               .output = static_cast<std::byte*>(const_cast<void*>(out.data)),
               .factor = gate.factor(direction, by),
               .adjoint = by.adjoint,
               .operates = f                ? f
                           : recipe.chirped ? chirp_filters.of(last == pipelines.forward.get())
                                            : nullptr},
              access);
}

bool Plan::Impl::advance(bool block) {
  require_whole();
  try {
    if (!last->advance(block)) return false;
    look_at_result();
    return true;
  } catch (const std::exception& e) {
    broken = e.what();
    channel->end(/*in_run=*/true, channel_memory);  // peers wait for what will not come
    throw;
  }
}

void Plan::Impl::require_whole() const {
  if (broken)
    throw Error(Status::transport_failed,
                fmt::format("a plan whose run failed cannot run again; make a new one (it failed with: {})", *broken));
}

// Once, as soon as it is there: later it is the caller's.
void Plan::Impl::look_at_result() {
  if (!seen.result) return;
  const bool fwd = last == pipelines.forward.get();
  double& at_least = enough[fwd ? 0 : 1];
  if (at_least < 0) at_least = far_above_floor(fwd ? Direction::forward : Direction::backward);
  const auto [from, to, call] = arrays.ends(fwd ? Direction::forward : Direction::backward);
  seen.norm = norm_at_least(to, recipe.problem.scalar, seen.result, at_least);
  if (seen.norm == 0 && seen.given)
    seen.vanished = norm_at_least(from, recipe.problem.scalar, seen.given, at_least) > 0;
  seen.result = nullptr;
}

void Plan::Impl::run(Direction direction, View in, View out, const Variation& by, const Operator* f) {
  const OneThread here(in_call, noun);
  begin(direction, in, out, by, f);
  gate.split = RunGate::Split::none;
  advance(true);
}

void Plan::forward(View in, View out, double factor) { callable(impl_).run(Direction::forward, in, out, {factor}); }
void Plan::backward(View in, View out, double factor) { callable(impl_).run(Direction::backward, in, out, {factor}); }

void Plan::adjoint(View in, View out, Direction of, double factor) {
  const Direction opposite = of == Direction::forward    ? Direction::backward
                             : of == Direction::backward ? Direction::forward
                                                         : of;  // which is refused on all ranks
  callable(impl_).run(opposite, in, out, {.factor = factor, .adjoint = true});
}

void Plan::synchronize() const {
  there(impl_).require_here();
  impl_->home->synchronize();
}

Space Plan::space() const {
  const RankDevice* holder = there(impl_).recipe.holder();
  if (!holder) return Space::host;
  for (const Space space : {Space::cuda, Space::hip, Space::sycl, Space::emulated})
    if (name(space) == holder->space()) return space;
  return Space::unknown;
}

Array Plan::make_array(std::size_t bytes) const { return there(impl_).make_array(bytes, false); }

void Plan::copy(View from, View to) const {
  const Impl& m = there(impl_);
  const std::size_t bytes = std::min(from.bytes, to.bytes);
  if (bytes == 0) return;
  impl_->require_here();
  if (!from.data || !to.data)
    throw Error(Status::invalid_argument,
                fmt::format("copy() takes memory to copy between; got {} and {}", from.data, to.data));
  m.home->copy(const_cast<void*>(to.data), from.data, bytes);
}

void Plan::start(Direction direction, View in, View out, double factor) {
  Impl& m = callable(impl_);
  const OneThread here(m.in_call, Impl::noun);
  m.begin(direction, in, out, {factor});
  m.gate.split = RunGate::Split::under_way;
  m.advance(!m.channel->interleaves());
}

bool Plan::Impl::go_on(bool block) {
  const OneThread here(in_call, noun);
  if (gate.split == RunGate::Split::none && !broken)
    throw Error(Status::invalid_argument,
                "call out of order: test() and wait() follow start(), and no run was started; call start() first");
  const bool done = advance(block);
  if (block || done) gate.split = block ? RunGate::Split::none : RunGate::Split::done;
  return done;
}

bool Plan::test() { return callable(impl_).go_on(false); }
void Plan::wait() { callable(impl_).go_on(true); }

Verdict Plan::verify(View in, View out, Direction direction, double factor) const {
  const Impl& m = callable(impl_);
  m.gate.require_both(direction, in, out, "verify");
  const PlanArrays::EndsOfRun ends = m.arrays.ends(direction);
  Array kept_in, kept_out;
  collectively(m.comm, [&] {
    in = m.on_host(in, ends.from.bytes, kept_in);
    out = m.on_host(out, ends.to.bytes, kept_out);
  });
  const LocalArray from = m.local(ends.from, in), to = m.local(ends.to, out);
  if (m.recipe.problem.moves())
    return {.error_rel_l2 = hash(m.comm, from) == hash(m.comm, to) ? 0 : std::numeric_limits<double>::infinity()};
  collectively(m.comm, [&] { m.gate.require_factor(direction, {factor}); });
  Verdict verdict = shardfft::verify(m.comm, from, to, m.transform(direction, factor));
  verdict.bound = std::max(verdict.bound, m.bound_of_verify(direction));
  return verdict;
}

std::vector<double> Plan::exact_samples(View in, const std::vector<Coord>& positions, Direction direction) const {
  const Impl& m = callable(impl_);
  m.gate.require_read(in, direction == Direction::forward, "in", "exact_samples() takes what the run reads");
  if (m.recipe.problem.moves())
    throw Error(Status::unsupported,
                "exact_samples() computes what is transformed; got a plan that only moves; compare hashes");
  std::string asked;
  for (const Coord& at : positions) asked += to_string(at) + "; ";
  require_same(m.comm, "the positions of exact_samples()", asked);
  Array kept;
  const PlanArrays::EndsOfRun ends = m.arrays.ends(direction);
  const Shape& result = ends.to.layout.global();
  collectively(m.comm, [&] {
    for (const Coord& at : positions)
      if (at.dims() != result.dims() || !whole(result).contains(at))
        throw Error(Status::invalid_argument,
                    fmt::format("positions lie inside the result, {}; got {}", to_string(result), to_string(at)));
    in = m.on_host(in, ends.from.bytes, kept);
  });
  return shardfft::exact_samples(m.comm, m.local(ends.from, in), m.transform(direction), positions);
}

std::uint64_t Plan::hash_input(View in) const {
  callable(impl_).gate.require_read(in, true, "in", "call hash_output() for it");
  Array kept;
  collectively(impl_->comm, [&] { in = impl_->on_host(in, impl_->arrays.input.bytes, kept); });
  return hash(impl_->comm, impl_->local(impl_->arrays.input, in));
}

std::uint64_t Plan::hash_output(View out) const {
  callable(impl_).gate.require_read(out, false, "out", "call hash_input() for it");
  Array kept;
  collectively(impl_->comm, [&] { out = impl_->on_host(out, impl_->arrays.output.bytes, kept); });
  return hash(impl_->comm, impl_->local(impl_->arrays.output, out));
}

void Plan::record(std::size_t runs) {
  Impl& m = there(impl_);
  std::size_t most = 0;
  for (const Pipeline* pipeline : m.pipelines.all()) most = std::max(most, pipeline->observer().most_spans());
  m.recorder.prepare(runs, most);
  for (Pipeline* pipeline : m.pipelines.all())
    pipeline->observer().record(&m.recorder, pipeline == m.pipelines.forward.get()    ? "forward"
                                             : pipeline == m.pipelines.backward.get() ? "backward"
                                                                                      : "apply");
}

std::span<const Span> Plan::recorded() const { return there(impl_).recorder.spans(); }

const std::vector<StepReport>& Plan::last_run() const {
  Pipeline& last = there(impl_).last ? *impl_->last : *impl_->pipelines.forward;
  last.observer().settle();
  return last.observer().report();
}

}  // namespace shardfft
