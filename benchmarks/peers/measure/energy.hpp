// Energy of the processors, where the kernel lets us read it (RAPL).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::peers {

/// Whether this rank is the first one on its node.
[[nodiscard]] bool is_first_of_node(const Comm& comm);

/// Counts the energy of all packages of all nodes between start() and stop(). `root` is a folder like
/// /sys/class/powercap.
class EnergyCounter {
 public:
  explicit EnergyCounter(const Comm& comm, const std::string& root = "/sys/class/powercap");
  void start();
  void stop();
  /// Collective. Joules between all starts and stops so far, of all nodes; nothing unless every node can be read.
  [[nodiscard]] std::optional<double> joules() const;

 private:
  struct Package {
    std::string file{};
    std::uint64_t range = 0, begin = 0;  ///< microjoules; the counter starts again at `range`
  };
  Comm comm_;
  bool reads_ = false;  ///< one rank of each node does
  std::vector<Package> packages_{};
  double microjoules_ = 0;
};

}  // namespace shardfft::peers
