#include "support/processor/processor_maker.hpp"

namespace shardfft {

bool made_by_amd() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool amd = __builtin_cpu_is("amd");
  return amd;
#else
  return false;
#endif
}

}  // namespace shardfft
