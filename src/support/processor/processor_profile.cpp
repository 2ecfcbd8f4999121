#include "support/processor/processor_profile.hpp"

#include "support/processor/processor_caches.hpp"

namespace shardfft {
namespace {

bool made_by_amd() {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

}  // namespace

// Measured on Zen 2 to Zen 4.
ProcessorProfile profile_of_amd() {
  return {.gather_prefetches_next = true,
          .pairs_tiles_in_row = true,
          .crowded_when_read = true,
          .pass_prefetch_bytes = cache_bytes(2, 0),
          .plane_cache_bytes = cache_bytes(2, 0)};
}

// Measured on Intel's.
ProcessorProfile profile_of_others() { return {}; }

const ProcessorProfile& processor_profile() {
  static const ProcessorProfile profile = made_by_amd() ? profile_of_amd() : profile_of_others();
  return profile;
}

}  // namespace shardfft
