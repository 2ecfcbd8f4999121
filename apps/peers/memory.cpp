#include "memory.hpp"

#include <fstream>
#include <string>

#include "support/agree.hpp"

namespace shardfft::peers {
namespace {

/// The number behind `key` in a file of lines "Key:   1234 kB", in bytes; 0 where there is none.
Index proc_bytes(const char* file, const std::string& key) {
  std::ifstream in(file);
  Index kib = 0;
  for (std::string word; in >> word;)
    if (word == key && in >> kib) return 1024 * kib;
  return 0;
}

/// What to add to a resident size, in which every rank counts all of a shared page, so that the sum over ranks counts it once.
Index sharing_correction() {
  const Index resident = proc_bytes("/proc/self/status", "RssShmem:"), share = proc_bytes("/proc/self/smaps_rollup", "Pss_Shmem:");
  return share > 0 ? share - resident : 0;
}

}  // namespace

MemoryWatch::MemoryWatch() : before_(proc_bytes("/proc/self/status", "VmRSS:") + sharing_correction()) { forget_peak(); }

void MemoryWatch::forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

Index MemoryWatch::peak_growth(const Comm& comm) const {
  comm.barrier();  // all ranks hold their windows while shares are read
  const Index mine = proc_bytes("/proc/self/status", "VmHWM:") + sharing_correction() - before_;
  comm.barrier();
  return all_sum(comm, mine);
}

Index huge_page_bytes(const Comm& comm) { return all_sum(comm, proc_bytes("/proc/self/smaps_rollup", "AnonHugePages:")); }

}  // namespace shardfft::peers
