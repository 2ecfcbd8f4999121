// shardfft wisdom list
#include "planner/wisdom.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "costs.hpp"
#include "plan_options.hpp"
#include "planner/cache_files.hpp"
#include "planner/wisdom_text.hpp"
#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "table.hpp"

namespace shardfft::cli {
namespace {

struct WisdomWords {
  std::vector<std::string> names{};
  bool all = false;
  std::string json{};
};

std::filesystem::path file() {
  if (const auto path = wisdom_file(); !path.empty()) return path;
  throw Error(Status::invalid_argument, "wisdom needs a place; got SHARDFFT_WISDOM=off, or no home; set SHARDFFT_WISDOM to a folder");
}

/// Short name of an entry: 8 hexadecimal digits of its key's FNV-1a hash.
std::string id_of(const WisdomEntry& entry) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : entry.key) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return fmt::format("{:08x}", hash >> 32);
}

std::vector<WisdomEntry> named(const std::vector<WisdomEntry>& all, const std::vector<std::string>& names) {
  std::vector<WisdomEntry> found;
  for (const std::string& name : names) {
    const auto at = std::ranges::find_if(all, [&](const WisdomEntry& e) { return id_of(e) == name || e.key == name; });
    if (at == all.end())
      throw Error(Status::invalid_argument, fmt::format("entries must be those that `shardfft wisdom list` shows; got '{}'; {} has {}", name, file().string(), all.size()));
    found.push_back(*at);
  }
  return found;
}

Json entry_json(const WisdomEntry& entry) {
  Json record = Json::parse(to_text(entry));
  record["id"] = id_of(entry);
  return record;
}

void say(const std::string& json, const std::string& text, const Json& record) {
  if (json != "-") fmt::print("{}", text);
  write_json(local(), json, record);
}

void list(const WisdomWords& words) {
  const auto all = all_entries(file());
  Table table({"id", "date", "effort", "tuned", "untuned", ""});
  Json record{{"command", "wisdom list"}, {"file", file().string()}, {"entries", Json::array()}};
  std::string keys;
  for (const WisdomEntry& e : all) {
    record["entries"].push_back(entry_json(e));
    table.add({id_of(e), e.date, e.effort, seconds_text(e.measured.front().seconds), e.model_seconds > 0 ? seconds_text(e.model_seconds) : "-", e.key});
  }
  say(words.json, all.empty() ? fmt::format("{} has no entries\n", file().string()) : table.text(), record);
}

void show(const WisdomWords& words) {
  Json record{{"command", "wisdom show"}, {"file", file().string()}, {"entries", Json::array()}};
  std::string text;
  for (const WisdomEntry& e : named(all_entries(file()), words.names)) {
    record["entries"].push_back(entry_json(e));
    text += fmt::format("{}\nmeasured on {} (effort {}), untuned {}\n", e.key, e.date, e.effort, e.model_seconds > 0 ? seconds_text(e.model_seconds) : "-");
    for (const Measured& m : e.measured) text += fmt::format("  {}  {}\n", seconds_text(m.seconds), to_string(m.variant));
  }
  say(words.json, text, record);
}

void forget_entries(const WisdomWords& words) {
  if (words.all != words.names.empty())
    throw Error(Status::invalid_argument, fmt::format("forget takes the entries' ids, or --all; got {}; see shardfft wisdom list", words.all ? "both" : "neither"));
  const auto all = all_entries(file());
  std::vector<std::string> keys;
  for (const WisdomEntry& e : words.all ? all : named(all, words.names)) keys.push_back(e.key);
  const int gone = forget(file(), keys);
  say(words.json, fmt::format("{} of {} entries forgotten\n", gone, all.size()), {{"command", "wisdom forget"}, {"file", file().string()}, {"forgotten", gone}});
}

void merge_files(const WisdomWords& words) {
  int taken = 0, seen = 0;
  for (const std::string& name : words.names) {
    if (!std::filesystem::exists(name)) throw Error(Status::io_failed, fmt::format("merge reads files of wisdom; '{}' does not exist; name another one", name));
    const auto more = all_entries(name);
    seen += static_cast<int>(more.size());
    taken += merge(file(), more);
  }
  say(words.json, fmt::format("{} of {} entries taken into {}\n", taken, seen, file().string()), {{"command", "wisdom merge"}, {"file", file().string()}, {"taken", taken}, {"seen", seen}});
}

constexpr const char* examples =
    R"(The file is wisdom.json in $SHARDFFT_WISDOM, $XDG_CACHE_HOME/shardfft or ~/.cache/shardfft; SHARDFFT_WISDOM may also name the file itself (something.json).

Examples:
  shardfft wisdom list
  shardfft wisdom show 1f3a5c77
  shardfft wisdom forget 1f3a5c77
  shardfft wisdom merge /shared/wisdom.json)";

void add_action(const Command& command, const char* name, const char* help, Action& chosen, void (*run)(const WisdomWords&), const char* names) {
  const auto words = std::make_shared<WisdomWords>();
  const Command action = command.add_command(name, help);
  const bool forgets = std::string_view(name) == "forget";
  if (names) action.add_option(names, words->names, help).required(!forgets);
  if (forgets) action.add_flag("--all", words->all, "every entry");
  add_json(action, words->json);
  action.callback([words, run, &chosen] {
    chosen = [words, run](const Comm& comm) {
      collectively(comm, [&] {
        if (comm.rank() == 0) run(*words);
      });
      return 0;
    };
  });
}

}  // namespace

void add_wisdom(const Command& program, Action& chosen) {
  const Command command = program.add_command("wisdom", "show and tidy up what `shardfft tune` found");
  command.footer(examples);
  command.require_command();
  add_action(command, "list", "all entries", chosen, list, nullptr);
  add_action(command, "show", "entries with all that was measured", chosen, show, "ID");
  add_action(command, "forget", "remove entries", chosen, forget_entries, "ID");
  add_action(command, "merge", "take over the entries of other files; of two about the same, the later one wins", chosen, merge_files, "FILE");
}

}  // namespace shardfft::cli
