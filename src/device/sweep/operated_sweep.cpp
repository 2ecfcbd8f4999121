// A sweep with an operator between its transforms: for each tile a sweep to a plane, the operator, and a sweep back.
#include <algorithm>

#include "device/sweep/device_sweep.hpp"
#include "device/sweep/device_tiles.hpp"
#include "device/sweep/launches/device_graphs.hpp"
#include "device/sweep/operator_tile.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft {
namespace {

// The transforms before the operator, or those behind it.
SweepSpec half_of(SweepSpec spec, bool first) {
  const auto middle = spec.axes.begin() + static_cast<std::ptrdiff_t>(spec.operates->before);
  first ? spec.axes.erase(middle, spec.axes.end()) : spec.axes.erase(spec.axes.begin(), middle);
  (first ? spec.complex_out : spec.complex_in) = spec.operates->middle->complex;
  (first ? spec.to : spec.from).clear();
  spec.takes_factor = spec.takes_factor && !first;
  spec.operates.reset();
  spec.chunks.clear();
  spec.tuning.tile = 0;
  return spec;
}

class OperatedSweep final : public DeviceSweep {
 public:
  OperatedSweep(SweepSpec spec, const DeviceSweeps& with, const DevicePlanes& planes)
      : DeviceSweep(planes), spec_(std::move(spec)), with_(with), operates_(*spec_.operates) {
    SweepSpec there = half_of(spec_, true), back = half_of(spec_, false);
    const Index at = static_cast<Index>(round_up(planes_.bytes, device_line));
    Index plane = 0;
    for (const auto& boxes : spec_.chunks) {
      first_.push_back(operators_.size());
      for (const Box& box : boxes)
        for (const Box& tile : tiles_of_middle(there, box)) plane = std::max(plane, add(tile, at, there, back));
    }
    first_.push_back(operators_.size());
    graphs_.resize(spec_.chunks.size());
    const DevicePlanes between{static_cast<std::size_t>(at + plane)};
    if (plane > static_cast<Index>(with.on.device->facts().cache_bytes) / 2) bytes_ = 2 * between_;
    there_ = make_device_sweep(std::move(there), with, between);
    back_ = make_device_sweep(std::move(back), with, between);
  }

  std::size_t scratch_bytes() const override { return std::max(there_->scratch_bytes(), back_->scratch_bytes()); }
  const SweepSpec& spec() const override { return spec_; }
  bool is_fused() const override { return there_->is_fused() && back_->is_fused(); }
  Index bytes_memory() const override { return there_->bytes_memory() + bytes_ + back_->bytes_memory(); }
  Index tiles_as_they_lie() const override { return there_->tiles_as_they_lie() + back_->tiles_as_they_lie(); }

  // One graph has all tiles.
  void run(int chunk, const Buffers& buffers, std::byte* scratch, const std::function<void()>& poll) const override {
    if (planes_.source) planes_.source->fill_planes();
    const auto number = static_cast<std::size_t>(chunk);
    if (captures_ && !planes_.source && !poll && first_[number + 1] > first_[number] + 1)
      graphs_[number].run(*with_.on.device, *with_.on.queue, with_.queues->captured(),
                          {buffers.input, buffers.output, scratch, buffers.factor, buffers.operates->formula},
                          [&](Queue& queue) { ask(number, buffers, scratch, queue, poll); });
    else
      ask(number, buffers, scratch, *with_.on.queue, poll);
  }
  void ask(int chunk, const Buffers& buffers, std::byte* scratch, Queue& queue) const override {
    ask(static_cast<std::size_t>(chunk), buffers, scratch, queue, {});
  }

 private:
  void ask(std::size_t chunk, const Buffers& buffers, std::byte* scratch, Queue& queue,
           const std::function<void()>& poll) const {
    for (std::size_t tile = first_[chunk]; tile < first_[chunk + 1]; ++tile) {
      there_->ask(static_cast<int>(tile), buffers, scratch, queue);
      if (poll) poll();
      for (const OperatorTile& part : operators_[tile]) part.run(queue, *buffers.operates->formula, scratch);
      back_->ask(static_cast<int>(tile), buffers, scratch, queue);
      if (poll) poll();
    }
  }

  // All components lie in one tile.
  [[nodiscard]] std::vector<Box> tiles_of_middle(const SweepSpec& there, const Box& box) const {
    if (box.empty()) return {};
    Coord units = Coord::filled(box.dims(), 1);
    if (operates_.axis >= 0) units[operates_.axis] = box.hi[operates_.axis];
    const Index widened = std::max<Index>(1, operates_.components_out / operates_.components_in);
    const Index most = elements_of_tile(spec_, *with_.on.device) / widened;
    return tiles_of(there, box, there.from.front().strides, units, std::max<Index>(1, most));
  }

  // Bytes of its plane, where the transforms there leave a tile as the library does, and those back find it.
  [[nodiscard]] Index add(const Box& tile, Index at, SweepSpec& there, SweepSpec& back) {
    const Box made = after(there, tile);
    Box taken = made, room = made;
    Index components = 1;
    if (const int axis = operates_.axis; axis >= 0) {
      components = std::max(operates_.components_in, operates_.components_out);
      taken.hi[axis] = taken.lo[axis] + operates_.components_out;
      room.hi[axis] = room.lo[axis] + components;
    }
    const std::vector<int> order = order_in_work(there, tile.dims());
    const Coord strides = packed_strides(room.shape(), order, operates_.element(), false);
    there.chunks.push_back({tile});
    there.to.push_back({.box = made, .base = Base::plane, .offset = at, .strides = strides});
    back.chunks.push_back({taken});
    back.from.push_back({.box = taken, .base = Base::plane, .offset = at, .strides = strides});
    const Index bytes = room.count() * operates_.element();
    operators_.push_back(operator_tiles(operates_, made, order, at, bytes / components));
    between_ += bytes;
    return bytes;
  }

  SweepSpec spec_;
  DeviceSweeps with_;
  const OperatorPass& operates_;
  std::vector<std::vector<OperatorTile>> operators_{};  // of each tile
  std::vector<std::size_t> first_{};                    // tile of each chunk
  std::unique_ptr<DeviceSweep> there_{}, back_{};       // each of their chunks is a tile
  mutable std::vector<DeviceGraphs> graphs_{};          // of each chunk
  Index between_ = 0, bytes_ = 0;
  bool captures_ = captures_sweeps();
};

}  // namespace

std::unique_ptr<DeviceSweep> make_operated_sweep(SweepSpec spec, const DeviceSweeps& with, const DevicePlanes& planes) {
  return std::make_unique<OperatedSweep>(std::move(spec), with, planes);
}

}  // namespace shardfft
