#include "tune/tune_guard.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "shardfft/collective.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/programs/files.hpp"

namespace shardfft::cli {
namespace {

using nlohmann::json;

constexpr const char* format = "shardfft tuning 1";
std::filesystem::path journal() { return cache_folder() / "tuning.json"; }
std::string text_of(const json& all) { return all.dump(-1, ' ', false, json::error_handler_t::replace); }

// People may have written there.
json& object_in(json& entry, const char* name) {
  json& part = entry[name];
  if (!part.is_object()) part = json::object();
  return part;
}
std::string text_in(const json& entry, const char* name) {
  const auto found = entry.find(name);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : "";
}
double number_in(const json& entry, const char* name) {
  const auto found = entry.find(name);
  return found != entry.end() && found->is_number() ? found->get<double>() : 0;
}

/// Changes what is written down about `key`; a file that cannot be written is no reason to stop.
void note(const std::string& key, const std::function<void(json& entry)>& change) {
  if (cache_folder().empty()) return;
  try {
    update_entries(journal(), format, [&](const std::string& text) {
      json entries = json::parse(text);
      json& entry = entries[key];
      if (!entry.is_object()) entry = json::object();
      change(entry);
      std::erase_if(entry.get_ref<json::object_t&>(), [](const auto& part) { return part.second.empty(); });
      if (entry.empty()) entries.erase(key);
      return text_of(entries);
    });
  } catch (const std::exception&) {}
}

/// In which a process has its number: containers may share the name of a host.
std::string host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  std::error_code unknown;
  return fmt::format("{} {}", name.data(), std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string());
}

/// When a process began, in ticks since the machine did; 0 when nobody knows. Numbers of processes come back, with
/// another beginning.
long long beginning_of(long long pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return 0;
  std::istringstream rest(
      line.substr(std::min(line.size(), line.rfind(')') + 1)));  // the name before it may hold blanks
  std::string word;
  for (int i = 0; i < 20; ++i) rest >> word;
  return rest ? std::atoll(word.c_str()) : 0;
}

// One on another host cannot be asked: it is over once its candidate would have been given up.
bool has_ended(const json& job) {
  if (!job.is_object()) return true;
  constexpr double grace = 60;  // seconds, for clocks that differ and ranks that end late
  if (text_in(job, "host") != host())
    return static_cast<double>(std::time(nullptr)) > number_in(job, "since") + number_in(job, "limit") + grace;
  const auto pid = static_cast<long long>(number_in(job, "pid"));
  if (pid <= 0 || (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)) return true;
  const long long beginning = beginning_of(pid);
  return beginning != 0 && beginning != static_cast<long long>(number_in(job, "beginning"));
}

// What earlier runs left: a candidate that was being tried when its job ended is tried once more, and dropped when that
// happens again. Jobs that are still at it are left alone.
json take_stock(const std::string& key) {
  json known = json::object();
  note(key, [&](json& entry) {
    json &jobs = object_in(entry, "running"), &dropped = object_in(entry, "dropped");
    std::string ended_before = text_in(entry, "ended_before");
    for (auto job = jobs.begin(); job != jobs.end();) {
      if (!has_ended(*job)) {
        ++job;
        continue;
      }
      const std::string recipe = job->is_object() ? text_in(*job, "recipe") : "";
      if (!recipe.empty() && ended_before == recipe) dropped[recipe] = "the job ended twice while it ran";
      if (!recipe.empty()) ended_before = recipe;
      job = jobs.erase(job);
    }
    if (!ended_before.empty()) entry["ended_before"] = ended_before;
    for (const auto& [recipe, why] : dropped.items())
      known[recipe] = why.is_string() ? why.get<std::string>() : "it was dropped before";
  });
  return known;
}

}  // namespace

TuneGuard::TuneGuard(const Comm& comm, std::string key, double seconds)
    : first_(comm.rank() == 0), key_(std::move(key)), limit_(seconds) {
  if (first_) job_ = fmt::format("{} {} {}", host(), getpid(), beginning_of(getpid()));
  const std::string known = text_of_first(comm, first_ ? text_of(take_stock(key_)) : "");
  dropped_ = json::parse(known).get<std::map<std::string, std::string>>();
  thread_ = std::thread([this] { watch(); });
}

TuneGuard::~TuneGuard() {
  {
    const std::lock_guard guard(lock_);
    end_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::string TuneGuard::before(const std::string& recipe) {
  if (const auto found = dropped_.find(recipe); found != dropped_.end()) return found->second;
  if (first_)
    note(key_, [&](json& entry) {
      object_in(entry, "running")[job_] = {{"recipe", recipe},
                                           {"host", host()},
                                           {"pid", getpid()},
                                           {"beginning", beginning_of(getpid())},
                                           {"since", std::time(nullptr)},
                                           {"limit", limit_.count()}};
    });
  const std::lock_guard guard(lock_);
  running_ = recipe;
  took_.start(std::chrono::steady_clock::now());
  return {};
}

void TuneGuard::hang_if_told(const std::string& recipe) {
  const char* text = std::getenv("SHARDFFT_TUNE_HANG");
  while (text && recipe.find(text) != recipe.npos) std::this_thread::sleep_for(std::chrono::seconds(1));
}

void TuneGuard::after() {
  const std::lock_guard guard(lock_);
  running_.clear();
}

void TuneGuard::finish() {
  after();
  if (!first_) return;
  note(key_, [this](json& entry) {
    object_in(entry, "running").erase(job_);
    for (const auto& [recipe, why] : dropped_) object_in(entry, "dropped").erase(recipe);
    entry.erase("ended_before");
  });
}

void TuneGuard::watch() {
  using namespace std::chrono_literals;
  std::unique_lock guard(lock_);
  while (!end_) {
    changed_.wait_for(guard, 50ms, [this] { return end_; });
    // Rank 0 speaks and writes; the others leave it the time to do so.
    const auto limit = limit_ + std::chrono::duration<double>(first_ ? 0 : 5);
    if (!running_.empty() && took_.at(std::chrono::steady_clock::now()) > limit) end_process();
  }
}

void TuneGuard::end_process() {
  const std::string why = fmt::format("it took more than {} s", limit_.count());
  if (first_) {
    note(key_, [&](json& entry) {
      object_in(entry, "dropped")[running_] = why;
      object_in(entry, "running").erase(job_);
    });
    fmt::print(
        stderr,
        "shardfft: dropped: {}: {}; run the same command again, it goes on without it (--launch does so by itself)\n",
        running_, why);
    std::fflush(nullptr);
  }
  std::_Exit(candidate_hung);
}

std::set<std::string> TuneGuard::notes() {
  std::set<std::string> all;
  if (cache_folder().empty()) return all;
  try {
    const json entries = json::parse(read_entries(journal(), format));
    for (const auto& [key, entry] : entries.items())
      for (const char* part : {"running", "dropped"})
        if (entry.is_object() && entry.contains(part) && entry[part].is_object())
          for (const auto& [name, about] : entry[part].items()) all.insert(fmt::format("{} {} {}", key, part, name));
  } catch (const std::exception&) {  // there are none that anybody could read; whoever writes there says why it cannot
                                     // be used
  }
  return all;
}

}  // namespace shardfft::cli
