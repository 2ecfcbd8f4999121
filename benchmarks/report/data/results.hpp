// What `shardfft compare --json` found, as the report needs it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardfft::report {

/// A median, and an interval that holds the true one with the probability `coverage`: seconds, or a ratio. From 6
/// launches on that is 0.95 or more; the interval of fewer is from the least to the largest.
struct Interval {
  double median = 0, low = 0, high = 0, coverage = 0;
};

struct Times : Interval {
  double min = 0;  ///< over all iterations of all launches
};

/// The least coverage with which an interval tells two times apart: 5 launches reach 0.94, 4 only 0.88.
inline constexpr double enough_coverage = 0.9;

/// What a ratio says of shardfft. `equal`: not told apart, because the interval holds 1 or its launches were too few.
enum class Outcome { faster, equal, slower };
[[nodiscard]] Outcome outcome(const Interval& ratio);

struct Phase {
  std::string label{};
  double seconds = 0;  ///< median over the launches
};

/// shardfft itself, on a device ("shardfft_cuda"), or with options of its own ("shardfft+engine=native"): never a peer.
[[nodiscard]] bool is_ours(std::string_view library);

/// One call of one library in one case.
struct Entry {
  std::string library{}, version{}, call{}, status{}, reason{}, configuration{};
  std::size_t launches = 0;
  std::optional<Times> forward{},
      backward{};  ///< seconds of an iteration, slowest rank; none unless the result was right
  std::optional<Interval> ratio{},
      ratio_backward{};                ///< its time / that of `reference` with the same call; > 1: shardfft is faster
  std::string reference = "shardfft";  ///< of a library on GPUs: shardfft on a device, where the case has it
  using Turns = std::map<std::int64_t, double>;
  Turns forward_of_turn{}, backward_of_turn{};  ///< median of the launch in that turn
  std::string plan{};                           ///< that ran in the last launch, where the library tells
  std::optional<double> plan_s{}, first_call_s{}, error{}, error_backward{}, bound{};  ///< relative L2 errors
  std::optional<double> memory_bytes{}, sent_bytes{}, energy_j{};
  std::optional<double> limit_s{};  ///< what the machine's copy bandwidth and arithmetic allow at best; its
                                    ///< processors', so none on a device
  std::vector<Phase> phases{};
  std::size_t file = 0;  ///< index of the results file it came from

  [[nodiscard]] bool ok() const { return status == "ok"; }
  [[nodiscard]] bool ours() const { return is_ours(library); }
  [[nodiscard]] bool on_device() const;
  /// Share of the limit that is reached: 1 is as fast as the machine allows.
  [[nodiscard]] std::optional<double> share() const;
};

/// Sets libraries on GPUs against shardfft on a device, if there is one, in one case of one file.
void set_references(std::vector<Entry>& entries);

struct Case {
  std::vector<std::int64_t> shape{};
  std::string kind{}, precision{}, layout{}, grid{},
      study{};  ///< grid: of processes, "2x4"; empty where each library chose its own
  std::int64_t ranks = 1, threads = 1, nodes = 1, batch = 1;  ///< batch: arrays in one call
  std::vector<std::int64_t> axes{};                           ///< of an array that are transformed; empty: all
  std::vector<Entry> entries{};

  [[nodiscard]] double elements() const;  ///< of the whole batch
  [[nodiscard]] double bytes() const;     ///< of the whole batch, on the side of the reals
  /// Whether both ask one question, wherever and by whomever.
  [[nodiscard]] bool same_problem(const Case& other) const;
};

struct Fact {
  std::string name{}, value{};  ///< "memory", "15.6 GiB"
};

struct Results {
  std::string name{};  ///< how the page calls this file
  std::string created{}, version{}, command{};
  std::vector<Fact> machine{}, settings{};
  std::map<std::string, double> caches{};  ///< "L2" and its bytes, those that the file knows
  std::vector<Case> cases{};
};

/// Throws Error(io_failed) where `path` cannot be read, Error(invalid_argument) where it is no results file of a
/// version that is known; one line that names the file, the place in it, the rule and what was found.
[[nodiscard]] Results read_results(const std::string& path);
/// Results from text; `path` is for complaints.
[[nodiscard]] Results parse_results(const std::string& text, const std::string& path);

}  // namespace shardfft::report
