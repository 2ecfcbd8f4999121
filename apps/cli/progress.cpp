#include "progress.hpp"

#include <chrono>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace shardfft::cli {

Progress::Progress(bool shown) {
  if (!shown || ::isatty(STDERR_FILENO) != 1) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {}  // where limits refuse one thread more, the work goes on without
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(lock_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void Progress::stage(std::string name) {
  const std::lock_guard guard(lock_);
  stage_ = std::move(name);
  all_ = 0;
}

void Progress::run() {
  using namespace std::chrono_literals;
  std::unique_lock guard(lock_);
  ended_.wait_for(guard, 1s, [this] { return end_; });
  while (!end_) {
    draw();
    ended_.wait_for(guard, 200ms, [this] { return end_; });
  }
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::draw() {
  const auto all = static_cast<double>(all_.load()), done = static_cast<double>(done_.load());
  const std::string part = all > 0 ? fmt::format(" {:.0f} %", 100 * done / all) : "";
  fmt::print(stderr, "\r\033[K{}{}", stage_, part);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace shardfft::cli
