#include "ways.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "peers/measure/checks.hpp"
#include "peers/measure/clock.hpp"
#include "peers/measure/memory.hpp"
#include "peers/measure/pages.hpp"
#include "shardfft/programs/files.hpp"

namespace shardfft::peers {
namespace {

constexpr int none = -1, trials = 3;
constexpr std::string_view pages_words[] = {"small pages", "huge pages"};

std::string choice_file(const Comm& comm, const std::string& library, const Task& task) {
  return fmt::format("{}/{}-{}.choice", task.scratch, library, name_of(task, comm.size()));
}

/// What trying the ways gave: the number of the one to take, in which pages, and those that were wrong (on rank 0).
struct Choice {
  int best = none;
  int huge_pages = 1;
  std::vector<std::string> wrong{};
};

std::string text_of(const std::string& file) {
  constexpr std::size_t most = 1 << 20;
  try {
    return read_kept(file, most).value_or("");
  } catch (const FileTrouble&) { return {}; }
}

/// Collective. The choice of an earlier launch, as rank 0 reads it: the name of the best way, its pages, then a line
/// for each that was wrong.
Choice remembered(const Comm& comm, const std::string& file, const std::vector<Way>& ways) {
  Choice found;
  if (comm.rank() == 0) {
    std::istringstream in(text_of(file));
    std::string line;
    std::getline(in, line);
    const auto way = std::ranges::find(ways, line, &Way::name);
    if (way != ways.end()) found.best = static_cast<int>(way - ways.begin());
    std::getline(in, line);
    found.huge_pages = line == pages_words[1] ? 1 : 0;
    while (std::getline(in, line)) found.wrong.push_back(line);
  }
  comm.broadcast(std::as_writable_bytes(std::span(&found.best, 1)), 0);
  comm.broadcast(std::as_writable_bytes(std::span(&found.huge_pages, 1)), 0);
  return found;
}

void remember(const Choice& choice, const std::string& file, const std::vector<Way>& ways) {
  std::string text =
      fmt::format("{}\n{}\n", ways[static_cast<std::size_t>(choice.best)].name, pages_words[choice.huge_pages]);
  for (const std::string& line : choice.wrong) text += line + '\n';
  try {
    replace_kept(file, text);
  } catch (const FileTrouble&) {  // the next launch tries them again
  }
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

/// Seconds, number and pages of the fastest way so far.
struct Fastest {
  double seconds = std::numeric_limits<double>::infinity();
  int way = none, huge_pages = 1;
  void take(double tried, std::size_t number, bool huge) {
    if (tried < seconds) seconds = tried, way = static_cast<int>(number), huge_pages = huge ? 1 : 0;
  }
};

struct Trials {
  Fastest right{}, wrong{};
  std::vector<std::string> why_wrong{};
  double checking_s = 0;  ///< is not the library's time
};

/// Collective. Throws Unsupported when the way cannot.
void try_way(const Comm& comm, const Task& task, const std::vector<Way>& ways, std::size_t number, bool huge,
             Trials& trials) {
  allow_huge_pages(huge);
  const auto transform = ways[number].make();
  transform->allocate();
  const double seconds = trial_seconds(comm, task, *transform);
  if (seconds >= trials.right.seconds) return;
  Findings findings;
  trials.checking_s += seconds_of(comm, [&] { findings = check(comm, task, *transform); });
  const bool right = all_max(comm, Index{!findings.right()}) == 0;
  (right ? trials.right : trials.wrong).take(seconds, number, huge);
  if (!right) trials.why_wrong.push_back(ways[number].name + (huge ? ": " : ", small pages: ") + findings.why_wrong());
}

/// Collective. Throws Unsupported with the last reason when no way can.
Choice tried(const Comm& comm, const Task& task, const std::vector<Way>& ways) {
  const auto start = std::chrono::steady_clock::now();
  Trials trials;
  const auto time_is_left = [&] {
    const double spent =
        all_max(comm, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()) -
        trials.checking_s;
    return spent <= task.plan_seconds;
  };
  std::string reason;
  const auto attempt = [&](std::size_t number, bool huge) {
    try {
      try_way(comm, task, ways, number, huge, trials);
    } catch (const Unsupported& e) { reason = e.what(); }
  };
  for (std::size_t i = 0; i < ways.size() && (trials.right.way == none || time_is_left()); ++i) attempt(i, true);
  if (trials.right.way != none && time_is_left()) attempt(static_cast<std::size_t>(trials.right.way), false);
  const Fastest& best = trials.right.way != none ? trials.right : trials.wrong;
  if (best.way == none) throw Unsupported(reason);
  return {best.way, best.huge_pages, std::move(trials.why_wrong)};
}

}  // namespace

std::unique_ptr<Transform> fastest(const Comm& comm, const std::string& library, const Task& task,
                                   const std::vector<Way>& ways) {
  const std::string file = choice_file(comm, library, task);
  Choice choice = task.scratch.empty() ? Choice{} : remembered(comm, file, ways);
  if (choice.best == none) {
    choice = tried(comm, task, ways);
    if (comm.rank() == 0 && !task.scratch.empty()) remember(choice, file, ways);
    MemoryWatch::forget_peak();
  }
  allow_huge_pages(choice.huge_pages != 0);
  auto transform = ways[static_cast<std::size_t>(choice.best)].make();
  transform->small_pages = choice.huge_pages == 0;
  transform->wrong_ways = std::move(choice.wrong);
  return transform;
}

}  // namespace shardfft::peers
