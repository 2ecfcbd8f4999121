// Calls of the C library: statuses become exceptions, handles are owned.
#pragma once

#include <memory>
#include <stdexcept>

#include "shardfft.h"

namespace shardfft::fftw_mpi {

/// Throws the text of the failure.
inline void check(int status) {
  if (status != SHARDFFT_OK) throw std::runtime_error(shardfft_error());
}

template <auto destroy>
struct Destroy {
  void operator()(auto* handle) const { static_cast<void>(destroy(handle)); }
};
template <class Handle, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<destroy>>;

using Spec = Owned<shardfft_spec, shardfft_spec_destroy>;
using Problem = Owned<shardfft_problem, shardfft_problem_destroy>;
using Options = Owned<shardfft_options, shardfft_options_destroy>;
using LibraryPlan = Owned<shardfft_plan, shardfft_plan_destroy>;

/// `create(..., &handle)` as an owned handle.
template <class Result, class Create, class... Arguments>
Result made(Create create, Arguments... arguments) {
  typename Result::pointer handle = nullptr;
  check(create(arguments..., &handle));
  return Result(handle);
}

}  // namespace shardfft::fftw_mpi
