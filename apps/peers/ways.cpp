#include "ways.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "checks.hpp"
#include "clock.hpp"
#include "memory.hpp"

namespace shardfft::peers {
namespace {

constexpr int none = -1, trials = 3;

std::string choice_file(const Comm& comm, const std::string& library, const Task& task) {
  return fmt::format("{}/{}-{}.choice", task.scratch, library, name_of(task, comm.size()));
}

/// Collective. The way that an earlier launch found, as rank 0 reads it.
int remembered(const Comm& comm, const std::string& file, const std::vector<Way>& ways) {
  int found = none;
  std::string name;
  if (comm.rank() == 0 && std::getline(std::ifstream(file), name)) {
    const auto way = std::ranges::find(ways, name, &Way::name);
    if (way != ways.end()) found = static_cast<int>(way - ways.begin());
  }
  comm.broadcast(std::as_writable_bytes(std::span(&found, 1)), 0);
  return found;
}

/// Collective. Least seconds of forward and backward together.
double trial_seconds(const Comm& comm, const Task& task, Transform& transform) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < trials; ++i) {
    fill_input(task, transform);
    const double forward = seconds_of(comm, [&] { transform.forward(); });
    least = std::min(least, forward + seconds_of(comm, [&] { transform.backward(); }));
  }
  return least;
}

/// Collective. Throws Unsupported with the last reason when no way can.
int tried(const Comm& comm, const Task& task, const std::vector<Way>& ways) {
  const auto start = std::chrono::steady_clock::now();
  double least = std::numeric_limits<double>::infinity();
  int best = none;
  std::string reason;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double spent = all_max(comm, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (best != none && spent > task.plan_seconds) break;
    try {
      const auto transform = ways[i].make();
      transform->allocate();
      const double seconds = trial_seconds(comm, task, *transform);
      if (seconds < least) least = seconds, best = static_cast<int>(i);
    } catch (const Unsupported& e) { reason = e.what(); }
  }
  if (best == none) throw Unsupported(reason);
  return best;
}

}  // namespace

std::unique_ptr<Transform> fastest(const Comm& comm, const std::string& library, const Task& task, const std::vector<Way>& ways) {
  if (ways.size() == 1) return ways.front().make();
  const std::string file = choice_file(comm, library, task);
  int best = task.scratch.empty() ? none : remembered(comm, file, ways);
  if (best == none) {
    best = tried(comm, task, ways);
    if (comm.rank() == 0 && !task.scratch.empty()) std::ofstream(file) << ways[static_cast<std::size_t>(best)].name << '\n';
    MemoryWatch::forget_peak();
  }
  return ways[static_cast<std::size_t>(best)].make();
}

}  // namespace shardfft::peers
