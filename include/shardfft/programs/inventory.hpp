// What this build of shardfft has, and what of it these ranks can use here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft {

/// An engine, a transport or a codec, by the name that Options take.
struct Backend {
  std::string name{};
  std::string reason{};   ///< why these ranks cannot use it here and now; empty where they can
  std::string about{};    ///< of a codec: one line for people
  bool measures = false;  ///< of an engine: it tries several ways when a plan is made
};

/// A device of this process's node.
struct FoundDevice {
  int number = 0;  ///< as in Options::device: "cuda:1"
  std::string name{};
  std::string capability{};  ///< "sm_90", "gfx90a"; "" where there is none
  std::size_t memory_bytes = 0, free_bytes = 0;
  std::size_t cache_bytes = 0;  ///< of its last-level cache
  int multiprocessors = 0;
  std::string driver{};        ///< "CUDA 13.0, driver 580.65"
  std::vector<int> reaches{};  ///< numbers of the devices whose memory it reaches
};

/// All devices of a vendor.
struct DeviceSpace {
  std::string space{};    ///< "cuda"
  std::string library{};  ///< that computes the transforms there
  std::string reason{};   ///< why there is none; empty where there are some
  std::vector<FoundDevice> devices{};
  bool measured = false;                                  ///< by measure_and_keep()
  std::vector<std::pair<std::string, double>> numbers{};  ///< then: what was measured, with its names
  std::string text{};                                     ///< and the same for people, in one line
};

struct Inventory {
  std::vector<Backend> engines{}, transports{}, codecs{};
  std::vector<DeviceSpace> devices{};
  /// What shardfft could have been built with and was not: "engine", "mkl".
  std::vector<std::pair<std::string, std::string>> not_built{};
};

/// Collective: what there is on this rank's node. A transport counts as usable when it opens between these ranks and
/// moves a short message. Throws Error(transport_failed) where ranks are lost over it.
[[nodiscard]] Inventory inventory(const Comm& comm);

/// Devices of a space ("cuda", "sycl", "emulated") that this process may use, numbered from 0 as in Options::device
/// ("cuda:1"). 0 where there is none, or the library was built without that space.
[[nodiscard]] int device_count(std::string_view space);
/// Why there is none: the vendor's driver says so, or the space is not one of those compiled in. Empty where there is
/// one.
[[nodiscard]] std::string why_no_device(std::string_view space);

}  // namespace shardfft
