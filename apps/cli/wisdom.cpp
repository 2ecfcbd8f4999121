// shardfft wisdom list

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "options/plan_options.hpp"
#include "output/costs.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/wisdom.hpp"

namespace shardfft::cli {
namespace {

struct WisdomWords {
  std::vector<std::string> names{};
  bool all = false, machine = false;
  std::string json{};
};

std::filesystem::path file() {
  if (const auto path = wisdom_file(); !path.empty()) return path;
  throw Error(Status::invalid_argument,
              "wisdom needs a place; got SHARDFFT_WISDOM=off, or no home; set SHARDFFT_WISDOM to a folder");
}

bool is_damaged(const KeptTuning& entry) { return !entry.damage.empty(); }

/// Among entries, damaged or not. nullptr when it is none of them.
const KeptTuning* find_named(const std::vector<KeptTuning>& all, const std::string& name) {
  const auto at = std::ranges::find_if(all, [&](const KeptTuning& e) { return e.id == name || e.key == name; });
  return at == all.end() ? nullptr : &*at;
}

[[noreturn]] void refuse(const std::string& name, std::size_t entries) {
  throw Error(Status::invalid_argument,
              fmt::format("entries must be those that `shardfft wisdom list` shows; got '{}'; {} has {}", name,
                          file().string(), entries));
}

Json entry_json(const KeptTuning& entry) {
  Json record = Json::parse(entry.json);
  record["id"] = entry.id;
  return record;
}

void say(const std::string& json, const std::string& text, const Json& record) {
  if (json != "-") fmt::print("{}", text);
  write_json(local(), json, record);
}

void list(const WisdomWords& words) {
  const std::vector<KeptTuning> all = kept_tunings(file());
  Table table({"id", "date", "effort", "tuned", "untuned", ""});
  Json record{
      {"command", "wisdom list"}, {"file", file().string()}, {"entries", Json::array()}, {"damaged", Json::array()}};
  for (const KeptTuning& e : all) {
    if (is_damaged(e)) {
      record["damaged"].push_back({{"id", e.id}, {"key", e.key}, {"why", e.damage}});
      table.add({e.id, "-", "damaged", "-", "-", fmt::format("{}: {}", e.key, e.damage)});
      continue;
    }
    record["entries"].push_back(entry_json(e));
    table.add({e.id, e.date, e.effort, seconds_text(e.measured.front().seconds),
               e.model_seconds > 0 ? seconds_text(e.model_seconds) : "-", e.key});
  }
  say(words.json, all.empty() ? fmt::format("{} has no entries\n", file().string()) : table.text(), record);
}

void show(const WisdomWords& words) {
  Json record{{"command", "wisdom show"}, {"file", file().string()}, {"entries", Json::array()}};
  std::string text;
  const std::vector<KeptTuning> all = kept_tunings(file());
  for (const std::string& name : words.names) {
    const KeptTuning* found = find_named(all, name);
    if (!found) refuse(name, all.size());
    const KeptTuning& e = *found;
    if (is_damaged(e)) throw Error(Status::io_failed, fmt::format("{}: {}", file().string(), damage_text(e)));
    record["entries"].push_back(entry_json(e));
    text += fmt::format("{}\nmeasured on {} (effort {}), untuned {}\n", e.key, e.date, e.effort,
                        e.model_seconds > 0 ? seconds_text(e.model_seconds) : "-");
    for (const KeptChoice& m : e.measured) text += fmt::format("  {}  {}\n", seconds_text(m.seconds), m.recipe);
  }
  say(words.json, text, record);
}

void forget_this_machine(const WisdomWords& words) {
  (void)file();  // there is a place
  const int gone = forget_machine();
  const std::string place = machine_file().string();
  say(words.json,
      gone > 0 ? fmt::format("the measured machine is forgotten: {}\n", place)
               : fmt::format("{} has nothing about this machine\n", place),
      {{"command", "wisdom forget"}, {"file", place}, {"forgotten", gone}});
}

void forget_entries(const WisdomWords& words) {
  const bool only_machine = words.machine && !words.all && words.names.empty();
  if (!only_machine && words.all != words.names.empty())
    throw Error(Status::invalid_argument,
                fmt::format("forget takes the entries' ids, or --all, or --machine; got {}; see shardfft wisdom list",
                            words.all ? "both" : "neither"));
  if (only_machine) return forget_this_machine(words);
  const std::vector<KeptTuning> all = kept_tunings(file());
  std::vector<std::string> keys;
  for (const std::string& name : words.names) {
    const KeptTuning* found = find_named(all, name);
    if (!found) refuse(name, all.size());
    keys.push_back(found->key);
  }
  if (words.all)
    for (const KeptTuning& e : all) keys.push_back(e.key);
  const int gone = forget_tunings(file(), keys);
  if (words.machine) (void)forget_machine();
  say(words.json, fmt::format("{} of {} entries forgotten\n", gone, all.size()),
      {{"command", "wisdom forget"}, {"file", file().string()}, {"forgotten", gone}});
}

void merge_files(const WisdomWords& words) {
  int taken = 0, seen = 0;
  for (const std::string& name : words.names) {
    std::error_code strange;  // a name that is too long, or a folder that may not be searched
    const bool exists = std::filesystem::exists(name, strange);
    if (strange || !exists)
      throw Error(Status::io_failed, fmt::format("merge reads files of wisdom; '{}' {}; name another one", name,
                                                 strange ? strange.message() : "does not exist"));
    const std::vector<KeptTuning> more = kept_tunings(name);
    for (const KeptTuning& e : more)
      if (is_damaged(e))
        fmt::print(stderr, "shardfft: {}: merge leaves out the entry '{}', which is damaged ({}); tune it anew\n", name,
                   e.key, e.damage);
    seen += static_cast<int>(more.size());
    taken += merge_tunings(file(), name);
  }
  say(words.json, fmt::format("{} of {} entries taken into {}\n", taken, seen, file().string()),
      {{"command", "wisdom merge"}, {"file", file().string()}, {"taken", taken}, {"seen", seen}});
}

constexpr const char* wisdom_examples =
    R"(The file is wisdom.json in $SHARDFFT_WISDOM, $XDG_CACHE_HOME/shardfft or ~/.cache/shardfft. SHARDFFT_WISDOM may
also name the file itself (something.json).

Examples:
  shardfft wisdom list
  shardfft wisdom show 1f3a5c77
  shardfft wisdom forget 1f3a5c77
  shardfft wisdom forget --machine
  shardfft wisdom merge /shared/wisdom.json)";

void add_action(const Command& command, const char* name, const char* help, Action& chosen,
                void (*run)(const WisdomWords&), const char* names) {
  const auto words = std::make_shared<WisdomWords>();
  const Command action = command.add_command(name, help);
  const bool forgets = std::string_view(name) == "forget";
  if (names) action.add_option(names, words->names, help).required(!forgets);
  if (forgets) action.add_flag("--all", words->all, "every entry");
  if (forgets) action.add_flag("--machine", words->machine, "the measured rates of this machine and its devices");
  add_json(action, words->json);
  action.callback([words, run, &chosen] {
    chosen = [words, run](const Comm& comm) {
      check_side_files(comm, {{"--json", words->json}});
      collectively(comm, [&] {
        if (comm.rank() == 0) run(*words);
      });
      return 0;
    };
  });
}

}  // namespace

void add_wisdom(const Command& program, Action& chosen) {
  const Command command = program.add_command("wisdom", "show, remove and merge what `shardfft tune` found");
  command.footer(wisdom_examples);
  command.require_command();
  add_action(command, "list", "all entries", chosen, list, nullptr);
  add_action(command, "show", "entries with all measurements", chosen, show, "ID");
  add_action(command, "forget", "remove entries", chosen, forget_entries, "ID");
  add_action(command, "merge", "add the entries of other files; of two with the same key, the later one wins", chosen,
             merge_files, "FILE");
}

}  // namespace shardfft::cli
