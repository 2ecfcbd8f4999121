// A small results file that the tests change.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace shardfft::testing {

using Json = nlohmann::ordered_json;

/// How often `word` is in `text`.
inline std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++n;
  return n;
}

inline Json interval(double median, double coverage = 0.96875) {
  return {{"min", 0.9 * median},  {"median", median},      {"max", 1.2 * median},
          {"low", 0.95 * median}, {"high", 1.05 * median}, {"coverage", coverage}};
}

inline Json right_entry(const std::string& library, double seconds, double ratio) {
  return {{"library", library},
          {"version", "1"},
          {"call", "best"},
          {"status", "ok"},
          {"reason", ""},
          {"configuration", "as documented"},
          {"launches", Json::array({{{"bound", 1e-15}, {"phases_s", {{"sweep", 3.0}, {"exchange", 1.0}}}},
                                    {{"bound", 2e-15}, {"phases_s", {{"sweep", 5.0}, {"exchange", 1.5}}}}})},
          {"summary",
           {{"forward_s", interval(seconds)},
            {"backward_s", interval(1.1 * seconds)},
            {"plan_s", 0.01},
            {"first_call_s", 0.02},
            {"error_rel_l2", 2e-16},
            {"error_backward_rel_l2", 3e-16},
            {"memory_peak_bytes", 1024},
            {"bytes_sent_network", nullptr},
            {"energy_j", nullptr},
            {"ratio_to_shardfft", library == "shardfft" ? Json() : interval(ratio)}}}};
}

/// Launches of one turn each, with two iterations of these seconds forward, and backward of their squares.
inline Json launches(const std::vector<double>& seconds) {
  Json list = Json::array();
  for (const double s : seconds)
    list.push_back({{"turn", list.size()}, {"bound", 1e-15}, {"forward_s", {s, s}}, {"backward_s", {s * s, s * s}}});
  return list;
}

/// A call that is not the best.
inline Json default_entry(const std::string& library, double seconds, double ratio) {
  Json entry = right_entry(library, seconds, ratio);
  entry["call"] = "default";
  return entry;
}

inline Json one_case(int extent, int ranks, int threads = 1) {
  return {{"shape", {extent, extent, extent}},
          {"kind", "c2c"},
          {"precision", "f64"},
          {"layout", "natural"},
          {"ranks", ranks},
          {"threads", threads},
          {"nodes", 1},
          {"study", ""},
          {"limit", {{"copy_s", 0.5}, {"arithmetic_s", 0.25}, {"limit_s", 0.5}}},
          {"entries", {right_entry("shardfft", 1.0, 1), right_entry("fftw_mpi", 3.0, 3)}}};
}

inline Json results(const std::vector<Json>& cases) {
  return {{"format", "shardfft-results"},
          {"format_version", 1},
          {"created", "2026-11-20T14:03:11Z"},
          {"version", "0.2.0"},
          {"command", "shardfft compare"},
          {"seed", 1},
          {"machine", {{"host", "node-1"}, {"memory_bytes", 2147483648}, {"copy_bytes_per_s", 12.5e9}}},
          {"settings", {{"launches", 2}, {"plan_seconds", 60}}},
          {"cases", cases}};
}

}  // namespace shardfft::testing
