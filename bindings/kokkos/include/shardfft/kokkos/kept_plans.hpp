// Plans of functions are kept: making one takes far longer than running a small one.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "shardfft/comm.hpp"
#include "shardfft/kokkos/asked.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::kokkos {

/// The last 16 plans of functions that no call is using. Given back before Kokkos ends, for devices end with it.
class KeptPlans {
 public:
  static KeptPlans& all() {
    static KeptPlans plans;
    return plans;
  }

  /// Runs `use(plan)`. A plan belongs to one call at a time; one that threw is not kept.
  template <class Use>
  void with_plan(const Asked& asked, const Use& use) {
    std::string key = key_of(asked);
    std::list<Kept> own = take(key);
    if (own.empty()) own.push_back({std::move(key), shardfft::Plan(local(), asked.problem, asked.options)});
    use(own.front().plan);
    const std::lock_guard lock(mutex_);
    if (!std::exchange(hooked_, true)) Kokkos::push_finalize_hook([] { all().clear(); });
    kept_.splice(kept_.begin(), own);
    if (kept_.size() > 16) kept_.pop_back();
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    kept_.clear();
    hooked_ = false;
  }

 private:
  struct Kept {
    std::string key;
    shardfft::Plan plan;
  };

  std::list<Kept> take(const std::string& key) {
    const std::lock_guard lock(mutex_);
    std::list<Kept> own;
    for (auto at = kept_.begin(); at != kept_.end(); ++at)
      if (at->key == key) {
        own.splice(own.begin(), kept_, at);
        break;
      }
    return own;
  }

  /// All that functions ask of a plan.
  static std::string key_of(const Asked& asked) {
    const Options& o = asked.options;
    std::string key = to_string(asked.problem) + o.device;
    const auto add = [&](auto number) { key += ' ' + std::to_string(number); };
    const auto add_all = [&](const auto& numbers) {
      key += ';';
      for (const auto number : numbers) add(number);
    };
    for (const Coord* c : {&asked.problem.shape, &asked.problem.modes, &asked.problem.support}) add_all(*c);
    for (const Strided* side : {&asked.space, &asked.spectrum}) add_all(side->extents), add_all(side->strides);
    add_all(o.input.order), add_all(o.output.order);
    add(reinterpret_cast<std::uintptr_t>(o.queue)), add(o.threads), add(static_cast<int>(o.in_place));
    return key;
  }

  std::mutex mutex_;
  std::list<Kept> kept_;
  bool hooked_ = false;
};

}  // namespace shardfft::kokkos
