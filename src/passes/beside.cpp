#include "passes/beside.hpp"

#include <system_error>
#include <utility>

namespace shardfft::files {

Beside::Beside() {
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {  // ask() does without
  }
}

Beside::~Beside() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(lock_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Beside::ask(std::function<void()> job) {
  if (!thread_.joinable()) return do_one(job);
  {
    const std::lock_guard guard(lock_);
    waiting_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void Beside::wait_for(Index jobs) {
  std::unique_lock guard(lock_);
  changed_.wait(guard, [&] { return done_ >= jobs || failure_; });
  if (failure_) std::rethrow_exception(failure_);
}

void Beside::work() {
  std::unique_lock guard(lock_);
  while (true) {
    changed_.wait(guard, [&] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    const std::function<void()> job = std::move(waiting_.front());
    waiting_.pop_front();
    guard.unlock();
    do_one(job);
    guard.lock();
  }
}

void Beside::do_one(const std::function<void()>& job) {
  std::exception_ptr failure;
  {
    const std::lock_guard guard(lock_);
    failure = failure_;
  }
  try {
    if (!failure) job();
  } catch (...) { failure = std::current_exception(); }
  const std::lock_guard guard(lock_);
  failure_ = failure;
  ++done_;
  changed_.notify_all();
}

}  // namespace shardfft::files
