#include "settings.hpp"

#include "shardfft/error.hpp"

namespace shardfft::compare {
namespace {

void require(bool good, const char* rule) {
  if (!good) throw Error(Status::invalid_argument, rule);
}

}  // namespace

bool is_time_limit(double seconds) { return seconds > 0 && seconds <= 1e6; }

Json to_json(const Settings& s) {
  return {{"launches", s.launches},
          {"iterations", s.iterations},
          {"warmup", s.warmup},
          {"plan_seconds", s.plan_seconds},
          {"time_limit_s", s.time_limit_s}};
}

Settings settings_from(const Json& json, std::uint64_t seed) {
  Settings s;
  json.at("launches").get_to(s.launches);
  json.at("iterations").get_to(s.iterations);
  json.at("warmup").get_to(s.warmup);
  s.plan_seconds = json.value("plan_seconds", s.plan_seconds);
  s.time_limit_s = json.value("time_limit_s", s.time_limit_s);
  s.seed = seed;
  require(s.launches >= 1 && s.iterations >= 1, "settings must hold at least 1 of launches and of iterations");
  require(s.warmup >= 0 && s.plan_seconds >= 0 && s.time_limit_s > 0,
          "warmup and plan_seconds of the settings must not be negative, time_limit_s must be above 0");
  require(seed >= 1 && seed <= largest_seed, "seed must be from 1 to 9223372036854775807");
  return s;
}

}  // namespace shardfft::compare
