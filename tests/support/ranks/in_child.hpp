// What a child of fork() does, and how it ends.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <string>

#include "shardfft/error.hpp"

namespace shardfft::testing {

/// How a child that is done ends: at once, or through exit(), which destroys what is static.
enum class ChildEnd { at_once, by_exit };

/// Runs `work` in a child and returns "ok", what it threw, or how it ended: a child that hangs gets "signal 14".
inline std::string in_child(const std::function<void()>& work, ChildEnd end = ChildEnd::at_once) {
  std::array<int, 2> channel{};
  if (pipe(channel.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::string said = "ok";
    try {
      work();
    } catch (const std::exception& e) { said = e.what(); }
    const bool told = write(channel[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    if (end == ChildEnd::by_exit) exit(told ? 0 : 1);
    _exit(told ? 0 : 1);
  }
  close(channel[1]);
  std::string said(4096, '\0');
  const ssize_t length = read(channel[0], said.data(), said.size());
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return fmt::format("status {}", WEXITSTATUS(status));
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  said.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return said;
}

}  // namespace shardfft::testing
