#include <algorithm>
#include <mutex>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "shardfft/environment.hpp"
#include "shardfft/options.hpp"
#include "support/comm/forked.hpp"
#include "support/text/did_you_mean.hpp"
#include "support/text/notice.hpp"

namespace shardfft {
namespace {

constexpr std::string_view prefix = "SHARDFFT_";

// Beside those of options, without the prefix.
// clang-format off
constexpr std::string_view others[] = {
    // the machine, and what is kept
    "COPY_BYTES", "COPY_QUEUES", "GPU_AWARE_MPI", "MPI", "RANKS_PER_NODE", "SHM_LIMIT", "STALL_SECONDS", "WISDOM",
    "EMULATED_BYTES", "EMULATED_DEVICES", "EMULATED_GRAPHS", "EMULATED_REACH", "EMULATED_SEED",
    "FFTW_REPORT",  // of libshardfft_fftw3_mpi
    // programs and scripts
    "MPIRUN", "PEERS", "PEER_ARRAYS", "PEER_DEVICE", "PEER_DFT", "PYTHON", "TUNE_HANG",
    "GPU_CHECK_CUBES", "GPU_CHECK_LOADER", "GPU_CHECK_STEP", "GPU_FIRST_RUN_SECONDS", "PROGRAMS", "SCREENSHOTS"};
// clang-format on

const std::vector<std::string>& known() {
  static const auto names = [] {
    std::vector<std::string> all(std::begin(others), std::end(others));
    for (const OptionRow& row : option_table())
      if (!row.variable.empty()) all.emplace_back(row.variable.substr(prefix.size()));
    return all;
  }();
  return names;
}

// What installations, not users, set beside a package.
constexpr std::string_view of_installations[] = {"BIN", "BASE", "DIR",    "HOME", "INC",    "INCLUDE",
                                                 "LIB", "PATH", "PREFIX", "ROOT", "VERSION"};

bool expected(std::string_view name) {
  return name.starts_with("TEST_") || std::ranges::find(known(), name) != known().end() ||
         std::ranges::find(of_installations, name) != std::end(of_installations);
}

}  // namespace

std::vector<std::string> strange_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('='));
    const bool is_set = name.size() + 1 < text.size();
    if (is_set && name.starts_with(prefix) && !expected(name.substr(prefix.size()))) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> warn_of_strange_variables() {
  static ForkMutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  std::vector<std::string> news = strange_variables();
  std::erase_if(news, [&](const std::string& name) { return !told.insert(name).second; });
  for (const std::string& name : news) {
    const std::string meant = nearest(std::string_view(name).substr(prefix.size()), known());
    const std::string guess = meant.empty() ? meant : fmt::format(" (did you mean '{}{}'?)", prefix, meant);
    notice(fmt::format(
        "warning: the environment variable {:.200} is none that shardfft knows{}; it changes nothing, unset it", name,
        guess));
  }
  return news;
}

}  // namespace shardfft
