// What the insides of plans and halos share: whether they are there, may be called, and how they end.
#pragma once

#include <atomic>
#include <memory>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/comm/put_off.hpp"

namespace shardfft {

/// What a plan is made of, for all of its functions. Throws Error(invalid_argument) if it was moved from.
template <class Impl>
[[nodiscard]] Impl& there(const std::unique_ptr<Impl>& impl) {
  if (!impl)
    throw Error(
        Status::invalid_argument,
        fmt::format("call out of order: this {0} was moved from; call the {0} that it was moved to", Impl::noun));
  return *impl;
}

/// The same, for collective functions: throws, too, after MPI_Finalize.
template <class Impl>
[[nodiscard]] Impl& callable(const std::unique_ptr<Impl>& impl) {
  there(impl).require_here();
  impl->comm.impl().require_callable();
  return *impl;
}

/// For destructors. What a child of fork() inherits is its parent's: words in shared memory, requests of MPI, a device.
/// It is left as it is.
template <class Impl>
void end_or_put_off(std::unique_ptr<Impl>& impl) {
  if (!impl) return;
  if (impl->is_left_behind())
    (void)impl.release();
  else if (!impl->comm.impl().may_end_here(impl->maker))
    put_off(std::move(impl));
}

/// One thread at a time runs a plan. Threads that both come are told so where they meet, not on the other ranks.
class OneThread {
 public:
  OneThread(std::atomic<bool>& taken, const char* noun) : taken_(taken) {
    if (taken_.exchange(true, std::memory_order_acquire))
      throw Error(Status::invalid_argument,
                  fmt::format("call out of order: one thread at a time runs a {0}, and another one runs it now; give "
                              "each thread its own {0}",
                              noun));
  }
  OneThread(const OneThread&) = delete;
  ~OneThread() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool>& taken_;
};

}  // namespace shardfft
