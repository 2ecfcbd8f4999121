#include "planner/wisdom_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

using nlohmann::json;

json json_of(const Measured& m) {
  const Variant& v = m.variant;
  return {{"seconds", m.seconds},     {"engine", v.engine},   {"transport", v.transport},
          {"decomposition", v.decomposition}, {"ranks_grid", std::vector<Index>(v.ranks_grid.begin(), v.ranks_grid.end())},
          {"threads", v.threads},     {"chunks", v.chunks},   {"tile", v.tile},
          {"fuse", v.fuse},           {"windows", v.windows}, {"stream", v.stream}};
}

double seconds_from(const json& value) {
  const double seconds = value.get<double>();
  if (!std::isfinite(seconds) || seconds < 0) throw Error(Status::io_failed, fmt::format("seconds are finite and not negative; got {}", seconds));
  return seconds;
}

int within(const json& entry, const char* name, int low, int high) {
  const int value = entry.at(name).get<int>();
  if (value < low || value > high) throw Error(Status::io_failed, fmt::format("{} lies between {} and {}; got {}", name, low, high, value));
  return value;
}

Measured measured_from(const json& entry) {
  Measured m{.seconds = seconds_from(entry.at("seconds"))};
  m.variant = {.engine = entry.at("engine"), .transport = entry.at("transport"), .decomposition = entry.at("decomposition")};
  m.variant.ranks_grid = Coord(entry.at("ranks_grid").get<std::vector<Index>>());
  m.variant.threads = within(entry, "threads", 0, 1 << 16);
  m.variant.chunks = within(entry, "chunks", 1, 64);
  m.variant.tile = within(entry, "tile", 0, 1 << 24);
  m.variant.fuse = within(entry, "fuse", 1, 3);
  m.variant.windows = entry.contains("windows") ? within(entry, "windows", 0, 1) : 1;  // before there was a choice
  m.variant.stream = within(entry, "stream", 0, 2);
  return m;
}

}  // namespace

json json_of(const WisdomEntry& entry) {
  json measured = json::array();
  for (const Measured& m : entry.measured) measured.push_back(json_of(m));
  return {{"date", entry.date}, {"effort", entry.effort}, {"model_seconds", entry.model_seconds}, {"measured", measured}};
}

std::string to_text(const WisdomEntry& entry) {
  json all = json_of(entry);
  all["key"] = entry.key;
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

WisdomEntry entry_from(const std::string& key, const json& entry) try {
  WisdomEntry e{.key = key, .date = entry.at("date"), .effort = entry.at("effort")};
  e.model_seconds = seconds_from(entry.at("model_seconds"));
  for (const json& m : entry.at("measured")) e.measured.push_back(measured_from(m));
  if (e.measured.empty()) throw Error(Status::io_failed, "nothing was measured");
  return e;
} catch (const std::exception& e) {
  throw Error(Status::io_failed, fmt::format("the entry '{}' is damaged ({}); forget it: shardfft wisdom forget", key, e.what()));
}

}  // namespace shardfft
