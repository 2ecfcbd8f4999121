// Halo cells around each rank's box: filled from their owners, or added back to them. To move an array from one layout
// to another, make a plan of Kind::move.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/problem.hpp"
#include "shardfft/view.hpp"

namespace shardfft {

/// Which cells around a box are its halo.
struct HaloSpec {
  Coord low{}, high{};  ///< cells before and behind the box along each axis, 0 or more
  std::vector<int>
      periodic{};       ///< axes along which the array begins again at its end; negative ones count from the end
  bool corners = true;  ///< false: only faces, cells that lie outside of the box along a single axis
};

/// A halo that is ready to be filled. Movable; all calls except queries are collective. Each rank owns one box or none.
/// The halo may be wider than the boxes: cells come from any owners, also from the rank itself. Cells beyond the ends
/// of an axis that is not periodic exist, too, but no call reads or writes them.
class Halo {
 public:
  /// Collective. Throws the same Error on every rank.
  ///   element_bytes  1, 2, 4, 8 or 16
  ///   options        threads, transport, and input_memory: where this rank's box lies, with room around it
  ///                  for the halo; empty: box and halo in one piece, in the layout's order
  Halo(const Comm& comm, const Layout& layout, const HaloSpec& spec, std::size_t element_bytes,
       const Options& options = {});
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  [[nodiscard]] const Layout& layout() const;
  [[nodiscard]] const HaloSpec& spec() const;  ///< with axes counted from the front
  /// This rank's box, and the box with its halo, which may begin below 0 and end beyond the array. Empty on a rank that
  /// owns nothing.
  [[nodiscard]] Box box() const;
  [[nodiscard]] Box grown_box() const;
  /// The place of the box, for Options::input_memory and output_memory of a plan; empty without a box. Halo cells have
  /// the same strides.
  [[nodiscard]] const std::vector<Placement>& memory() const;
  /// Elements from the start of the array to a cell of grown_box().
  [[nodiscard]] std::size_t index(const Coord& at) const;
  [[nodiscard]] std::size_t bytes() const;  ///< least length of this rank's array
  [[nodiscard]] Array make_array() const;   ///< so long, zero. Not collective. Throws Error(out_of_memory)

  /// Collective. Every cell of the halo gets its owner's value; the box does not change. Throws on every rank
  /// Error(invalid_argument) for null or too short memory on any of them, and Error(mismatch) if ranks make different
  /// calls.
  void exchange(View array);
  /// Collective. The transposed operation: the halo cells of all ranks are added to the owners' elements, in the order
  /// of ranks, so the bits are the same in every run. The halo does not change. Elements are real or complex numbers of
  /// `precision`, depending on their bytes.
  void accumulate(View array, Precision precision);

  /// Both calls without blocking: start returns early, test() makes progress and says whether it is done, wait()
  /// completes it. Until then exchange reads the box and writes the halo, accumulate writes the box and reads the halo.
  void start_exchange(View array);
  void start_accumulate(View array, Precision precision);
  [[nodiscard]] bool test();
  void wait();

  [[nodiscard]] std::string describe() const;  ///< widths, messages and bytes of this rank, transport; for people

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft
