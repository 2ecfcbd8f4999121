#include "device/gpu/moves.hpp"

#include <utility>

#include "device/gpu/check.hpp"
#include "device/gpu/kernels/kernels.hpp"

namespace shardfft::SHARDFFT_GPU {

GpuMoveList::GpuMoveList(std::shared_ptr<Device> device, Queue& queue, const MoveSpec& spec, const MoveTable& table)
    : spec_(spec), device_(device->number()), bytes_(table.bytes) {
  const std::size_t box_bytes = table.boxes.size() * sizeof(PreparedMove),
                    block_bytes = table.first_block.size() * sizeof(Index);
  memory_ = DeviceMemory(std::move(device), box_bytes + block_bytes, "a table of moves");
  view_ = table.view(reinterpret_cast<const PreparedMove*>(memory_.data()),
                     reinterpret_cast<const Index*>(memory_.data() + box_bytes));
  queue.copy(memory_.data(), table.boxes.data(), box_bytes);
  queue.copy(memory_.data() + box_bytes, table.first_block.data(), block_bytes);
  queue.synchronize();  // every queue may read it from now on
}

void GpuMoveList::launch(const MoveBases& bases, double scale, gpuStream_t stream) const {
  check(launch_moves(spec_, view_, bases, scale, device_, stream), "launch of moves");
}

}  // namespace shardfft::SHARDFFT_GPU
