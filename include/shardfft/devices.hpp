// Which devices there are to transform on.
#pragma once

#include <string>
#include <string_view>

namespace shardfft {

/// Devices of a space ("cuda", "hip", "emulated") that this process may use, numbered from 0 as in Options::device
/// ("cuda:1"). 0 where there is none, or the library was built without that space.
[[nodiscard]] int device_count(std::string_view space);
/// Why there is none: the vendor's driver says so, or the space is not one of those compiled in. Empty where there is
/// one.
[[nodiscard]] std::string why_no_device(std::string_view space);

}  // namespace shardfft
