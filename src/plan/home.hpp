// The memory of a plan's arrays: the host's, or what src/device/plan makes of a device.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "pipeline/place.hpp"
#include "shardfft/view.hpp"

namespace shardfft {

struct OperatorFormula;
struct Recipe;
struct RunFormula;

/// The memory of a plan and the work on it. This class is the host's; devices override it.
class Home {
 public:
  virtual ~Home() = default;
  /// What runs the sweeps of this recipe.
  [[nodiscard]] virtual std::shared_ptr<const Place> place(const Recipe&) const { return host_place(); }
  /// What orders messages between devices; nullptr if they are in memory of the host.
  [[nodiscard]] virtual std::shared_ptr<const DeviceContext> context() const { return nullptr; }

  /// Work memory, uninitialised. Throws Error(out_of_memory), which names `purpose`.
  [[nodiscard]] virtual std::shared_ptr<std::byte> allocate(std::size_t bytes, const char* purpose) const;
  /// An array for the caller, zero, of at least one byte.
  [[nodiscard]] virtual Array make_array(std::size_t bytes) const { return Array(bytes); }
  /// Copies from or to memory of the host, or within it. The copy and all queued work are done when the call returns.
  virtual void copy(void* to, const void* from, std::size_t bytes) const;
  virtual void synchronize() const {}      ///< waits for queued work
  virtual void finish() const noexcept {}  ///< synchronize() without errors

  /// Keeps the tables of an operator as long as a run that begins now reads them; nullptr: there are none.
  virtual void keep(const std::shared_ptr<const OperatorFormula>&) {}
  virtual void kept() {}  ///< the run is in the queue
  /// Runs the formula; with `asks` returns the largest of each block.
  [[nodiscard]] virtual std::vector<double> run(RunFormula& formula, bool asks, int threads) const;

  /// Memory of tiles for arrays of the host that go through a device.
  struct Tiles {
    std::size_t device_bytes = 0, pinned_bytes = 0;
  };
  [[nodiscard]] virtual bool has_tiles() const { return false; }
  [[nodiscard]] virtual Tiles tiles() const { return {}; }
  virtual void take_tiles() {}
  /// Lets go of pinned inboxes, which are about to go.
  virtual void unpin() noexcept {}
};

/// The home of a recipe with a device: arrays in its memory, or arrays of the host that go through it.
[[nodiscard]] std::unique_ptr<Home> device_home(const Recipe& recipe, const Comm& comm);

}  // namespace shardfft
