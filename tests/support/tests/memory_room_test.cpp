#include "support/memory/memory_room.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace shardfft {
namespace {

namespace fs = std::filesystem;

constexpr Index kib = 1024, mib = 1024 * kib;

/// A machine as /proc and /sys tell of it.
class Machine {
 public:
  Machine() {
    std::string name = (fs::temp_directory_path() / "shardfft-machine-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    write("/proc/meminfo", "MemTotal: 4000000 kB\nMemFree: 10 kB\nMemAvailable: 1024000 kB\nSwapFree: 0 kB\n");
  }
  Machine(const Machine&) = delete;
  ~Machine() { fs::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(root_ + file).parent_path());
    std::ofstream(root_ + file) << text;
  }
  /// A group of version 2 with these limits; `folder` begins with a slash.
  void group(const std::string& folder, const std::string& most, Index used, Index cached = 0) const {
    const std::string at = "/sys/fs/cgroup" + folder;
    write(at + "/cgroup.procs", "");
    write(at + "/memory.max", most + "\n");
    write(at + "/memory.current", std::to_string(used) + "\n");
    write(at + "/memory.stat", "anon 1\ninactive_file " + std::to_string(cached / 2) + "\nactive_file " +
                                   std::to_string(cached - cached / 2) + "\n");
  }
  void mount(const std::string& root_of_mount = "/") const {
    write("/proc/self/mountinfo", "22 1 0:20 / /proc rw - proc proc rw\n30 25 0:26 " + root_of_mount +
                                      " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  [[nodiscard]] MemoryRoom room() const { return room_on_node(root_); }

 private:
  std::string root_;
};

TEST(MemoryRoom, IsWhatTheMachineHasAvailableWithItsSwap) {
  const Machine machine;
  EXPECT_EQ(machine.room().bytes, 1000 * mib);
  EXPECT_EQ(machine.room().limit, "what the machine has available");
  machine.write("/proc/meminfo", "MemAvailable: 1024000 kB\nSwapFree: 24000 kB\n");
  EXPECT_EQ(machine.room().bytes, 1048000 * kib);
}

TEST(MemoryRoom, EndsAtTheLimitOfTheControlGroupWithWhatItsPageCacheGivesBack) {
  const Machine machine;
  machine.mount();
  machine.write("/proc/self/cgroup", "0::/job/step\n");
  machine.group("", "max", 900 * mib);
  machine.group("/job", "max", 500 * mib);
  machine.group("/job/step", std::to_string(300 * mib), 200 * mib, 50 * mib);
  EXPECT_EQ(machine.room().bytes, 150 * mib);
  EXPECT_EQ(machine.room().limit, "memory.max of the control group /job/step");
}

TEST(MemoryRoom, EndsAtTheLimitOfAnyGroupAroundIt) {
  const Machine machine;
  machine.mount();
  machine.write("/proc/self/cgroup", "0::/job/step\n");
  machine.group("/job", std::to_string(400 * mib), 390 * mib);
  machine.group("/job/step", std::to_string(300 * mib), 200 * mib);
  EXPECT_EQ(machine.room().bytes, 10 * mib);
  machine.group("/job", std::to_string(400 * mib), 500 * mib);
  EXPECT_EQ(machine.room().bytes, 0);
}

TEST(MemoryRoom, OfAContainerIsThatOfTheGroupThatItSees) {
  const Machine machine;
  machine.mount("/docker/1234");
  machine.write("/proc/self/cgroup", "0::/docker/1234\n");
  machine.group("", std::to_string(128 * mib), 28 * mib);
  EXPECT_EQ(machine.room().bytes, 100 * mib);
}

TEST(MemoryRoom, KnowsVersionOneOfControlGroups) {
  const Machine machine;
  machine.write("/proc/self/mountinfo",
                "31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n32 25 0:28 / /sys/fs/cgroup/memory rw - "
                "cgroup cgroup rw,memory\n");
  machine.write("/proc/self/cgroup", "5:cpu:/elsewhere\n4:memory:/slurm/job_7\n0::/\n");
  const std::string job = "/sys/fs/cgroup/memory/slurm/job_7", around = "/sys/fs/cgroup/memory/slurm";
  for (const std::string& folder : {job, around}) machine.write(folder + "/cgroup.procs", "");
  machine.write(job + "/memory.limit_in_bytes", std::to_string(200 * mib));
  machine.write(job + "/memory.usage_in_bytes", std::to_string(150 * mib));
  machine.write(job + "/memory.stat", "cache 5\ntotal_inactive_file 1048576\ntotal_active_file 1048576\n");
  machine.write(around + "/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(machine.room().bytes, 52 * mib);
  EXPECT_EQ(machine.room().limit, "memory.limit_in_bytes of the control group /slurm/job_7");
}

TEST(MemoryRoom, IsEndlessWhereNothingIsKnown) {
  const Machine machine;
  machine.write("/proc/meminfo", "nonsense\n");
  machine.mount();
  machine.group("", "max", 5);
  EXPECT_EQ(machine.room().bytes, std::numeric_limits<Index>::max());
}

TEST(MemoryRoom, IsEnoughForASmallPlanAndNotForOneBeyondAllMachines) {
  EXPECT_EQ(why_no_room(local(), {.own = 1 << 20}), "");
  EXPECT_NE(why_no_room(local(), {.own = Index{1} << 55}).find("can be had there"), std::string::npos);
  on_ranks(3, [](const Comm& comm) {
    const std::string why = why_no_room(comm, {.own = comm.rank() == 1 ? Index{1} << 55 : 0});
    EXPECT_NE(why.find("node 0 must have 36028797.0 GB"), std::string::npos) << why;
  });
}

}  // namespace
}  // namespace shardfft
