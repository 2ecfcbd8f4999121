// The calls of NCCL or RCCL, which is loaded when a device is to use it.
#pragma once

#include <string>

#include "device/transport/nccl/nccl_names.hpp"

// One line for each call.
#define SHARDFFT_NCCL_CALLS(X) \
  X(CommAbort)                 \
  X(CommDestroy)               \
  X(CommInitRank)              \
  X(GetErrorString)            \
  X(GetUniqueId)               \
  X(GetVersion)                \
  X(GroupEnd)                  \
  X(GroupStart)                \
  X(Recv)                      \
  X(Send)

namespace shardfft::nccl {

struct Calls {
#define SHARDFFT_DECLARE(name) decltype(&nccl##name) name = nullptr;
  SHARDFFT_NCCL_CALLS(SHARDFFT_DECLARE)
#undef SHARDFFT_DECLARE
};

/// Empty where the library can be loaded, which is tried once; else why not, with the remedy.
[[nodiscard]] std::string why_not();
/// Throws Error(unsupported) where the library cannot be loaded.
[[nodiscard]] const Calls& calls();

}  // namespace shardfft::nccl
