#include "shardfft/plan.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "plan/impl.hpp"
#include "plan/tuned.hpp"
#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "support/comm_impl.hpp"

namespace shardfft {

Plan::Plan(const Comm& comm, const Problem& problem, const Options& options) : impl_(std::make_unique<Impl>(comm, problem, tuned_first(comm, problem, options))) {}
// What a child of fork() inherits is its parent's: words in shared memory, requests of MPI, a device. It is left as it is.
Plan::~Plan() {
  if (impl_ && impl_->is_left_behind()) (void)impl_.release();
}
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
    throw Error(Status::invalid_argument, "a plan on a device belongs to the process that made it; got a child of fork(); start the child before the device is used, or let the parent do it");
}

const Layout& Plan::input() const { return impl_->input.layout; }
const Layout& Plan::output() const { return impl_->output.layout; }
std::size_t Plan::input_bytes() const { return impl_->input_bytes; }
std::size_t Plan::output_bytes() const { return impl_->output_bytes; }
Array Plan::make_input() const {
  const bool reached = (impl_->forward->ways() & reads_peers) || (impl_->backward->ways() & writes_peers);
  return impl_->make_array(std::max(impl_->input_bytes, impl_->options().in_place ? impl_->output_bytes : 0), reached);
}
Array Plan::make_output() const {
  const bool reached = (impl_->forward->ways() & writes_peers) || (impl_->backward->ways() & reads_peers);
  return impl_->make_array(impl_->output_bytes, reached);
}
std::size_t Plan::workspace_bytes() const { return impl_->workspace_bytes; }
const Problem& Plan::problem() const { return impl_->recipe.problem.asked; }
const Comm& Plan::comm() const { return impl_->comm; }

namespace {

Space space_of(const Device& device) { return device.space() == "cuda" ? Space::cuda : device.space() == "hip" ? Space::hip : Space::pretended; }

Array array_on(const std::shared_ptr<Device>& device, Queue& queue, std::size_t bytes) {
  DeviceMemory memory(device, bytes, "an array");
  queue.zero(memory.data(), bytes);
  queue.synchronize();
  return {std::shared_ptr<std::byte>(memory.release(), [device](std::byte* p) { device->free(p); }), bytes, space_of(*device), device->number()};
}

}  // namespace

Array Plan::Impl::make_array(std::size_t bytes, bool peers_reach_it) const {
  require_here();
  if (Device* holder = recipe.holder(); holder && bytes > 0) return array_on(recipe.device, *queue, bytes);
  if (streams && bytes > 0 && !peers_reach_it) return {Streams::make_array(streams, bytes), bytes};
  auto shared = peers_reach_it && bytes > 0 ? channel->take_array() : nullptr;
  return shared ? Array(std::move(shared), bytes) : Array(bytes);
}

void Plan::Impl::begin(Direction direction, View in, View out) {
  require_here();
  const unsigned way = check_buffers(direction, in, out);
  last = &pipeline(direction);
  // The run writes `in` only where the caller said that it may: in_place, destroy_input.
  last->start({static_cast<const std::byte*>(in.data), static_cast<std::byte*>(const_cast<void*>(out.data))}, way);
}

bool Plan::Impl::advance(bool block) {
  require_here();
  if (!last) throw Error(Status::invalid_argument, "test() and wait() follow start(); this plan has not been started");
  if (broken) throw Error(Status::transport_failed, fmt::format("a plan whose run failed cannot run on; make a new one (it failed with: {})", *broken));
  try {
    return last->advance(block);
  } catch (const std::exception& e) {
    broken = e.what();
    throw;
  }
}

void Plan::forward(View in, View out) {
  impl_->begin(Direction::forward, in, out);
  impl_->advance(true);
}

void Plan::backward(View in, View out) {
  impl_->begin(Direction::backward, in, out);
  impl_->advance(true);
}

void Plan::synchronize() const {
  impl_->require_here();
  if (impl_->queue) impl_->queue->synchronize();
}

