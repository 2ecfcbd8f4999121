#include "device/pretended/moves.hpp"

#include <fmt/format.h>

#include "device/kernels/launch.hpp"
#include "device/kernels/move.hpp"
#include "shardfft/error.hpp"

namespace shardfft::pretended {
namespace {

[[nodiscard]] MoveReach reach_of(const BoxMove& box, MoveBase base, Index at, const Index* step, Index element_bytes) {
  MoveReach reach{base, at, at + element_bytes};
  for (int a = 0; a < box.axes; ++a) (step[a] < 0 ? reach.low : reach.high) += (box.extent[a] - 1) * step[a];
  return reach;
}

}  // namespace

Moves::Moves(const MoveSpec& spec, std::span<const BoxMove> boxes) : spec_(spec), table_(make_move_table(spec, boxes)) {
  for (const BoxMove& box : boxes) {
    reaches_.push_back(reach_of(box, box.from_base, box.from, box.from_step, spec.element_bytes()));
    reaches_.push_back(reach_of(box, box.to_base, box.to, box.to_step, spec.element_bytes()));
  }
}

void Moves::check(const PretendedDevice& device, const MoveBases& bases) const {
  const auto scalar = size_of(spec_.scalar);
  for (const MoveReach& reach : reaches_) {
    const auto base = reinterpret_cast<std::uintptr_t>(bases.start[static_cast<int>(reach.base)]);
    if (reach.base != MoveBase::fixed && base == 0) throw Error(Status::device_failed, fmt::format("move: base {} is used by a box and is nullptr", static_cast<int>(reach.base)));
    const auto start = base + static_cast<std::uintptr_t>(reach.low);
    if (start % scalar != 0) throw Error(Status::device_failed, fmt::format("move: addresses are multiples of the scalars' {} bytes; got {:#x}", scalar, start));
    device.check(reinterpret_cast<const std::byte*>(start), static_cast<std::size_t>(reach.high - reach.low), "move");
  }
}

void Moves::run(const MoveBases& bases, double scale) const {
  with_move_kernel(spec_, table_.view(), bases, scale, [](const auto& kernel) { run_on_host(kernel); });
}

std::unique_ptr<MoveList> move_list(const MoveSpec& spec, std::span<const BoxMove> boxes) { return std::make_unique<PretendedMoves>(std::make_shared<const Moves>(spec, boxes)); }

}  // namespace shardfft::pretended
