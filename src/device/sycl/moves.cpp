#include "device/sycl/moves.hpp"

#include "device/kernels/move.hpp"
#include "device/sycl/queue.hpp"

namespace shardfft::on_sycl {

SyclMoveList::SyclMoveList(const std::shared_ptr<SyclDevice>& device, const MoveSpec& spec, const MoveTable& table)
    : spec_(spec), bytes_(table.bytes) {
  const std::size_t box_bytes = table.boxes.size() * sizeof(PreparedMove),
                    block_bytes = table.first_block.size() * sizeof(Index);
  memory_ = DeviceMemory(device, box_bytes + block_bytes, "a table of moves");
  view_ = table.view(reinterpret_cast<const PreparedMove*>(memory_.data()),
                     reinterpret_cast<const Index*>(memory_.data() + box_bytes));
  device->fill(memory_.data(), std::as_bytes(std::span(table.boxes)));
  device->fill(memory_.data() + box_bytes, std::as_bytes(std::span(table.first_block)));
}

void SyclMoveList::launch(SyclQueue& queue, const MoveBases& bases, double scale) const {
  with_move_kernel(spec_, view_, bases, scale, [&](const auto& kernel) {
    queue.device().kernels().launch(queue.get(), kernel, "device/kernels/move.hpp");
  });
}

}  // namespace shardfft::on_sycl
