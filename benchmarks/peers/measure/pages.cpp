#include "pages.hpp"

#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace shardfft::peers {
namespace {

constexpr std::string_view tunable = "glibc.malloc.hugetlb";

/// Program and words of this process, each with its end.
std::string own_command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::optional<std::string> tunables_with_huge_pages(const char* now) {
  const std::string set = now == nullptr ? "" : now;
  if (set.find(tunable) != set.npos) return {};
  return (set.empty() ? "" : set + ":") + std::string(tunable) + "=1";
}

void restart_with_huge_pages() {
  const auto tunables = tunables_with_huge_pages(std::getenv("GLIBC_TUNABLES"));
  std::string line = own_command_line();
  if (!tunables || line.empty()) return;
  ::setenv("GLIBC_TUNABLES", tunables->c_str(), 1);
  std::vector<char*> words;
  for (std::size_t at = 0; at < line.size(); at = line.find('\0', at) + 1) words.push_back(&line[at]);
  words.push_back(nullptr);
  ::execv("/proc/self/exe", words.data());  // returns only where it failed; then all goes on as it was
}

void allow_huge_pages(bool allowed) {
  ::malloc_trim(0);  // what was freed must not come back in the pages that it had
  ::prctl(PR_SET_THP_DISABLE, allowed ? 0 : 1, 0, 0, 0);
}

}  // namespace shardfft::peers
