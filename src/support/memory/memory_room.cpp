#include "support/memory/memory_room.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

constexpr Index endless = std::numeric_limits<Index>::max();

/// The number behind `key` in lines of "key 123" or "key: 123"; 0 where there is none.
Index number_in(const std::string& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    Index value = 0;
    if (words >> name >> value && (name == key || name == key + ":")) return value;
  }
  return 0;
}

/// A file of one number; none where it is missing, "max", or as good as endless.
std::optional<Index> limit_in(const std::string& file) {
  std::ifstream in(file);
  Index value = 0;
  if (!(in >> value) || value < 0 || value > (endless >> 2)) return {};
  return value;
}

/// How one version of control groups names things.
struct Names {
  const char *limit, *used, *swap_limit, *swap_used, *inactive, *active;
};
constexpr Names version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", nullptr, nullptr,
                          "total_inactive_file",   "total_active_file"};
constexpr Names version_2{"memory.max",          "memory.current", "memory.swap.max",
                          "memory.swap.current", "inactive_file",  "active_file"};

/// The control groups of this process: those from `leaf` up to `top` count.
struct Groups {
  std::string top{}, leaf{};
  const Names* names = nullptr;
};

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// "/job" of "/proc/self/cgroup": of version 2, or of the controller of memory.
std::string path_of_group(const std::string& root, bool second) {
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), next = first == line.npos ? line.npos : line.find(':', first + 1);
    if (next == line.npos) continue;
    const std::string controllers = line.substr(first + 1, next - first - 1);
    if (second ? controllers.empty() : has_word(controllers, "memory")) return line.substr(next + 1);
  }
  return {};
}

/// Inside a container the path may be one of the host's: then what is mounted is the container's own group.
std::string leaf_of(const std::string& top, const std::string& mounted_root, std::string path) {
  if (mounted_root != "/" && path.starts_with(mounted_root)) path.erase(0, mounted_root.size());
  while (!path.empty() && path.back() == '/') path.pop_back();
  return std::ifstream(top + path + "/cgroup.procs") ? top + path : top;
}

std::vector<Groups> groups_of(const std::string& root) {
  std::vector<Groups> all;
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == line.npos) continue;
    std::string skipped, mounted_root, point, type, device, options;
    std::istringstream(line) >> skipped >> skipped >> skipped >> mounted_root >> point;
    std::istringstream(line.substr(dash + 3)) >> type >> device >> options;
    const bool second = type == "cgroup2";
    if (!second && !(type == "cgroup" && has_word(options, "memory"))) continue;
    const std::string top = root + point;
    all.push_back({top, leaf_of(top, mounted_root, path_of_group(root, second)), second ? &version_2 : &version_1});
  }
  return all;
}

void take_least(MemoryRoom& least, Index bytes, const std::string& limit) {
  if (bytes < least.bytes) least = {std::max<Index>(bytes, 0), limit};
}

void look_at_group(const std::string& folder, const Groups& groups, Index swap, MemoryRoom& least) {
  const Names& n = *groups.names;
  const auto file = [&](const char* name) { return folder + "/" + name; };
  const std::optional<Index> limit = limit_in(file(n.limit));
  if (!limit) return;
  if (n.swap_limit)
    if (const std::optional<Index> most = limit_in(file(n.swap_limit)))
      swap = std::min(swap, std::max<Index>(*most - limit_in(file(n.swap_used)).value_or(0), 0));
  const Index cached = number_in(file("memory.stat"), n.inactive) + number_in(file("memory.stat"), n.active);
  const Index used = std::max<Index>(limit_in(file(n.used)).value_or(0) - cached, 0);
  const std::string name = folder.size() > groups.top.size() ? folder.substr(groups.top.size()) : "/";
  take_least(least, *limit - used + swap, fmt::format("{} of the control group {}", n.limit, name));
}

}  // namespace

MemoryRoom room_on_node(const std::string& root) {
  MemoryRoom least{endless, "nothing"};
  const std::string meminfo = root + "/proc/meminfo";
  const Index available = number_in(meminfo, "MemAvailable"), swap = 1024 * number_in(meminfo, "SwapFree");
  if (available > 0) take_least(least, 1024 * available + swap, "what the machine has available");
  for (const Groups& groups : groups_of(root))
    for (std::string folder = groups.leaf;; folder.erase(folder.rfind('/'))) {
      look_at_group(folder, groups, swap, least);
      if (folder.size() <= groups.top.size()) break;
    }
  return least;
}

MemoryRoom room_of_process(const std::string& root) {
  MemoryRoom least{endless, "nothing"};
  const auto look = [&](auto resource, const char* used, const char* name) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    take_least(least,
               static_cast<Index>(std::min<rlim_t>(limit.rlim_cur, endless >> 2)) -
                   1024 * number_in(root + "/proc/self/status", used),
               name);
  };
  look(RLIMIT_AS, "VmSize", "RLIMIT_AS (ulimit -v)");
  look(RLIMIT_DATA, "VmData", "RLIMIT_DATA (ulimit -d)");
  return least;
}

bool is_worth_looking(const Comm& comm, Index largest) {
  constexpr Index never_mind = Index{64} << 20;
  return largest >= never_mind / comm.size();
}

std::string gigabytes(Index bytes) {
  return bytes < 100'000'000 ? fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6)
                             : fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

std::string why_no_room(const Comm& comm, const MemoryNeed& need) {
  if (!is_worth_looking(comm, all_max(comm, need.own + need.shared + need.mapped))) return {};
  struct RankRoom {
    Index own, shared, mapped, on_node, of_process;
  };
  const MemoryRoom node = room_on_node(), process = room_of_process();
  const RankRoom mine{need.own, need.shared, need.mapped, node.bytes, process.bytes};
  std::vector<RankRoom> all(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  const auto rank_of = [&](const RankRoom& r) { return static_cast<int>(&r - all.data()); };
  const auto on_node_of = [&](const RankRoom& r, auto bytes) {
    Index sum = 0;
    for (const RankRoom& other : all)
      if (comm.node(rank_of(other)) == comm.node(rank_of(r)) && __builtin_add_overflow(sum, bytes(other), &sum))
        sum = endless;
    return sum;
  };
  // The limits of a rank's node have names that only ranks of that node know; numbers are known to all.
  for (const RankRoom& r : all) {
    if (r.on_node == endless && r.of_process == endless) continue;
    const bool here = comm.node(rank_of(r)) == comm.node(comm.rank());
    const Index needed = on_node_of(r, [](const RankRoom& o) { return o.own + o.shared + o.mapped; });
    if (needed > r.on_node)
      return fmt::format("node {} must have {}, and {} can be had there{}", comm.node(rank_of(r)), gigabytes(needed),
                         gigabytes(r.on_node), comm.nodes() == 1 && here ? fmt::format(" ({})", node.limit) : "");
    const Index mapped = r.own + on_node_of(r, [](const RankRoom& o) { return o.shared; });
    if (mapped > r.of_process)
      return fmt::format("rank {} must have {}, and {} can be had there{}", rank_of(r), gigabytes(mapped),
                         gigabytes(r.of_process), comm.size() == 1 ? fmt::format(" ({})", process.limit) : "");
  }
  return {};
}

Index memory_for_each(const Comm& comm) {
  Index sharers = 0;
  for (int rank = 0; rank < comm.size(); ++rank) sharers += comm.node(rank) == comm.node(comm.rank()) ? 1 : 0;
  return -all_max(comm, -std::min(room_on_node().bytes / sharers, room_of_process().bytes));
}

}  // namespace shardfft
