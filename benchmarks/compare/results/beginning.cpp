#include "beginning.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "compare/launch/comparison.hpp"
#include "launch/launch.hpp"
#include "results_file.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/limit.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/version.hpp"

namespace shardfft::compare {
namespace {

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text = "shardfft", word;
  std::getline(file, word, '\0');
  while (std::getline(file, word, '\0')) text += ' ' + word;
  return text;
}

/// Null where the system does not tell.
Json cache_of(int level) {
  const Index bytes = cache_bytes(level, 0);
  return bytes > 0 ? Json(bytes) : Json();
}

Json machine_json(const cli::MachineFacts& facts) {
  return {{"host", host_name()},          {"processor", facts.cpu},  {"cores", facts.cores},
          {"memory_bytes", facts.memory}, {"os", facts.system},      {"compiler", SHARDFFT_COMPILER},
          {"mpi", cli::mpi_library()},    {"l1_bytes", cache_of(1)}, {"l2_bytes", known_machine(local()).l2_bytes},
          {"l3_bytes", cache_of(3)},      {"simd", facts.simd}};
}

Results fresh_results(const Settings& settings, const cli::MachineFacts& facts) {
  Results results;
  results.machine = machine_json(facts);
  results.created = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  results.version = SHARDFFT_VERSION;
  results.command = command_line();
  results.settings = settings;
  return results;
}

}  // namespace

Results begin_results(const CompareWords& words, const Settings& settings, const cli::MachineFacts& facts) {
  const bool exists = !words.json.empty() && std::filesystem::exists(words.json);
  if (exists && !words.resume)
    throw Error(Status::invalid_argument, fmt::format("--json must name a file that is not there yet, or --resume must "
                                                      "be given; '{}' is there; add --resume to go on "
                                                      "with it, or remove it",
                                                      words.json));
  Results fresh = fresh_results(settings, facts);
  if (!exists) {
    // A second, and half a GiB: for the file only.
    if (!words.json.empty()) fresh.machine["copy_bytes_per_s"] = measure_copy_bandwidth(facts.cores);
    return fresh;
  }
  Results before = read_results("--json", words.json);
  require_resumable(before, fresh);
  before.settings = settings;
  if (words.retry) forget_failures(before);
  return before;
}

}  // namespace shardfft::compare