void Plan::copy(View from, View to) const {
  const std::size_t bytes = std::min(from.bytes, to.bytes);
  if (bytes == 0) return;
  impl_->require_here();
  if (!from.data || !to.data) throw Error(Status::invalid_argument, fmt::format("copy() takes memory to copy between; got {} and {}", from.data, to.data));
  if (!impl_->queue) {
    std::memcpy(const_cast<void*>(to.data), from.data, bytes);
    return;
  }
  impl_->queue->copy(const_cast<void*>(to.data), from.data, bytes);
  impl_->queue->synchronize();
}

void Plan::start(Direction direction, View in, View out) {
  impl_->begin(direction, in, out);
  impl_->advance(!impl_->channel->interleaves());
}

bool Plan::test() { return impl_->advance(false); }
void Plan::wait() { impl_->advance(true); }

Verdict Plan::verify(View in, View out, Direction direction) const {
  const bool fwd = direction == Direction::forward;
  impl_->check_read(in, fwd ? impl_->input : impl_->output, fwd ? impl_->input_bytes : impl_->output_bytes, "in");
  impl_->check_read(out, fwd ? impl_->output : impl_->input, fwd ? impl_->output_bytes : impl_->input_bytes, "out");
  Array kept_in, kept_out;
  collectively(impl_->comm, [&] {
    in = impl_->on_host(in, fwd ? impl_->input_bytes : impl_->output_bytes, kept_in);
    out = impl_->on_host(out, fwd ? impl_->output_bytes : impl_->input_bytes, kept_out);
  });
  Verdict verdict = shardfft::verify(impl_->comm, impl_->local(fwd ? impl_->input : impl_->output, in), impl_->local(fwd ? impl_->output : impl_->input, out),
                                     impl_->transform(direction));
  verdict.bound = std::max(verdict.bound, impl_->bound_of_verify(direction));
  return verdict;
}

std::vector<double> Plan::exact_samples(View in, const std::vector<Coord>& positions, Direction direction) const {
  const bool fwd = direction == Direction::forward;
  impl_->check_read(in, fwd ? impl_->input : impl_->output, fwd ? impl_->input_bytes : impl_->output_bytes, "in");
  std::string asked;
  for (const Coord& at : positions) asked += to_string(at) + "; ";
  require_same(impl_->comm, "the positions of exact_samples()", asked);
  Array kept;
  const Shape& result = (fwd ? impl_->output : impl_->input).layout.global();
  collectively(impl_->comm, [&] {
    for (const Coord& at : positions)
      if (at.dims() != result.dims() || !whole(result).contains(at))
        throw Error(Status::invalid_argument, fmt::format("positions lie inside the result, {}; got {}", to_string(result), to_string(at)));
    in = impl_->on_host(in, fwd ? impl_->input_bytes : impl_->output_bytes, kept);
  });
  return shardfft::exact_samples(impl_->comm, impl_->local(fwd ? impl_->input : impl_->output, in), impl_->transform(direction), positions);
}

std::uint64_t Plan::hash_input(View in) const {
  impl_->check_read(in, impl_->input, impl_->input_bytes, "in");
  Array kept;
  collectively(impl_->comm, [&] { in = impl_->on_host(in, impl_->input_bytes, kept); });
  return hash(impl_->comm, impl_->local(impl_->input, in));
}

std::uint64_t Plan::hash_output(View out) const {
  impl_->check_read(out, impl_->output, impl_->output_bytes, "out");
  Array kept;
  collectively(impl_->comm, [&] { out = impl_->on_host(out, impl_->output_bytes, kept); });
  return hash(impl_->comm, impl_->local(impl_->output, out));
}

void Plan::record(std::size_t runs) {
  impl_->recorder.prepare(runs, std::max(impl_->forward->most_spans(), impl_->backward->most_spans()));
  impl_->forward->record(&impl_->recorder, "forward");
  impl_->backward->record(&impl_->recorder, "backward");
}

std::span<const Span> Plan::recorded() const { return impl_->recorder.spans(); }

const std::vector<StepReport>& Plan::last_run() const {
  Pipeline& last = impl_->last ? *impl_->last : *impl_->forward;
  last.settle();
  return last.report();
}

}  // namespace shardfft
