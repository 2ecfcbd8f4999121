#include "process_tree.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardfft::compare {
namespace {

/// The parent of a process; 0 when it is gone or was already waited for. The name in the second field may hold
/// anything, so it is skipped from its end.
pid_t parent_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == line.npos || line.size() < name_end + 4) return 0;
  return static_cast<pid_t>(std::atoi(line.c_str() + name_end + 4));
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return children;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name.find_first_not_of("0123456789") == name.npos) children.emplace(parent_of(name), std::atoi(name.c_str()));
  }
  ::closedir(folder);
  return children;
}

}  // namespace

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

std::vector<pid_t> descendants() {
  const auto children = children_by_parent();
  std::vector<pid_t> found{::getpid()};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

void end_descendants() {
  using namespace std::chrono_literals;
  const auto give_up = std::chrono::steady_clock::now() + 10s;
  while (std::chrono::steady_clock::now() < give_up) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {}
    const std::vector<pid_t> left = descendants();
    if (left.empty()) return;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(5ms);
  }
}

}  // namespace shardfft::compare
