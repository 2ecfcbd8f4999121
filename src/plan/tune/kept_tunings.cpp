// Wisdom as programs see it.
#include "planner/options/variant.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "planner/wisdom/wisdom_text.hpp"
#include "shardfft/programs/wisdom.hpp"

namespace shardfft {

std::vector<KeptTuning> kept_tunings(const std::filesystem::path& file) {
  std::vector<KeptTuning> all;
  std::vector<DamagedEntry> damaged;
  for (const WisdomEntry& entry : all_entries(file, &damaged)) {
    KeptTuning& kept = all.emplace_back();
    kept.id = id_of(entry.key);
    kept.key = entry.key;
    kept.date = entry.date;
    kept.effort = entry.effort;
    for (const Measured& m : entry.measured) kept.measured.push_back({to_string(m.variant), m.seconds});
    kept.model_seconds = entry.model_seconds;
    kept.json = to_text(entry);
  }
  for (const DamagedEntry& entry : damaged)
    all.push_back({.id = id_of(entry.key), .key = entry.key, .damage = entry.why});
  return all;
}

std::string damage_text(const KeptTuning& damaged) { return damage_text(DamagedEntry{damaged.key, damaged.damage}); }

int forget_tunings(const std::filesystem::path& file, const std::vector<std::string>& keys) {
  return forget(file, keys);
}

int merge_tunings(const std::filesystem::path& file, const std::filesystem::path& from) {
  return merge(file, all_entries(from));
}

}  // namespace shardfft
