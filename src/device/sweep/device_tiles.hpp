// Index arithmetic of sweeps on a device: which boxes are transformed at once, how they lie meanwhile, and which boxes
// move from and to where.
#pragma once

#include <optional>
#include <vector>

#include "device/device.hpp"
#include "device/kinds.hpp"
#include "device/sweep/folded_fft.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {

/// A place that a device's library is given: bytes from a base.
struct DevicePlace {
  MoveBase base = MoveBase::fixed;
  Index at = 0;  ///< an address where the base is `fixed`
};

/// The place of an element of a patch.
[[nodiscard]] DevicePlace place_in(const Patch& patch, const Coord& at);
[[nodiscard]] DeviceTransform transform_of(const SweepSpec& spec);

/// Whether some axis has fewer elements than are transformed: the others are zeros of a tile, or are not scattered.
[[nodiscard]] bool lacks_some(const SweepSpec& spec, bool in);

/// The kind of a sweep by cosines, sines or Hartley's kernel; such a sweep has one axis.
[[nodiscard]] std::optional<PencilKind> kind_of(const SweepSpec& spec);

/// Axes of a tile's elements in the transform's work, slowest first.
[[nodiscard]] std::vector<int> order_in_work(const SweepSpec& spec, int dims);

/// How a tile lies where it is transformed: the axes that are not transformed outside, then the transformed ones, the
/// real one innermost, else the last one. Whole along these.
struct TileForm {
  FftSpec fft{};                        ///< without gaps
  std::optional<PencilKind> kind{};     ///< then transforms are those of make_kind_fft
  std::optional<FoldedModes> folded{};  ///< then those of make_folded_fft
  Coord in_strides{}, out_strides{};    ///< bytes, by axis of the array
  Index in_bytes = 0, out_bytes = 0;
  [[nodiscard]] bool same_type() const {
    return fft.transform == DeviceTransform::forward || fft.transform == DeviceTransform::backward;
  }
};

/// `tile`: in the input's index space. `spec` has 1 to 3 axes.
[[nodiscard]] TileForm form_of(const SweepSpec& spec, const Box& tile);

/// A box in parts of at most `most` elements, cut along axes that are not transformed, the one with the largest step in
/// `strides` first, at global multiples of `units`. One whole plane is the least.
[[nodiscard]] std::vector<Box> tiles_of(const SweepSpec& spec, const Box& box, const Coord& strides, const Coord& units,
                                        Index most);

/// A tile whose data lies in the patches as the library takes it: where, and with one axis how far it is from element
/// to element and from one transform to the next (elements, as in FftSpec; one of them is 1). Nothing when it must be
/// gathered (or scattered) first.
struct AsItLies {
  DevicePlace place{};
  Index stride = 1, distance = 0;
  friend bool operator==(const AsItLies& a, const AsItLies& b) {
    return a.place.base == b.place.base && a.place.at == b.place.at && a.stride == b.stride && a.distance == b.distance;
  }
};
[[nodiscard]] std::optional<AsItLies> as_it_lies(const SweepSpec& spec, const std::vector<Patch>& patches,
                                                 const Box& box, bool complex);

/// From every patch of `from` the part that lies in `box` to where it is in a packed place: element box.lo at `start`
/// with these strides (bytes), axes that are transformed in natural order, with a gap where some are not kept; and the
/// other way, to patches of `to`.
[[nodiscard]] std::vector<BoxMove> gathers(const SweepSpec& spec, const std::vector<Patch>& from, const Box& box,
                                           const DevicePlace& start, const Coord& strides);
[[nodiscard]] std::vector<BoxMove> scatters(const SweepSpec& spec, const std::vector<Patch>& to, const Box& box,
                                            const DevicePlace& start, const Coord& strides);
/// What a tile's elements are multiplied with before the transform, where one of the axes is the second half of a split
/// one; `at`: bytes from its base to where it is gathered to.
[[nodiscard]] std::optional<TileTwiddles> twiddles_of(const SweepSpec& spec, const Box& tile, const TileForm& form,
                                                      Index at);
[[nodiscard]] bool has_twiddles(const SweepSpec& spec);
/// From patches to patches, in each of the boxes.
[[nodiscard]] std::vector<BoxMove> moves_between(const std::vector<Patch>& from, const std::vector<Patch>& to,
                                                 const std::vector<Box>& boxes);

}  // namespace shardfft
