// How long each part of a command takes, on its slowest rank.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "output/progress.hpp"
#include "shardfft/collective.hpp"

namespace shardfft::cli {

/// Seconds of the parts of the command, each of its slowest rank, in order: they begin and end on all ranks together.
class PartsClock {
 public:
  PartsClock(const Comm& comm, Progress& progress) : comm_(comm), progress_(progress) {}
  /// Returns the seconds of this rank.
  template <class Work>
  double time(const std::string& name, Work&& work) {
    progress_.stage(name);
    const auto start = Moment::clock::now();
    work();
    const double seconds = since(start);
    parts_.emplace_back(name, all_max(comm_, seconds));
    return seconds;
  }
  /// Collective: a part that was done bit by bit, with the seconds of this rank.
  void add(const std::string& name, double seconds) { parts_.emplace_back(name, all_max(comm_, seconds)); }
  /// Adds what was done between the parts, so that all of them add up to total().
  void finish() {
    const double all = all_max(comm_, since(start_));
    double parts = 0;
    for (const auto& part : parts_) parts += part.second;
    parts_.emplace_back("other", std::max(all - parts, 0.0));
    total_ = parts + parts_.back().second;
  }
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& parts() const { return parts_; }
  [[nodiscard]] double total() const { return total_; }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  static double since(Moment start) { return std::chrono::duration<double>(Moment::clock::now() - start).count(); }

  const Comm& comm_;
  Progress& progress_;
  Moment start_ = Moment::clock::now();
  std::vector<std::pair<std::string, double>> parts_;
  double total_ = 0;
};

}  // namespace shardfft::cli
