// Everything that one comparison found: a value, and the file that keeps it. docs/guide/results.md describes the file.
#pragma once

#include <string>
#include <vector>

#include "compare/launch/launch_record.hpp"
#include "shardfft/programs/limit.hpp"

namespace shardfft::compare {

/// One library and call on one case.
struct Entry {
  std::string library{}, call{}, version{}, configuration{};
  std::string status{};  ///< ok until a launch was not; then that launch's, and it is launched no more
  std::string reason{};
  std::vector<LaunchRecord> launches{};
  int failed_before = 0;  ///< launches that were not good and were taken back to try again

  [[nodiscard]] bool has(int turn) const;
  [[nodiscard]] const LaunchRecord* at(int turn) const;  ///< nullptr when there is none
  /// The launches' times when all were good, none else: what a library that fails or lies now and then takes is no
  /// time.
  [[nodiscard]] std::vector<std::vector<double>> forward() const;
  [[nodiscard]] std::vector<std::vector<double>> backward() const;
  void add(LaunchRecord record);
};

struct CaseResult {
  Case work{};
  Limit limit{};
  std::vector<Entry> entries{};
  std::string no_limit{};  ///< why it was not measured

  [[nodiscard]] const Entry* find(const std::string& library,
                                  const std::string& call) const;  ///< nullptr when there is none
  /// shardfft with the same call, else with any; nullptr when it took no part.
  [[nodiscard]] const Entry* reference_for(const Entry& entry) const;
};

struct Results {
  Json machine = Json::object();
  std::string created{}, version{}, command{};
  Settings settings{};
  std::vector<CaseResult> cases{};

  [[nodiscard]] const CaseResult* find(const Case& work) const;
};

[[nodiscard]] Json to_json(const Results& results);
/// Throws nlohmann's exceptions and Error where it is not what to_json wrote.
[[nodiscard]] Results results_from(const Json& json);

}  // namespace shardfft::compare
