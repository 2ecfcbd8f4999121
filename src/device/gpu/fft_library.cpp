#include "device/gpu/fft_library.hpp"

#include <fmt/format.h>

#include "device/gpu/fft.hpp"
#include "shardfft/error.hpp"
#include "support/vendor_library.hpp"

namespace shardfft::SHARDFFT_GPU {
namespace {

struct LoadedFft {
  VendorLibrary library{SHARDFFT_GPUFFT_FILE, SHARDFFT_GPUFFT_BUILT_WITH};
  FftCalls calls{};

  LoadedFft() {
#define SHARDFFT_FIND(name) library.find(SHARDFFT_GPUFFT_TEXT(SHARDFFT_GPUFFT_NAME(name)), calls.name);
    SHARDFFT_GPUFFT_CALLS(SHARDFFT_FIND)
#undef SHARDFFT_FIND
  }
};

// Never destroyed: plans may end after everything else.
const LoadedFft& loaded() {
  static const LoadedFft& once = *new LoadedFft;
  return once;
}

}  // namespace

std::string why_no_fft() { return loaded().library.why_not(); }

const FftCalls& fft_calls() {
  if (const std::string why = why_no_fft(); !why.empty()) throw Error(Status::unsupported, why);
  return loaded().calls;
}

std::string fft_version() {
  int number = 0;
  if (!why_no_fft().empty()) return fmt::format("{} not loaded", fft_library);
  if (fft_calls().GetVersion(&number) != GPUFFT_SUCCESS) return fft_library;
  const int version[] = {SHARDFFT_GPUFFT_VERSION_OF(number)};
  return fmt::format("{} {}.{}", fft_library, version[0], version[1]);
}

}  // namespace shardfft::SHARDFFT_GPU
