// Rows that begin anywhere in their cache lines, stored past the cache in whole lines.
//
// Such rows are first put together in a picture in the first-level cache, whose rows begin where those of the target do
// in their lines. From there whole lines go out; only what a row has of its first and of its last line is stored
// through the cache. Vectors that are stored at once would cross lines, and the processor would read each line before
// it is written. Where the next tile goes on in the same lines, their beginnings wait for it instead.
#pragma once

#include <cstdint>
#include <vector>

#include "sweep/host/tile_loops.hpp"

namespace shardfft {

/// How rows of a target are taken into the picture: so many of them at once, so many elements of each, and `step` bytes
/// from one to the next there.
struct PictureForm {
  Index rows = 0, elements = 0, step = 0;
};

/// Memory of a picture, aligned to 64.
inline constexpr Index picture_bytes = 32 << 10;

/// Of rows of `elements` of `element` bytes each, `step` bytes apart in the target; at most `most` rows at once.
/// `joined`: rows that go on in each other in the target do so in the picture, too, so that no line between two of them
/// is stored in parts.
[[nodiscard]] PictureForm picture_form(Index elements, Index element, Index step, Index most, bool joined);

/// Whether a target has long rows, of elements of so many bytes, that do not all begin with cache lines.
[[nodiscard]] inline bool suits_picture(const Rectangle<std::byte>& target, Index element) {
  constexpr Index line = 64, worth_it = 4 * line;
  const bool pencils_are_rows = target.step_k == element;
  if (!pencils_are_rows && target.step_v != element) return false;
  const Index step = pencils_are_rows ? target.step_v : target.step_k,
              elements = pencils_are_rows ? target.count_k : target.count_v;
  const bool in_lines = step % line == 0 && reinterpret_cast<std::uintptr_t>(target.data) % line == 0;
  return !in_lines && elements * element >= worth_it;
}

/// The beginning of a cache line whose rest is still to come: bytes first .. last - 1 of the line at `line`.
struct alignas(64) LineBegun {
  std::byte bytes[64];
  std::byte* line = nullptr;  ///< nullptr: there is none
  Index first = 0, last = 0;
};

/// One for each row of what a thread stores, from tile to tile. Never allocates after its construction.
class LinesBegun {
 public:
  LinesBegun() = default;
  /// Of so many rows; of more than stay in cache, none waits.
  explicit LinesBegun(Index rows) : lines_(static_cast<std::size_t>(rows <= most_rows ? rows : 0)) {}
  /// Of row `row` and those after it; nullptr where none waits.
  [[nodiscard]] LineBegun* from(Index row) { return lines_.empty() ? nullptr : lines_.data() + row; }
  /// Stores what waits, through the cache.
  void store();
  /// What a run left that broke off is no longer wanted.
  void forget();

 private:
  static constexpr Index most_rows = 4096;
  std::vector<LineBegun> lines_{};
};

/// Copies `rows` rows of `bytes` each, the whole lines among them past the cache (the caller fences). Both sides begin
/// alike in their lines; addresses and bytes are multiples of 4. `begun`, if there are any: a row goes on in the line
/// that was begun, and leaves its last one there if it is not whole; the beginning of that line must be in the picture
/// by then (continue_lines).
void store_lines(std::byte* to, Index to_step, std::byte* from, Index from_step, Index rows, Index bytes,
                 LineBegun* begun);

/// Puts what was begun before rows of a picture, where it belongs to them; what does not is stored.
void continue_lines(std::byte* to, Index to_step, std::byte* picture, Index picture_step, Index rows, LineBegun* begun);

/// Stores a target that suits by way of pictures in `memory`: fill(picture, k, v) puts there what belongs to the target
/// from element k of pencil v on. `pencils`: as many as are moved well together, where they are rows. Where they are
/// not, `begun` has a line for each element of a pencil, or is nullptr.
template <class Fill>
void through_pictures(const Rectangle<std::byte>& target, Index element, Index pencils, LineBegun* begun,
                      std::byte* memory, Fill fill) {
  constexpr Index rows_of_many_pencils = 16;
  const bool pencils_are_rows = target.step_k == element;
  const Index rows = pencils_are_rows ? target.count_v : target.count_k,
              elements = pencils_are_rows ? target.count_k : target.count_v,
              step = pencils_are_rows ? target.step_v : target.step_k;
  const PictureForm form =
      picture_form(elements, element, step, pencils_are_rows ? pencils : rows_of_many_pencils, pencils_are_rows);
  for (Index row = 0; row < rows; row += form.rows)
    for (Index at = 0; at < elements; at += form.elements) {
      const Index k = pencils_are_rows ? at : row, v = pencils_are_rows ? row : at;
      const Rectangle<std::byte> part = pencils_are_rows ? part_of(target, k, v, form.elements, form.rows)
                                                         : part_of(target, k, v, form.rows, form.elements);
      Rectangle<std::byte> picture = part;
      picture.data = memory + reinterpret_cast<std::uintptr_t>(part.data) % 64;
      (pencils_are_rows ? picture.step_v : picture.step_k) = form.step;
      const Index count = pencils_are_rows ? part.count_v : part.count_k,
                  bytes = (pencils_are_rows ? part.count_k : part.count_v) * element;
      LineBegun* const lines = pencils_are_rows || begun == nullptr ? nullptr : begun + row;
      if (lines != nullptr) continue_lines(part.data, step, picture.data, form.step, count, lines);
      fill(picture, k, v);
      store_lines(part.data, step, picture.data, form.step, count, bytes, lines);
    }
}

}  // namespace shardfft
