#include "pipeline/recorder.hpp"

#include <chrono>

namespace shardfft {

void Recorder::prepare(std::size_t runs, std::size_t spans_of_run) {
  spans_.clear();
  spans_.reserve(runs * spans_of_run);
  runs_ = runs;
  begun_ = 0;
}

void Recorder::begin_run() { ++begun_; }

// A run never has more spans than were made room for; the second condition only keeps a defect from allocating while a plan runs.
void Recorder::add(const Span& span) {
  if (begun_ > runs_ || spans_.size() == spans_.capacity()) return;
  spans_.push_back(span);
  spans_.back().run = static_cast<int>(begun_) - 1;
}

std::int64_t Recorder::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace shardfft
