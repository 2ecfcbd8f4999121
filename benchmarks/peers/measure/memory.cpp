#include "memory.hpp"

#include <fstream>
#include <string>

#include "shardfft/collective.hpp"

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

/// What to add to a resident size, in which every rank counts all of a shared page, so that the sum over ranks counts
/// it once.
Index sharing_correction() {
  const Index resident = proc_bytes("/proc/self/status", "RssShmem:"),
              share = proc_bytes("/proc/self/smaps_rollup", "Pss_Shmem:");
  return share > 0 ? share - resident : 0;
}

}  // namespace

MemoryWatch::MemoryWatch() : before_(proc_bytes("/proc/self/status", "VmRSS:") + sharing_correction()) {
  forget_peak();
}

void MemoryWatch::forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

Index MemoryWatch::peak_growth(const Comm& comm) const {
  comm.barrier();  // all ranks hold their windows while shares are read
  const Index mine = proc_bytes("/proc/self/status", "VmHWM:") + sharing_correction() - before_;
  comm.barrier();
  return all_sum(comm, mine);
}

// A huge page that ranks share is mapped by each of them; each counts as much of it as of its shared pages in the mean.
Index huge_page_bytes(const Comm& comm) {
  constexpr const char* file = "/proc/self/smaps_rollup";
  comm.barrier();  // all ranks hold their windows while shares are read
  const auto resident = static_cast<double>(proc_bytes("/proc/self/status", "RssShmem:")),
             share = static_cast<double>(proc_bytes(file, "Pss_Shmem:"));
  const double shared = resident > 0 ? static_cast<double>(proc_bytes(file, "ShmemPmdMapped:")) * share / resident : 0;
  const Index mine = proc_bytes(file, "AnonHugePages:") + static_cast<Index>(shared);
  comm.barrier();
  return all_sum(comm, mine);
}

}  // namespace shardfft::peers
