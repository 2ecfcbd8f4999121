#include "device/emulated/moves.hpp"

#include <fmt/format.h>

#include "device/kernels/launch.hpp"
#include "device/kernels/move.hpp"
#include "shardfft/error.hpp"

namespace shardfft::emulated {
MoveReach reach_of(MoveBase base, Index at, std::span<const Index> extent, std::span<const Index> step,
                   Index element_bytes) {
  MoveReach reach{base, at, at + element_bytes};
  for (std::size_t a = 0; a < extent.size(); ++a) (step[a] < 0 ? reach.low : reach.high) += (extent[a] - 1) * step[a];
  return reach;
}

void check(const EmulatedDevice& device, const std::vector<MoveReach>& reaches, const MoveBases& bases,
           std::size_t aligned, const char* use) {
  for (const MoveReach& reach : reaches) {
    const auto base = reinterpret_cast<std::uintptr_t>(bases.start[static_cast<int>(reach.base)]);
    if (reach.base != MoveBase::fixed && base == 0)
      throw Error(Status::device_failed,
                  fmt::format("{}: base {} is used by a box and is nullptr", use, static_cast<int>(reach.base)));
    const auto start = base + static_cast<std::uintptr_t>(reach.low);
    if (start % aligned != 0)
      throw Error(Status::device_failed,
                  fmt::format("{}: addresses are multiples of {} bytes; got {:#x}", use, aligned, start));
    device.check(reinterpret_cast<const std::byte*>(start), static_cast<std::size_t>(reach.high - reach.low), use);
  }
}

CheckedMoves::CheckedMoves(const MoveSpec& spec, std::span<const BoxMove> boxes)
    : spec_(spec), table_(make_move_table(spec, boxes)) {
  const auto reach = [&](const BoxMove& box, MoveBase base, Index at, const Index* step) {
    const auto axes = static_cast<std::size_t>(box.axes);
    reaches_.push_back(reach_of(base, at, {box.extent, axes}, {step, axes}, spec.element_bytes()));
  };
  for (const BoxMove& box : boxes) {
    reach(box, box.from_base, box.from, box.from_step);
    reach(box, box.to_base, box.to, box.to_step);
  }
}

void CheckedMoves::check(const EmulatedDevice& device, const MoveBases& bases) const {
  emulated::check(device, reaches_, bases, size_of(spec_.scalar), "move");
}

void CheckedMoves::run(const MoveBases& bases, double scale) const {
  with_move_kernel(spec_, table_.view(), bases, scale, [](const auto& kernel) { run_on_host(kernel); });
}

std::unique_ptr<MoveList> move_list(const MoveSpec& spec, std::span<const BoxMove> boxes) {
  return std::make_unique<EmulatedMoves>(std::make_shared<const CheckedMoves>(spec, boxes));
}

}  // namespace shardfft::emulated
