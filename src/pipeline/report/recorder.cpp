#include "pipeline/report/recorder.hpp"

#include <chrono>
#include <new>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {

void Recorder::prepare(std::size_t runs, std::size_t spans_of_run) {
  const auto refuse = [&] {
    throw Error(Status::out_of_memory,
                fmt::format("record() takes memory for {} spans of each run; there is none for {} runs; record fewer",
                            spans_of_run, runs));
  };
  if (spans_of_run > 0 && runs > spans_.max_size() / spans_of_run) refuse();
  spans_.clear();
  try {
    spans_.reserve(runs * spans_of_run);
  } catch (const std::bad_alloc&) { refuse(); }
  runs_ = runs;
  begun_ = 0;
}

void Recorder::begin_run() { ++begun_; }

// A run never has more spans than were made room for; the second condition only keeps a defect from allocating while a
// plan runs.
void Recorder::add(const Span& span) {
  if (begun_ > runs_ || spans_.size() == spans_.capacity()) return;
  spans_.push_back(span);
  spans_.back().run = static_cast<int>(begun_) - 1;
}

std::int64_t Recorder::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace shardfft
