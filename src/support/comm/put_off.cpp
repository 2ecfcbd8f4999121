#include "support/comm/put_off.hpp"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace shardfft {
namespace {

struct PutOff {
  std::mutex mutex;
  std::vector<std::shared_ptr<void>> all;
  std::atomic<bool> some = false;
};
/// Never destroyed: plans may be static objects.
PutOff& all_put_off() {
  static PutOff& all = *new PutOff;
  return all;
}

}  // namespace

void put_off(std::shared_ptr<void> what) {
  PutOff& r = all_put_off();
  const std::lock_guard lock(r.mutex);
  r.all.push_back(std::move(what));
  r.some = true;
}

void end_what_was_put_off() {
  PutOff& r = all_put_off();
  if (!r.some.load(std::memory_order_relaxed)) return;
  std::vector<std::shared_ptr<void>> all;  // ends after the lock: a plan that ends may end its group
  const std::lock_guard lock(r.mutex);
  r.some = false;
  all.swap(r.all);
}

std::size_t how_many_are_put_off() {
  PutOff& r = all_put_off();
  const std::lock_guard lock(r.mutex);
  return r.all.size();
}

}  // namespace shardfft
