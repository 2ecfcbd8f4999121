#include "device/transport/nccl/nccl_library.hpp"

#include "shardfft/error.hpp"
#include "support/vendor_library.hpp"

namespace shardfft::nccl {
namespace {

struct LoadedNccl {
  VendorLibrary library{library_file, SHARDFFT_NCCL_BUILT_WITH};
  Calls calls{};

  LoadedNccl() {
#define SHARDFFT_FIND(name) library.find("nccl" #name, calls.name);
    SHARDFFT_NCCL_CALLS(SHARDFFT_FIND)
#undef SHARDFFT_FIND
  }
};

// Never destroyed: plans may end after everything else.
const LoadedNccl& loaded() {
  static const LoadedNccl& once = *new LoadedNccl;
  return once;
}

}  // namespace

std::string why_not() { return loaded().library.why_not(); }

const Calls& calls() {
  if (const std::string why = why_not(); !why.empty()) throw Error(Status::unsupported, why);
  return loaded().calls;
}

}  // namespace shardfft::nccl
