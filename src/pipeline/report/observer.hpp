// What a run took: a line for each sweep and each exchange, and spans where somebody records.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "pipeline/place.hpp"
#include "pipeline/report/recorder.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

class Observer {
 public:
  /// The lines of a step; none where the data stays on its rank.
  struct Lines {
    std::size_t step = 0;
    std::optional<std::size_t> wait{}, send{};  ///< of the exchanges that it waits for and sends
    int chunks = 1, parts = 1;
    Index far_bytes = 0, near_bytes = 0;  ///< that it sends, as it is computed with
    Index plain_bytes = 0;                ///< of the first ones those that are never encoded
  };

  std::size_t add_line(StepReport line);
  void add_step(const Lines& lines) { steps_.push_back(lines); }
  void add_norm(std::size_t line) { norm_ = line; }
  [[nodiscard]] StepReport& line(std::size_t number) { return report_[number]; }
  [[nodiscard]] const std::vector<StepReport>& report() const { return report_; }
  [[nodiscard]] const Lines& lines(int step) const { return steps_[static_cast<std::size_t>(step)]; }
  void use(std::unique_ptr<RunTimes> times) { times_ = std::move(times); }

  /// Runs are recorded from now on, under this name. The recorder outlives the runs.
  void record(Recorder* recorder, std::string_view name) { recorder_ = recorder, name_ = name; }
  [[nodiscard]] std::size_t most_spans() const;  ///< of one run

  void starts();
  void ended();
  /// Whether this run is timed. Reading the clock is a noticeable part of short runs: of these one in a few is timed,
  /// and its times are reported until the next one.
  [[nodiscard]] bool is_timed() const { return timed_; }
  /// While it lives the step waits for room to write to.
  [[nodiscard]] Recording room(int step);
  void has_room();
  /// The step waits for what `chunk` reads, which is a span of its own; or looks again whether it has come.
  void waits(int step, int chunk);
  void came(int step, bool all);
  void begins_chunk(int step, int chunk);
  /// While it lives the chunk is swept, or sent.
  [[nodiscard]] Recording sweeping(int step, int chunk);
  [[nodiscard]] Recording sending(int step, int chunk);
  void did_chunk(int step, int chunk);
  void finished(int step);
  /// Looks at the norm of the input while it lives.
  [[nodiscard]] Recording looking();
  void looked();
  void settle();  ///< waits until a device has done the last run, and adds its times

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] Recording recording(Span::What what, std::optional<std::size_t> line, int chunk = -1) const;
  void reads_clock() {
    if (timed_) began_ = Clock::now();
  }
  void spent(std::size_t line);
  void end_step_span(const Lines& lines, Index bytes, std::int64_t end);
  void add_wait(const StepReport& exchange, bool last);

  std::vector<StepReport> report_{};
  std::vector<Lines> steps_{};
  std::optional<std::size_t> norm_{};
  std::unique_ptr<RunTimes> times_{};  ///< on a device
  Clock::time_point began_{};          ///< what is done or waited for now
  bool timed_ = true;
  int untimed_ = 0;  ///< runs to come that are not timed

  Recorder* recorder_ = nullptr;
  std::string_view name_{};
  std::int64_t run_began_ = 0, waits_since_ = 0, step_began_ = 0;
  std::int64_t flight_began_ = 0, next_flight_began_ = 0;  ///< of the exchange that is waited for, and of the next one
};

}  // namespace shardfft
