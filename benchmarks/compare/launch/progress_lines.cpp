#include "progress_lines.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace shardfft::compare {
namespace {

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

ProgressLines::ProgressLines(std::size_t launches)
    : terminal_(::isatty(STDERR_FILENO) == 1), all_(launches), start_(std::chrono::steady_clock::now()) {}

ProgressLines::~ProgressLines() { wipe(); }

void ProgressLines::begin(const std::string& launch) {
  if (!terminal_) return;
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::string left = run_ == 0 ? ""
                                     : fmt::format(", about {} left", duration_text(spent / static_cast<double>(run_) *
                                                                                    static_cast<double>(all_ - done_)));
  fmt::print(stderr, "\r\033[K{} of {}: {}{}", done_ + 1, all_, launch, left);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLines::end(const std::string& launch, const std::string& outcome) {
  ++done_, ++run_;
  if (!terminal_) fmt::print(stderr, "{} of {}: {}: {}\n", done_, all_, launch, outcome);
}

void ProgressLines::skip(std::size_t launches) { done_ += launches; }

void ProgressLines::wipe() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

void ProgressLines::note(const std::string& text) {
  wipe();
  fmt::print(stderr, "{}\n", text);
}

}  // namespace shardfft::compare
