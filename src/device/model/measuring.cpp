#include "device/model/measuring.hpp"

#include <algorithm>
#include <array>

namespace shardfft {

double best_of(const std::function<double()>& once) {
  constexpr int repetitions = 4;
  constexpr double long_s = 0.02;
  double best = once();
  for (int i = 0; i < repetitions && best < long_s; ++i) best = i == 0 ? once() : std::min(best, once());
  return best;
}

std::size_t measured_bytes(const DeviceFacts& facts) {
  constexpr std::size_t least = 64 << 10, most = std::size_t{1} << 30, caches = 32;
  const std::size_t wanted = facts.capability.empty() ? 2 * facts.cache_bytes : caches * facts.cache_bytes;
  return std::clamp(std::min(wanted, facts.free_bytes / 16), least, most) / least * least;
}

std::unique_ptr<MoveList> swapped_rows(Device& device, std::size_t bytes, Index row) {
  constexpr Index columns = 64;
  const Index rows = static_cast<Index>(bytes) / (measured_element * row * columns), step = row * measured_element;
  BoxMove m{.axes = 3, .from_base = MoveBase::input, .to_base = MoveBase::output};
  const std::array<std::array<Index, 3>, 3> axes{
      {{rows, columns * step, step}, {columns, step, rows * step}, {row, measured_element, measured_element}}};
  for (std::size_t a = 0; a < axes.size(); ++a)
    m.extent[a] = axes[a][0], m.from_step[a] = axes[a][1], m.to_step[a] = axes[a][2];
  return device.make_moves({.scalar = Scalar::f64}, simplified({m}, measured_element));
}

MoveBases from_to(std::byte* from, std::byte* to) { return {{nullptr, from, to, nullptr, nullptr}}; }

}  // namespace shardfft
