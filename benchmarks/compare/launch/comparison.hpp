// Runs everything: cases one after the other, in each of them all libraries in turn.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compare/cases/case_request.hpp"
#include "compare/results/results.hpp"
#include "launcher.hpp"
#include "peers.hpp"
#include "progress_lines.hpp"

namespace shardfft::compare {

/// What the cores of this machine allow for a case. Throws Error where it cannot be measured, as on a busy machine.
[[nodiscard]] Limit limit_of(const Case& c, int cores);

struct Surroundings {
  std::vector<Peer> peers{};  ///< that any case may ask for
  Launcher launcher{};
  std::filesystem::path scratch{};  ///< a folder that the ranks of all nodes see
  int cores = 1;
  std::function<Limit(const Case&, int)> limit = limit_of;
};

class Comparison {
 public:
  /// `keep` is called after every launch with all results so far, `show` when a case is done.
  Comparison(Surroundings surroundings, Results& results, std::function<void()> keep,
             std::function<void(const CaseResult&)> show);

  /// Launches what `results` does not hold yet. A turn of which only a part is there is run again as a whole, since
  /// ratios are formed within turns; for the same reason a library or call that was not among the first of a case does
  /// not join it later, which standard error says. Throws Interrupted.
  void run(const std::vector<CaseRequest>& requests);

 private:
  CaseResult& prepare(const CaseRequest& request);
  void note_deferred(const CaseResult& begun, const CaseRequest& request);
  void tell_late() const;
  void add_entries(CaseResult& result, const CaseRequest& request) const;
  void measure_limit_of(CaseResult& result) const;
  void run_case(CaseResult& result, ProgressLines& lines);
  void launch(CaseResult& result, Entry& entry, int turn, ProgressLines& lines);
  [[nodiscard]] const Peer* peer_of(const Entry& entry) const;

  Surroundings around_;
  Results& results_;
  std::function<void()> keep_;
  std::function<void(const CaseResult&)> show_;
  int launched_ = 0;
  std::map<std::string, int>
      late_{};  ///< libraries and calls that are asked for now but not among the first of so many cases
};

/// Entries that may still be launched.
[[nodiscard]] bool is_running(const Entry& entry);
/// Drops launches of turns that not every running entry has.
void drop_partial_turns(CaseResult& result);
/// Takes back the launches that were not good, so that they are tried again; their number stays.
void forget_failures(Results& results);

}  // namespace shardfft::compare
