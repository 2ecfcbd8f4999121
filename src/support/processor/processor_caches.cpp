#include "support/processor/processor_caches.hpp"

#include <fmt/format.h>

#include <fstream>

namespace shardfft {

namespace {

/// "32768K", "1M" or "4096"
Index size_in(std::istream& in) {
  Index number = 0;
  char unit = 0;
  in >> number >> unit;
  return number << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

}  // namespace

std::vector<ProcessorCache> processor_caches(const std::string& folder) {
  std::vector<ProcessorCache> caches;
  for (int i = 0;; ++i) {
    const auto file = [&](const char* name) { return std::ifstream(fmt::format("{}/index{}/{}", folder, i, name)); };
    ProcessorCache cache;
    if (!(file("level") >> cache.level)) return caches;
    std::string type;
    file("type") >> type;
    if (type == "Instruction") continue;
    cache.data_only = type == "Data";
    auto size = file("size");
    cache.bytes = size_in(size);
    caches.push_back(cache);
  }
}

Index cache_bytes(int level, Index otherwise) {
  for (const ProcessorCache& cache : processor_caches())
    if (cache.level == level && cache.bytes > 0) return cache.bytes;
  return otherwise;
}

}  // namespace shardfft
