#include "support/comm/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardfft {
namespace {

TEST(Process, IsAliveUntilItEndsAlsoWhenNobodyHasReapedIt) {
  EXPECT_TRUE(is_alive(this_process()));
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ProcessId me = this_process();
    _exit(write(channel[1], &me, sizeof me) == sizeof me ? 0 : 1);
  }
  ProcessId process;
  ASSERT_EQ(read(channel[0], &process, sizeof process), static_cast<ssize_t>(sizeof process));
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_EQ(process.pid, child);
  ProcessId elsewhere = process;
  ++elsewhere.numbering;
  EXPECT_FALSE(can_see(this_process(), elsewhere)) << "nobody there has this number";
  if (process.numbering != 0) EXPECT_TRUE(can_see(this_process(), process)) << "it has ended a moment ago";
  EXPECT_FALSE(is_alive(process));
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_alive(process));
}

TEST(Process, IsNotTakenForALaterOneWithTheSameNumber) {
  ProcessId me = this_process();
  --me.start_time;
  EXPECT_FALSE(is_alive(me));
}

}  // namespace
}  // namespace shardfft
