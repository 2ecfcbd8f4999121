// Who owns what: the boxes of every rank, and the order of their elements in memory.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft {

struct BoxRule;  // computes the boxes of a rank when they are asked for

/// A layout as the user specifies it; becomes a Layout when the shape and the number of ranks are known.
struct LayoutSpec {
  enum class Kind { any, grid, slabs, pencils, bricks, cyclic, boxes } kind = Kind::any;
  int axis = 0;  ///< slabs: cut axis; pencils: whole axis; cyclic: the cyclic axis; negative ones count from the end
  Index block =
      0;         ///< slabs: rank r owns block r of so many planes, the last ones less or none; 0: as even as possible
  Coord grid{};  ///< grid: processes along each axis, product <= ranks
  std::vector<std::vector<Box>> boxes{};  ///< boxes: for every rank the boxes it owns, on every rank the same
  std::vector<int> order{};               ///< memory order of the axes, slowest first; empty means 0, 1, 2, ...
  std::shared_ptr<const BoxRule> rule{};  ///< boxes of a plan's own stages, computed instead of listed

  /// This layout with another memory order in each box.
  [[nodiscard]] LayoutSpec ordered(std::vector<int> slowest_first) const;
};

/// The planner chooses.
inline const LayoutSpec any_layout{};
inline const LayoutSpec& any = any_layout;  ///< an older name of it
/// Cut along `axis` over all ranks. With a `block`, rank r owns planes r block .. (r + 1) block - 1, as in FFTW, where
/// it is n over the ranks, rounded up; block x ranks covers the axis.
[[nodiscard]] LayoutSpec slabs(int axis, Index block = 0);
/// Whole along `axis`, a 2-D grid of processes over the two longest of the other axes.
[[nodiscard]] LayoutSpec pencils(int axis);
/// Boxes as cubic as the number of ranks allows.
[[nodiscard]] LayoutSpec bricks();
/// Index i of `axis` belongs to rank i mod ranks.
[[nodiscard]] LayoutSpec cyclic(int axis);
/// `processes[a]` processes along axis a, rank = row-major position in the grid; ranks beyond the product own nothing.
[[nodiscard]] LayoutSpec process_grid(Coord processes);
/// Any boxes: `per_rank[r]` are those of rank r. Together they must cover the array exactly once.
[[nodiscard]] LayoutSpec custom(std::vector<std::vector<Box>> per_rank);
/// "slabs:0", "any", "custom order 1,0,2"; parse_layout reads what the command line allows: natural (= slabs:0),
/// slabs:A, slabs:A/B (blocks of B planes), pencils:A, bricks, cyclic:A, grid:2x3x1, any. Negative axes count from the
/// end.
[[nodiscard]] std::string to_string(const LayoutSpec& spec);
/// Throws Error(invalid_layout).
[[nodiscard]] LayoutSpec parse_layout(const std::string& text, int dims);

/// Which rank owns which boxes of a global array. A value; cheap to copy.
/// Along an axis of n elements cut over p processes, the first n mod p own one element more; slabs may have a block.
class Layout {
 public:
  Layout();  ///< of no ranks, without axes, until one is assigned
  /// Throws Error(invalid_layout) when the boxes overlap, leave gaps, stick out, or are not given for every rank, and
  /// for an array without elements. `any` is not allowed here.
  Layout(const LayoutSpec& spec, const Shape& global, int ranks);

  [[nodiscard]] const Shape& global() const;
  [[nodiscard]] int ranks() const;
  /// Boxes that `rank` owns, in the order in which they lie in its memory, one after the other (of a cyclic layout over
  /// several ranks: one for every index along the cyclic axis; they lie in each other, as one local array; on one rank
  /// the whole array); empty boxes are left out. Throws Error(invalid_argument) for a rank that there is not.
  [[nodiscard]] std::vector<Box> boxes(int rank) const;
  [[nodiscard]] Index count(int rank) const;  ///< elements that `rank` owns
  /// Memory order of the axes of each box, slowest first.
  [[nodiscard]] const std::vector<int>& order() const;
  /// Processes along each axis, of slabs with a block those that own planes; all 1 for cyclic and custom layouts.
  [[nodiscard]] const Coord& grid() const;
  /// Planes of a block of slabs that are not cut as evenly as their grid would be; else 0.
  [[nodiscard]] Index block() const;
  /// True when every box of every rank covers `axis` from end to end.
  [[nodiscard]] bool is_whole_along(int axis) const;
  /// All (rank, box) whose boxes meet `region`, with the part that they share; by rank, then in memory order. This and
  /// is_whole_along() throw Error(invalid_argument) for axes that the array does not have.
  [[nodiscard]] std::vector<std::pair<int, Box>> owners(const Box& region) const;
  /// Whether both layouts give each rank the same boxes, whatever their memory order.
  [[nodiscard]] bool same_owners(const Layout& other) const;
  [[nodiscard]] std::string describe() const;  ///< "slabs along axis 0 over 4 ranks"
  [[nodiscard]] const LayoutSpec& spec() const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace shardfft
