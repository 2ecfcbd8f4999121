// Homes of plans on devices: arrays in a device's memory, and arrays of the host that go through one.
#include "device/pipeline/places.hpp"
#include "device/plan/operators_in_use.hpp"
#include "device/transport/device_deferred.hpp"
#include "plan/home.hpp"
#include "planner/decide/recipe.hpp"
#include "support/formula/operator_formula.hpp"

namespace shardfft {
namespace {

Space space_of(const Device& device) {
  for (const Space space : {Space::cuda, Space::hip, Space::sycl})
    if (name(space) == device.space()) return space;
  return Space::emulated;
}

/// Work is done in the order of the caller's queue.
class DeviceHome final : public Home {
 public:
  DeviceHome(const Recipe& recipe, const Comm& comm)
      : comm_(comm),
        device_(recipe.device->device()),
        queue_(device_->queue_of(recipe.choices.options.queue)),
        context_(std::make_shared<const DeviceContext>(DeviceContext{device_.get(), queue_.get()})) {}

  std::shared_ptr<const Place> place(const Recipe& recipe) const override {
    const Options& options = recipe.choices.options;
    const DeviceSweeps sweeps{.on = *context_,
                              .ffts = std::make_shared<DeviceFfts>(*device_),
                              .queues = std::make_shared<DeviceQueues>(*device_, recipe.tuning.streams),
                              .in_place = options.in_place,
                              .destroys_input = options.destroy_input,
                              .fused = recipe.fused()};
    return device_place(device_, sweeps, /*encodes=*/recipe.encoding.codec != nullptr,
                        [group = comm_](const Event& event) { help_until_done(group, event); });
  }
  std::shared_ptr<const DeviceContext> context() const override { return context_; }

  std::shared_ptr<std::byte> allocate(std::size_t bytes, const char* purpose) const override {
    DeviceMemory memory(device_, bytes, purpose);
    return {memory.release(), [device = device_](std::byte* p) {
              if (p) device->free(p);
            }};
  }
  Array make_array(std::size_t bytes) const override {
    std::shared_ptr<std::byte> memory = allocate(bytes, "an array");
    queue_->zero(memory.get(), bytes);
    queue_->synchronize();
    return {std::move(memory), bytes, space_of(*device_), device_->number()};
  }
  void copy(void* to, const void* from, std::size_t bytes) const override {
    queue_->copy(to, from, bytes);
    queue_->synchronize();
  }
  void synchronize() const override { queue_->synchronize(); }
  void finish() const noexcept override { queue_->finish(); }

  void keep(const std::shared_ptr<const OperatorFormula>& formula) override { operators_.keep(*device_, formula); }
  void kept() override { operators_.asked(*queue_); }
  std::vector<double> run(RunFormula& formula, bool asks, int) const override {
    const auto blocks = static_cast<std::size_t>(asks ? formula_blocks(formula) : 0);
    const DeviceMemory pinned(device_, blocks * sizeof(double), "the largest of each block", MemoryKind::pinned);
    auto* const largest = reinterpret_cast<double*>(pinned.data());
    if (asks) formula.largest = largest;
    queue_->run(formula);
    if (asks) queue_->synchronize();
    return {largest, largest + blocks};
  }

 private:
  Comm comm_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Queue> queue_;
  std::shared_ptr<const DeviceContext> context_;
  OperatorsInUse operators_{};
};

class OutOfCoreHome final : public Home {
 public:
  explicit OutOfCoreHome(const Recipe& recipe)
      : buffers_(std::make_shared<OutOfCoreBuffers>(recipe.device->device(), recipe.tuning.streams)) {}

  std::shared_ptr<const Place> place(const Recipe&) const override { return out_of_core_place(buffers_); }
  Array make_array(std::size_t bytes) const override { return {OutOfCoreBuffers::make_array(buffers_, bytes), bytes}; }
  bool has_tiles() const override { return true; }
  Tiles tiles() const override { return {buffers_->device_bytes(), buffers_->pinned_bytes()}; }
  void take_tiles() override { buffers_->take(); }
  void unpin() noexcept override { buffers_->unpin(); }

 private:
  std::shared_ptr<OutOfCoreBuffers> buffers_;
};

}  // namespace

std::unique_ptr<Home> device_home(const Recipe& recipe, const Comm& comm) {
  if (recipe.holder()) return std::make_unique<DeviceHome>(recipe, comm);
  return std::make_unique<OutOfCoreHome>(recipe);
}

}  // namespace shardfft
