// Groups of hard numbers on a device and on the host side by side.
#pragma once

#include <random>

#include "codec/memory_device.hpp"
#include "codec/round_trip.hpp"
#include "device/codec/device_codec.hpp"
#include "device/on_device.hpp"

namespace shardfft::testing {

using Random = std::mt19937_64;

inline double uniform(Random& random) { return std::generate_canonical<double, 53>(random); }
inline int below(Random& random, int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); }

/// 64 numbers of some kind, hard on a quantiser of that step and of that size. Some are not finite where `any`.
inline void put_block(Random& random, Scalar scalar, double step, double size, bool any, double* x) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::normal_distribution<double> normal;
  const double huge = scalar == Scalar::f32 ? 0x1.8p127 : 1e300, tiny = scalar == Scalar::f32 ? 0x1p-149 : 0x1p-1074;
  const int kind = below(random, any ? 16 : 13), spike = below(random, 64);
  for (int i = 0; i < 64; ++i) {
    const double white = size * normal(random);
    switch (kind) {
      case 0:
        x[i] = 0;
        break;
      case 1:
        x[i] = i % 3 == 0 ? -0.0 : 0.0;
        break;
      case 2:
        x[i] = i == spike ? 1000 * white : 1e-3 * white;
        break;
      case 3:
        x[i] = i == spike ? white : 0;
        break;
      case 4:
        x[i] = tiny * std::rint(20 * normal(random));
        break;
      case 5:
        x[i] = (std::rint(white / step) + 0.5) * step;
        break;  // half-steps
      case 6:
        x[i] = std::rint(white / step) * step;
        break;  // whole steps
      case 7:
        x[i] = 0.4 * step * normal(random);
        break;  // integers of 0, 1 and -1
      case 8:
        x[i] = (i == spike ? (scalar == Scalar::f32 ? 0x1p22 : 0x1p50) - below(random, 3) : normal(random)) * step;
        break;  // about the largest integers
      case 9:
        x[i] = (i == spike ? std::ldexp(1.0, below(random, scalar == Scalar::f32 ? 24 : 52)) - 0.5 * below(random, 3)
                           : normal(random)) *
               step * (below(random, 2) * 2 - 1);
        break;  // about the edges of widths
      case 10:
        x[i] = i == spike ? huge * normal(random) / 4 : white;
        break;
      case 11:
        x[i] = i == spike && size > 1e300 ? std::numeric_limits<double>::max() : white;
        break;  // decoded, it may be infinite
      case 14:
        x[i] = i == spike ? (below(random, 2) == 0 ? inf : -inf) : white;
        break;
      case 15:
        x[i] = i == spike ? nan : i == 5 ? inf : white;
        break;
      default:
        x[i] = white;
    }
    x[i] = as(scalar, x[i]);
  }
}

/// Arrays on a device, and groups in them; what is written is read back by the host.
class NamedDevice {
 public:
  /// "memory": the tests' own; else as find_device.
  explicit NamedDevice(const std::string& name)
      : device_(name == "memory" ? std::make_shared<MemoryDevice>() : find_device(name, 0)),
        queue_(device_->make_queue()) {}
  [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }
  [[nodiscard]] Queue& queue() const { return *queue_; }
  template <class T>
  [[nodiscard]] DeviceTable<T> table(const std::vector<T>& entries) const {
    return {device_, *queue_, entries, "a test's table"};
  }
  template <class T>
  [[nodiscard]] std::vector<T> read(const void* from, std::size_t entries) const {
    std::vector<T> got(entries);
    queue_->copy(got.data(), from, entries * sizeof(T));
    queue_->synchronize();
    return got;
  }

 private:
  std::shared_ptr<Device> device_;
  std::unique_ptr<Queue> queue_;
};

/// Tests of what all devices do alike: on the tests' own, where sanitizers see every byte, and on one of each driver.
class OnEveryDevice : public ::testing::TestWithParam<std::string> {
 protected:
  const NamedDevice on{GetParam()};
};
inline std::vector<std::string> names_of_devices() {
  std::vector<std::string> names = device_names();
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(":0"); });
  names.emplace_back("memory");
  return names;
}

}  // namespace shardfft::testing
