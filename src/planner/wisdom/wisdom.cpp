#include "planner/wisdom/wisdom.hpp"

#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "planner/decide/rank_device.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "planner/wisdom/json_file.hpp"
#include "planner/wisdom/share_text.hpp"
#include "planner/wisdom/wisdom_text.hpp"
#include "shardfft/error.hpp"
#include "support/comm/forked.hpp"
#include "support/text/echo.hpp"
#include "support/text/notice.hpp"
#include "transport/transport.hpp"

namespace shardfft {
namespace {

using nlohmann::json;

JsonFile file_at(const std::filesystem::path& path) { return {path, "shardfft wisdom 1"}; }

/// Entries of this process; they serve where no file can be written, too.
struct ProcessWisdom {
  ForkMutex lock{};
  std::map<std::string, WisdomEntry> entries{};
  std::set<std::string> complaints{}, given_up{};
};
ProcessWisdom& memory() {
  static ProcessWisdom all;
  return all;
}

// A file that cannot be used is said once in a process.
void complain(const std::string& why) {
  const std::lock_guard guard(memory().lock);
  if (memory().complaints.insert(why).second) notice("wisdom is not used: " + with_short_echoes(why));
}

bool is_better(const WisdomEntry& a, const WisdomEntry& b) {
  if (a.date != b.date) return a.date > b.date;
  return a.measured.front().seconds <= b.measured.front().seconds;
}

// Whether tuning `a` tried more than tuning `b` of the same problem. A tuning that ran out of time counts by its
// measured candidates, as far as they are kept; else more effort counts.
bool is_more_thorough(const WisdomEntry& a, const WisdomEntry& b) {
  if (a.measured.size() > b.measured.size() && !b.complete) return true;
  if (b.measured.size() > a.measured.size() && !a.complete) return false;
  if (a.effort != b.effort) return a.effort == "exhaustive";
  return a.complete && !b.complete;
}

bool is_given_up(const std::string& key) {
  const std::lock_guard guard(memory().lock);
  return memory().given_up.contains(key);
}

std::optional<WisdomEntry> readable(const json& entries, const std::string& key, std::string& why_not) {
  const auto found = entries.find(key);
  if (found == entries.end()) return {};
  try {
    return entry_from(key, *found);
  } catch (const std::exception& e) {
    why_not = e.what();
    return {};
  }
}

std::optional<WisdomEntry> from_memory(const std::string& key) {
  const std::lock_guard guard(memory().lock);
  const auto found = memory().entries.find(key);
  return found == memory().entries.end() ? std::nullopt : std::optional(found->second);
}

std::optional<WisdomEntry> from_file(const std::string& key) {
  const std::filesystem::path path = wisdom_file();
  if (path.empty()) return {};
  try {
    std::string damage;
    auto entry = readable(file_at(path).read(), key, damage);
    if (!damage.empty()) complain(fmt::format("{}: {}", path.string(), damage_text({key, damage})));
    return entry;
  } catch (const std::exception& e) {
    complain(e.what());
    return {};
  }
}

bool can_run(const Tuning& v, const Comm& comm, const Options& given) {
  const bool on_device = !given.device.empty() && given.arrays != "host";
  const bool known = given.device.empty()
                         ? find_engine(v.engine) != nullptr
                         : v.engine == "library" || (v.engine == "fused" && on_device &&
                                                     has_fused_kernels(given.device.substr(0, given.device.find(':'))));
  if (!known) return false;
  const Transport* transport = find_transport(v.transport);
  if (transport && transport->stands_for_any()) return false;  // nothing was measured with it
  return comm.kind() == "dry_run" ||
         (transport && transport->on_device() == on_device && transport->refuses(comm).empty());
}

}  // namespace

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

std::optional<WisdomEntry> recall(const std::string& key) {
  auto mine = from_memory(key), kept = from_file(key);
  if (mine && kept) return is_better(*mine, *kept) ? mine : kept;
  return mine ? mine : kept;
}

std::string remember(const WisdomEntry& entry) {
  const std::filesystem::path path = wisdom_file();
  WisdomEntry kept = entry;
  const auto weigh = [&](const std::optional<WisdomEntry>& known) {
    if (known && is_more_thorough(*known, kept) && !is_given_up(entry.key)) kept = *known;
  };
  weigh(from_memory(entry.key));
  std::string why_not;
  if (!path.empty()) try {
      file_at(path).update([&](json& entries) {
        std::string damage;
        weigh(readable(entries, entry.key, damage));
        entries[entry.key] = json_of(kept);
      });
    } catch (const std::exception& e) { why_not = e.what(); }
  const std::lock_guard guard(memory().lock);
  memory().entries[entry.key] = kept;
  memory().given_up.erase(entry.key);
  if (kept.measured.size() > entry.measured.size() || kept.effort != entry.effort || kept.complete != entry.complete)
    notice(fmt::format(
        "wisdom keeps what a more thorough tuning found on {}; to take the new one, forget that and tune again: "
        "shardfft wisdom forget {}",
        kept.date, id_of(entry.key)));
  return why_not;
}

void give_up(const std::string& key, const std::string& why) {
  const std::string path = wisdom_file().string();
  complain(fmt::format("{}with the entry '{}' no plan can be made ({}); forget it: shardfft wisdom forget {}",
                       path.empty() ? "" : path + ": ", key, why, id_of(key)));
  const std::lock_guard guard(memory().lock);
  memory().entries.erase(key);
  memory().given_up.insert(key);
}

std::optional<WisdomEntry> recall_on_all(const Comm& comm, const CheckedProblem& problem, const Options& given,
                                         int threads) {
  std::string text;
  if (comm.rank() == 0 || comm.kind() == "dry_run") {
    auto entry = recall(wisdom_key(comm, problem, given, threads));
    if (!entry && !given_text(given).empty()) entry = recall(wisdom_key(comm, problem, left_open(given), threads));
    if (entry) text = to_text(*entry);
  }
  text = text_of_first(comm, std::move(text));
  if (text.empty()) return {};
  const json known = json::parse(text);
  return entry_from(known["key"], known);
}

const Measured* fastest_allowed(const WisdomEntry& entry, const Comm& comm, const Options& given) {
  const bool any_engine = !given.expert.engine.empty() || !given.device.empty() || given.effort == "measure" ||
                          given.effort == "exhaustive";
  for (const Measured& m : entry.measured)
    if ((any_engine || m.variant.engine == engines().front()->name()) && agrees(m.variant, given) &&
        can_run(m.variant, comm, given))
      return &m;
  return nullptr;
}

std::vector<WisdomEntry> all_entries(const std::filesystem::path& file, std::vector<DamagedEntry>* damaged) {
  std::vector<WisdomEntry> all;
  const json entries = file_at(file).read();
  for (const auto& [key, value] : entries.items()) {
    std::string damage;
    if (auto entry = readable(entries, key, damage))
      all.push_back(std::move(*entry));
    else if (damaged)
      damaged->push_back({key, damage});
  }
  return all;
}

int forget(const std::filesystem::path& file, const std::vector<std::string>& keys) {
  int gone = 0;
  file_at(file).update([&](json& entries) {
    for (const std::string& key : keys) gone += static_cast<int>(entries.erase(key));
  });
  return gone;
}

int merge(const std::filesystem::path& file, const std::vector<WisdomEntry>& more) {
  int taken = 0;
  file_at(file).update([&](json& entries) {
    for (const WisdomEntry& entry : more) {
      std::string damage;
      if (const auto known = readable(entries, entry.key, damage); known && !is_better(entry, *known)) continue;
      entries[entry.key] = json_of(entry);
      ++taken;
    }
  });
  return taken;
}

}  // namespace shardfft
