#include "tune_guard.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "planner/cache_files.hpp"
#include "planner/json_file.hpp"
#include "planner/share_text.hpp"

namespace shardfft::cli {
namespace {

using nlohmann::json;

/// Changes what is written down about `key`; a file that cannot be written is no reason to stop.
void note(const std::string& key, const std::function<void(json& entry)>& change) {
  if (cache_folder().empty()) return;
  try {
    JsonFile{cache_folder() / "tuning.json", "shardfft tuning 1"}.update([&](json& entries) {
      json& entry = entries[key];
      if (!entry.is_object()) entry = json::object();
      change(entry);
      if (entry.empty()) entries.erase(key);
    });
  } catch (const std::exception&) {
  }
}

// What an earlier run left: a candidate that was being tried when the job ended is tried once more, and dropped when that happens again.
json take_stock(const std::string& key) {
  json dropped = json::object();
  note(key, [&](json& entry) {
    const std::string running = entry.value("running", "");
    if (!running.empty() && entry.value("ended_before", "") == running) entry["dropped"][running] = "the job ended twice while it ran";
    if (!running.empty()) entry["ended_before"] = running;
    entry.erase("running");
    dropped = entry.value("dropped", json::object());
  });
  return dropped;
}

}  // namespace

TuneGuard::TuneGuard(const Comm& comm, std::string key, double seconds) : first_(comm.rank() == 0), key_(std::move(key)), limit_(seconds) {
  const std::string known = text_of_first(comm, first_ ? take_stock(key_).dump() : "");
  const json dropped = json::parse(known);
  for (const auto& [recipe, why] : dropped.items()) dropped_[recipe] = why.get<std::string>();
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
  if (first_) note(key_, [&](json& entry) { entry["running"] = recipe; });
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
  if (first_) note(key_, [](json& entry) { entry = json::object(); });
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
      entry["dropped"][running_] = why;
      entry.erase("running");
    });
    fmt::print(stderr, "shardfft: dropped: {}: {}; run the same command again, it goes on without it (--launch does so by itself)\n", running_, why);
    std::fflush(nullptr);
  }
  std::_Exit(candidate_hung);
}

}  // namespace shardfft::cli
