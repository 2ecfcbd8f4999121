#include "device/sweep/launches/device_jobs.hpp"

#include <algorithm>
#include <cstdint>

namespace shardfft {
namespace {

// Fewer calls take the host no longer than one that launches a graph.
constexpr int worth_a_graph = 4;

std::byte* address(const DevicePlace& place, const MoveBases& bases) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(bases.start[static_cast<int>(place.base)]) +
                                      static_cast<std::uintptr_t>(place.at));
}

}  // namespace

void DeviceJob::ask(Queue& queue, const MoveBases& bases, std::byte* library, double scale, double factor) const {
  if (fused) fused->run(queue, bases);
  if (zeros) queue.zero(address(in, bases), zeros);
  if (gather) queue.move(*gather, bases, gather_scales ? scale * factor : 1);
  if (decoded) decoded->fill(bases);
  if (fft) fft->run(queue, address(in, bases), address(out, bases), library);
  if (factor != 1 && factored)
    queue.move(*factored, bases, scale * factor);
  else if (scatter)
    queue.move(*scatter, bases, scale * factor);
}

int DeviceJob::launches() const {
  return int{fused != nullptr} + int{zeros > 0} + int{gather != nullptr} + int{fft != nullptr} +
         int{scatter != nullptr || factored != nullptr};
}

void DeviceJobs::add(DeviceJob job) {
  launches_ += job.launches();
  jobs_.push_back(std::move(job));
}

void DeviceJobs::run(const JobsRun& run, const SweepArguments& arguments, const std::function<void()>& poll) const {
  if (run.graphs && !poll && launches_ >= worth_a_graph)
    graphs_.run(*run.on.device, *run.on.queue, run.queues.captured(), arguments,
                [&](Queue& first) { ask(run, arguments, first, poll); });
  else
    ask(run, arguments, *run.on.queue, poll);
}

void DeviceJobs::ask(const JobsRun& run, const SweepArguments& arguments, Queue& first,
                     const std::function<void()>& poll) const {
  const int used = static_cast<int>(std::min(jobs_.size(), static_cast<std::size_t>(run.used)));
  run.queues.fork(first, used);
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const int number = static_cast<int>(i) % run.used;
    std::byte* const tile = arguments.scratch + run.scratch.bytes(number);
    jobs_[i].ask(run.queues.queue(number, first),
                 {{nullptr, const_cast<std::byte*>(arguments.input), arguments.output, arguments.scratch, tile}},
                 tile + run.scratch.tile, run.scale, arguments.factor);
    if (poll) poll();
  }
  run.queues.join(first, used);
}

}  // namespace shardfft
