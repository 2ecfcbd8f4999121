// A rank that lets the others wait, and what they say of it.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "private_memory.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/error.hpp"

namespace shardfft {

/// Notices of this process, while it exists.
class Notices {
 public:
  /// `after` is called for each one.
  explicit Notices(std::function<void()> after = [] {}) {
    on_notice([this, after](const std::string& line) {
      {
        const std::lock_guard lock(mutex_);
        lines_.push_back(line);
      }
      after();
    });
  }
  ~Notices() {
    on_notice([](const std::string& line) { std::fputs((line + '\n').c_str(), stderr); });
  }
  Notices(const Notices&) = delete;
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// Every rank sends 64 bytes to every other one.
inline Traffic everyone_to_everyone(const Comm& comm) {
  Traffic traffic;
  Round& round = traffic.rounds.emplace_back();
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    round.in.push_back({peer, 0, 64 * static_cast<Index>(round.in.size()), 64});
    round.out.push_back({peer, 0, 0, 64});
  }
  round.inbox_bytes = 64 * static_cast<Index>(round.in.size());
  return traffic;
}

/// One use of everyone_to_everyone(). `before_send` may keep this rank for a while. Throws if a message is wrong.
inline void exchange_once(const Comm& comm, Channel& channel, const std::function<void()>& before_send) {
  const Traffic traffic = everyone_to_everyone(comm);
  const Round& round = traffic.rounds[0];
  channel.begin(0);
  for (std::size_t i = 0; i < round.out.size(); ++i)
    std::memset(channel.out(0, i), 1 + comm.rank() * comm.size() + round.out[i].peer, 64);
  before_send();
  channel.send(0, 0);
  channel.wait(0, 0);
  channel.wait(0);
  for (std::size_t i = 0; i < round.in.size(); ++i)
    for (int at = 0; at < 64; ++at)
      if (const int got = std::to_integer<int>(channel.in(0, i)[at]),
          want = 1 + round.in[i].peer * comm.size() + comm.rank();
          got != want)
        throw Error(Status::internal,
                    fmt::format("byte {} from rank {} is {}, not {}", at, round.in[i].peer, got, want));
  channel.release(0);
}

}  // namespace shardfft
