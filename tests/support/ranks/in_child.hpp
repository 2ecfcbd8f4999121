// What a child of fork() does, and how it ends.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

#include "shardfft/error.hpp"

namespace shardfft::testing {

/// Runs `work` in a child and returns "ok", what it threw, or how it ended: a child that hangs gets "signal 14".
inline std::string in_child(const std::function<void()>& work) {
  std::array<int, 2> channel{};
  if (pipe(channel.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::string said = "ok";
    try {
      work();
    } catch (const std::exception& e) { said = e.what(); }
    _exit(write(channel[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(channel[1]);
  std::string said(4096, '\0');
  const ssize_t length = read(channel[0], said.data(), said.size());
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  said.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return said;
}

}  // namespace shardfft::testing
