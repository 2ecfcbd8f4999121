// What several kernels read, made once: the forward and the backward one of a length, and those of ranks that are
// threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace shardfft::native {

/// Values by key, as long as someone has them.
template <class Key, class Value>
class Shared {
 public:
  /// make(): a Value; it may ask for others.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    if (const auto at = known_.find(key); at != known_.end())
      if (std::shared_ptr<const Value> value = at->second.lock()) return value;
    const auto value = std::make_shared<const Value>(make());
    known_[key] = value;
    return value;
  }

 private:
  std::recursive_mutex mutex_{};
  std::map<Key, std::weak_ptr<const Value>> known_{};
};

}  // namespace shardfft::native
