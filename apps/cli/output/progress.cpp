#include "output/progress.hpp"

#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace shardfft::cli {
namespace {

// Without exceptions: work goes on whether anybody can read this or not.
void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(bool shown, std::chrono::milliseconds rare) {
  if (!shown) return;
  try {
    if (::isatty(STDERR_FILENO) == 1)
      thread_ = std::thread([this] { run_on_terminal(); });
    else
      thread_ = std::thread([this, rare] { run_in_log(rare); });
  } catch (const std::system_error&) {  // no thread to be had: then nothing is shown
  }
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

void Progress::substage(std::string name) {
  const std::lock_guard guard(lock_);
  stage_ = std::move(name);
}

void Progress::expect(Index parts) {
  const std::lock_guard guard(lock_);
  done_ = 0, all_ = parts;
  began_ = std::chrono::steady_clock::now();
}

void Progress::run_on_terminal() {
  using namespace std::chrono_literals;
  std::unique_lock guard(lock_);
  if (ended_.wait_for(guard, 1s, [this] { return end_; })) return;
  while (!end_) {
    say("\r\033[K" + text());
    ended_.wait_for(guard, 200ms, [this] { return end_; });
  }
  say("\r\033[K");
}

void Progress::run_in_log(std::chrono::milliseconds rare) {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock guard(lock_);
  while (!ended_.wait_for(guard, rare, [this] { return end_; })) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    say(fmt::format("shardfft: {} after {:.0f} s\n", text(), seconds));
  }
}

std::string Progress::text() const {
  const auto all = static_cast<double>(all_.load()), done = static_cast<double>(done_.load());
  if (all <= 0) return stage_;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  const std::string left = done > 0 && done < all ? fmt::format(", {:.0f} s left", seconds * (all - done) / done) : "";
  return fmt::format("{} {:.0f} %{}", stage_, 100 * done / all, left);
}

}  // namespace shardfft::cli
