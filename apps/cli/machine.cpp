#include "machine.hpp"

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <hwy/targets.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::cli {
namespace {

/// The value of "key : value" in a file of such lines; empty when it is not there.
std::string field(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !line.starts_with(key)) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == line.npos ? "" : line.substr(start);
  }
  return {};
}

Index kib_field(const char* file, const std::string& key) {
  Index kib = 0;
  std::istringstream(field(file, key)) >> kib;
  return 1024 * kib;
}

std::vector<std::string> caches_of_core() {
  std::vector<std::string> caches;
  for (const ProcessorCache& c : processor_caches())
    caches.push_back(fmt::format("L{}{} {}K", c.level, c.data_only ? "d" : "", c.bytes >> 10));
  return caches;
}

std::string system_name() {
  utsname name{};
  return ::uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "unknown";
}

/// The best instruction set that this processor has among those that kernels are built for.
std::string simd_name() {
  const std::int64_t targets = hwy::SupportedTargets();
  return hwy::TargetName(targets & -targets);
}

}  // namespace

MachineFacts look_at_machine() {
  MachineFacts facts;
  facts.system = system_name();
  facts.cpu = field("/proc/cpuinfo", "model name");
  facts.simd = simd_name();
  facts.cores = cores_of_process();
  facts.caches = caches_of_core();
  facts.memory = kib_field("/proc/meminfo", "MemTotal");
  facts.memory_available = kib_field("/proc/meminfo", "MemAvailable");
  struct statvfs shm{};
  if (::statvfs("/dev/shm", &shm) == 0) {
    facts.shared_memory = static_cast<Index>(shm.f_blocks) * static_cast<Index>(shm.f_frsize);
    facts.shared_memory_free = static_cast<Index>(shm.f_bavail) * static_cast<Index>(shm.f_frsize);
  }
  return facts;
}

}  // namespace shardfft::cli
