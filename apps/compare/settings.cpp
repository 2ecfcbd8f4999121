#include "settings.hpp"

namespace shardfft::compare {

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
  return s;
}

}  // namespace shardfft::compare
