// Calls of the C library, whose statuses become exceptions, and its group of an MPI communicator.
#pragma once

#include <mpi.h>

#include <memory>
#include <stdexcept>
#include <type_traits>

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

using Group = std::shared_ptr<std::remove_pointer_t<shardfft_comm>>;

/// Collective at its first call for `comm`, and kept with it: programs make thousands of plans, and MPI has few
/// communicators. Plans that keep the group may outlive `comm`. Throws std::runtime_error.
Group group_of(MPI_Comm comm);

/// Calls `last` when MPI_Finalize begins.
void at_finalize(void (*last)());

}  // namespace shardfft::fftw_mpi
