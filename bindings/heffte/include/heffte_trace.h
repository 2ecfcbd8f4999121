// heFFTe's marks in a trace. They are taken and dropped: docs/guide/tracing.md says how runs of shardfft are recorded.
#pragma once

#include <string>

namespace heffte {

struct add_trace {
  explicit add_trace(const std::string&) {}
};
inline void init_tracing(const std::string&) {}
inline void finalize_tracing() {}

}  // namespace heffte
