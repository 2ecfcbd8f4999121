// What tiles read and write in the host's memory: the caller's arrays and inboxes, patch by patch.
#pragma once

#include <span>
#include <vector>

#include "device/device.hpp"
#include "grid/patch_index.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {

/// The rows of a box go from one place to another, between host and device: as few copies of rows as there can be.
void copy_rows(Queue& queue, const Box& box, std::byte* to, const Coord& to_strides, const std::byte* from,
               const Coord& from_strides, Index element_bytes);

/// One end of a sweep.
class HostPatches {
 public:
  /// `spec` outlives this.
  HostPatches(const SweepSpec& spec, bool in);

  /// A part of what the patches have of a box: its first element is where memory begins.
  struct Part {
    std::byte* at = nullptr;
    Coord strides{};
    Box box{};
  };
  /// Calls visit(part) for each patch that the box meets.
  template <class Visit>
  void for_parts(const Box& box, const Buffers& buffers, const Visit& visit) const {
    patches_.for_meeting(box, [&](std::size_t number) {
      const Patch up = upwards(patches_.patch(number), intersect(patches_.patch(number).box, box));
      visit(Part{place(up, up.box.lo, buffers), up.strides, up.box});
    });
  }

  /// Copies by the host: a box to a place where it lies alone, from there, and to the patches of another end.
  void bring(const Box& box, std::byte* alone, const Coord& strides, const Buffers& buffers) const;
  void take(const Box& box, std::byte* alone, const Coord& strides, const Buffers& buffers) const;
  void copy_to(const HostPatches& other, const Box& box, const Buffers& buffers) const;

  /// Patches of a tile that are conjugated and reversed on the device. The tile lies upwards there; its part in the
  /// caller's memory lies downwards.
  [[nodiscard]] std::vector<Patch> on_device(const Patch& tile) const;
  /// Inboxes, in whole pages. Those that follow each other closely are one range.
  [[nodiscard]] std::vector<std::span<const std::byte>> inboxes() const;
  [[nodiscard]] Index element_bytes() const { return element_bytes_; }

 private:
  [[nodiscard]] static Patch upwards(const Patch& patch, const Box& part);
  [[nodiscard]] static std::byte* place(const Patch& patch, const Coord& at, const Buffers& buffers);
  void copy(const Patch& from, const Patch& to, const Box& box, const Buffers& buffers) const;

  std::span<const Patch> all_;
  PatchIndex patches_;
  Index element_bytes_, scalar_bytes_;
  int threads_;
};

/// Bytes of a caller's array between which the patches of both ends lie.
struct CallersExtent {
  Index start = 0, end = 0;
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(end - start); }
};
[[nodiscard]] CallersExtent callers_extent(const SweepSpec& spec, Base base);

}  // namespace shardfft
