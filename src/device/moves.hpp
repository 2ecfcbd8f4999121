// Boxes that a device copies from one place to another, many in one launch: what gathers, transposes, scales and
// scatters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/twiddles.hpp"
#include "shardfft/box.hpp"
#include "support/scalar.hpp"

namespace shardfft {

/// What the places of a move count from: nothing (they are addresses), the caller's two buffers, or two places in the
/// scratch of a sweep. Known when it is launched.
enum class MoveBase : std::uint8_t { fixed, input, output, work, other };
inline constexpr int move_bases = 5;
struct MoveBases {
  std::byte* start[move_bases] = {};  ///< by MoveBase; [0] is nullptr
};

struct MoveAxis {
  Index extent = 1, from_step = 0, to_step = 0;  ///< steps in bytes
};

/// A box of at most 8 axes: element (i0, i1, ...) is at at + sum of i * step, bytes; axis 0 of the box first. Every
/// extent is at least 1.
struct BoxMove {
  static constexpr int most_axes = 8;
  int axes = 0;
  MoveBase from_base = MoveBase::fixed, to_base = MoveBase::fixed;
  bool conjugates = false;  ///< elements, which are complex, arrive as their conjugates
  Index from = 0, to = 0;   ///< bytes from their bases
  Index extent[most_axes] = {}, from_step[most_axes] = {}, to_step[most_axes] = {};
};

/// What all boxes of one launch have in common.
struct MoveSpec {
  Scalar scalar = Scalar::f64;  ///< f32 or f64
  bool complex = true;          ///< an element is two scalars
  bool scales = false;          ///< every scalar is multiplied with the launch's `scale`
  std::optional<TileTwiddles>
      twiddles{};  ///< complex elements, after all else; they count from the base that all boxes go to
  [[nodiscard]] Index element_bytes() const { return static_cast<Index>(size_of(scalar)) * (complex ? 2 : 1); }
};

/// The boxes with as few axes as possible. Axes of extent 1 are left out. Axes that continue in each other on both
/// sides are joined. The axis with the smallest step at the target comes last. Boxes without elements are left out; a
/// box of one element has one axis of extent 1.
[[nodiscard]] std::vector<BoxMove> simplified(const std::vector<BoxMove>& boxes, Index element_bytes);

/// A table of boxes on a device.
class MoveList {
 public:
  virtual ~MoveList() = default;
  [[nodiscard]] virtual Index bytes() const = 0;  ///< read, and as many written, by one launch
};

/// For copies between host and device; see Queue::copy_rows.
struct RowsCopy {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t row_bytes = 0;
  Index planes = 1, rows = 1;
  Index to_plane_step = 0, to_row_step = 0, from_plane_step = 0, from_row_step = 0;  ///< bytes
};

}  // namespace shardfft
