// What several kernels read, made once: the forward and the backward one of a length, and those of ranks that are
// threads.
#pragma once

#include <map>
#include <memory>

#include "support/comm/forked.hpp"

namespace shardfft::native {

/// Held while anything shared is made. One for all, because making one thing may ask for another: a thread that has it
/// takes it again. fork() waits for it, so that a child finds it free.
class SharedLock {
 public:
  SharedLock() {
    if (depth()++ == 0) mutex().lock();
  }
  SharedLock(const SharedLock&) = delete;
  ~SharedLock() {
    if (--depth() == 0) mutex().unlock();
  }

 private:
  static ForkMutex& mutex() {
    static ForkMutex& one = *new ForkMutex;  // programs fork while they end, too
    return one;
  }
  static int& depth() {
    static thread_local int of_this_thread = 0;
    return of_this_thread;
  }
};

/// Values by key, as long as someone has them.
template <class Key, class Value>
class Shared {
 public:
  /// make(): a Value; it may ask for others.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    const SharedLock lock;
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    if (const auto at = known_.find(key); at != known_.end())
      if (std::shared_ptr<const Value> value = at->second.lock()) return value;
    const auto value = std::make_shared<const Value>(make());
    known_[key] = value;
    return value;
  }

 private:
  std::map<Key, std::weak_ptr<const Value>> known_{};
};

}  // namespace shardfft::native
