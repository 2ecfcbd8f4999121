// Rows that begin anywhere in their cache lines, stored past the cache in whole lines.
//
// Such rows are first put together in a staging tile in the first-level cache, whose rows begin where those of the
// target do in their lines. From there whole lines go out; only what a row has of its first and of its last line is
// stored through the cache. Vectors that are stored at once would cross lines, and the processor would read each line
// before it is written. Where the next tile goes on in the same lines, their beginnings wait for it instead.
#pragma once

#include <cstdint>
#include <vector>

#include "sweep/host/tile_loops.hpp"

namespace shardfft {

/// How rows of a target are taken into the staging tile: so many of them at once, so many elements of each, and `step`
/// bytes from one to the next there.
struct StagingForm {
  Index rows = 0, elements = 0, step = 0;
};

/// Memory of a staging tile, aligned to 64.
inline constexpr Index staging_bytes = 32 << 10;

/// The staging form of rows of `elements` of `element` bytes, `step` bytes apart in the target; at most `most` rows at
/// once. `joined`: rows that follow each other in the target do so in the staging tile, so a line between two rows is
/// stored whole.
[[nodiscard]] StagingForm staging_form(Index elements, Index element, Index step, Index most, bool joined);

/// Whether a target has long rows, of elements of so many bytes, that do not all begin with cache lines.
[[nodiscard]] inline bool suits_staging(const Rectangle<std::byte>& target, Index element) {
  constexpr Index line = 64, worth_it = 4 * line;
  const bool pencils_are_rows = target.step_k == element;
  if (!pencils_are_rows && target.step_v != element) return false;
  const Index step = pencils_are_rows ? target.step_v : target.step_k,
              elements = pencils_are_rows ? target.count_k : target.count_v;
  const bool in_lines = step % line == 0 && reinterpret_cast<std::uintptr_t>(target.data) % line == 0;
  return !in_lines && elements * element >= worth_it;
}

/// The beginning of a cache line whose rest is still to come: bytes first .. last - 1 of the line at `line`.
struct alignas(64) PartialLine {
  std::byte bytes[64];
  std::byte* line = nullptr;  ///< nullptr: there is none
  Index first = 0, last = 0;
};

/// One for each row of what a thread stores, from tile to tile. Never allocates after its construction.
class PartialLines {
 public:
  PartialLines() = default;
  /// Room for the lines of so many rows. If they would not stay in cache, no line waits.
  explicit PartialLines(Index rows) : lines_(static_cast<std::size_t>(rows <= most_rows ? rows : 0)) {}
  /// Lines of row `row` and of those after it; nullptr if no line waits.
  [[nodiscard]] PartialLine* from(Index row) { return lines_.empty() ? nullptr : lines_.data() + row; }
  /// Stores what waits, through the cache.
  void store();
  /// What a run left that broke off is no longer wanted.
  void forget();

 private:
  static constexpr Index most_rows = 4096;
  std::vector<PartialLine> lines_{};
};

/// Copies `rows` rows of `bytes` each, the whole lines among them past the cache (the caller fences). Both sides begin
/// alike in their lines; addresses and bytes are multiples of 4. `partial`, if there are any: a row goes on in the line
/// that was begun, and leaves its last one there if it is not whole; the beginning of that line must be in the staging
/// tile by then (continue_lines).
void store_lines(std::byte* to, Index to_step, std::byte* from, Index from_step, Index rows, Index bytes,
                 PartialLine* partial);

/// Puts what was begun before rows of a staging tile, where it belongs to them; what does not is stored.
void continue_lines(std::byte* to, Index to_step, std::byte* staging, Index staging_step, Index rows,
                    PartialLine* partial);

/// Stores a target that suits by way of staging tiles in `memory`: fill(staging, k, v) puts there what belongs to
/// the target from element k of pencil v on. `pencils`: as many as are moved well together, where they are rows. Where
/// they are not, `partial` has a line for each element of a pencil, or is nullptr.
template <class Fill>
void through_staging_tiles(const Rectangle<std::byte>& target, Index element, Index pencils, PartialLine* partial,
                           std::byte* memory, Fill fill) {
  constexpr Index rows_of_many_pencils = 16;
  const bool pencils_are_rows = target.step_k == element;
  const Index rows = pencils_are_rows ? target.count_v : target.count_k,
              elements = pencils_are_rows ? target.count_k : target.count_v,
              step = pencils_are_rows ? target.step_v : target.step_k;
  const StagingForm form =
      staging_form(elements, element, step, pencils_are_rows ? pencils : rows_of_many_pencils, pencils_are_rows);
  for (Index row = 0; row < rows; row += form.rows)
    for (Index at = 0; at < elements; at += form.elements) {
      const Index k = pencils_are_rows ? at : row, v = pencils_are_rows ? row : at;
      const Rectangle<std::byte> part = pencils_are_rows ? part_of(target, k, v, form.elements, form.rows)
                                                         : part_of(target, k, v, form.rows, form.elements);
      Rectangle<std::byte> staging = part;
      staging.data = memory + reinterpret_cast<std::uintptr_t>(part.data) % 64;
      (pencils_are_rows ? staging.step_v : staging.step_k) = form.step;
      const Index count = pencils_are_rows ? part.count_v : part.count_k,
                  bytes = (pencils_are_rows ? part.count_k : part.count_v) * element;
      PartialLine* const lines = pencils_are_rows || partial == nullptr ? nullptr : partial + row;
      if (lines != nullptr) continue_lines(part.data, step, staging.data, form.step, count, lines);
      fill(staging, k, v);
      store_lines(part.data, step, staging.data, form.step, count, bytes, lines);
    }
}

}  // namespace shardfft
