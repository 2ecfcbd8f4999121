// What ran when, kept while plans run.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shardfft/plan.hpp"

namespace shardfft {

/// Spans of the next runs of a plan, in memory that is taken before them.
class Recorder {
 public:
  /// Forgets what it holds and makes room for `runs` runs of at most `spans_of_run` spans each.
  void prepare(std::size_t runs, std::size_t spans_of_run);
  /// From here on spans belong to the next run; they are dropped where no more runs were asked for.
  void begin_run();
  void add(const Span& span);
  [[nodiscard]] std::span<const Span> spans() const { return spans_; }

  /// Nanoseconds of std::chrono::steady_clock, which all processes of a node share.
  [[nodiscard]] static std::int64_t now();

 private:
  std::vector<Span> spans_{};
  std::size_t runs_ = 0, begun_ = 0;
};

/// Records from its construction to its end; does nothing where there is no recorder.
class Recording {
 public:
  Recording(Recorder* recorder, Span::What what, std::string_view label, int chunk = -1, Index bytes = 0)
      : recorder_(recorder) {
    if (recorder_) span_ = {.what = what, .label = label, .chunk = chunk, .bytes = bytes, .begin_ns = Recorder::now()};
  }
  ~Recording() {
    if (!recorder_) return;
    span_.end_ns = Recorder::now();
    recorder_->add(span_);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  Recorder* recorder_;
  Span span_{};
};

}  // namespace shardfft
