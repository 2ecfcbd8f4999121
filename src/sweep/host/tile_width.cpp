#include "sweep/host/tile_width.hpp"

#include <algorithm>
#include <cstdlib>

#include "support/memory/round_up.hpp"

namespace shardfft {
namespace {

// Whether what a tile stores begins anywhere in cache lines, in one row or pencil here and in the next one there: lines
// that it stores in part are whole with the next tile only.
bool is_ragged(const Patch& to, int axis) {
  bool contiguous = true, others = false;  // pencils; begin anywhere
  for (int a = 0; a < to.box.dims(); ++a) {
    if (a == axis || to.box.extent(a) == 1) continue;
    contiguous &= std::abs(to.strides[a]) > std::abs(to.strides[axis]);
    others |= to.strides[a] % cache_line != 0;
  }
  return contiguous ? others : to.strides[axis] % cache_line != 0;
}

// Whether pencils are rows of memory.
bool is_contiguous(const std::vector<Patch>& patches, const SweepSpec& spec, bool complex, int axis) {
  return !patches.empty() &&
         patches.front().strides[axis] == static_cast<Index>(size_of(spec.scalar)) * (complex ? 2 : 1);
}
bool reads_rows(const SweepSpec& spec, int axis) { return is_contiguous(spec.from, spec, spec.complex_in, axis); }
bool writes_rows(const SweepSpec& spec, int axis) { return is_contiguous(spec.to, spec, spec.complex_out, axis); }

// Kernels of one pencil take those that share cache lines together, unless pencils are contiguous in memory.
int pencils_of_a_line(const SweepSpec& spec, const SweepAxis& axis) {
  if (spec.axes.size() == 1 && !spec.staged() && reads_rows(spec, axis.axis) && writes_rows(spec, axis.axis)) return 1;
  constexpr std::size_t most_bytes = 64 << 20;  // of buffers
  const std::size_t of_a_line =
      static_cast<std::size_t>(cache_line) / (size_of(spec.scalar) * (spec.complex_in && spec.complex_out ? 2 : 1));
  return static_cast<int>(std::clamp<std::size_t>(most_bytes / (2 * axis.kernel->buffer_bytes()), 1, of_a_line));
}

// Whether lines of so many rows share few sets of the caches, because a large power of two is in their distance: what
// is asked for ahead is lost again before it is read.
bool crowds_caches(const std::vector<Patch>& patches, int axis, Index rows, Index crowded = Index{512} << 20) {
  if (patches.empty()) return false;
  const Index apart = std::abs(patches.front().strides[axis]);
  return (apart & -apart) * rows >= crowded;
}

// Whether the tiles of two kernels, taken together, are faster than one after the other because their parts of each row
// are read and written soon after each other, twice as many bytes. Where both fit the first-level cache; and where what
// is read is in a plane and what is stored bypasses the cache.
bool suits_two_in_row(const SweepSpec& spec, const SweepAxis& axis, const ProcessorProfile& profile) {
  constexpr std::size_t half_a_cache = 16 << 10;
  if (!profile.pairs_tiles_in_row || !axis.kernel->reads_rows() || !axis.kernel->writes_rows()) return false;
  if (spec.axes.size() == 1)
    return !reads_rows(spec, axis.axis) && !writes_rows(spec, axis.axis) && axis.kernel->buffer_bytes() <= half_a_cache;
  return spec.non_temporal() && &axis == &spec.axes.back() && !writes_rows(spec, axis.axis);
}

// Whether columns are so long that stores past the cache, a line in each row, take longer than to keep a wide tile in
// the third-level cache.
bool stores_long_columns(const SweepSpec& spec, int axis, Index length) {
  constexpr Index long_columns = 1536, long_crowded = 1024, crowded = Index{256} << 20;
  return spec.non_temporal() && !reads_rows(spec, axis) && !writes_rows(spec, axis) &&
         (length >= long_columns || (length >= long_crowded && crowds_caches(spec.to, axis, length, crowded)));
}

// Kernels whose pencils one tile takes together, for a sweep along one axis of this length. Several are taken if rows
// crowd the caches: when they are read, or from the length on at which one kernel's tile leaves the first-level cache.
// Otherwise passes that reach memory themselves are faster.
std::size_t kernels_across(const SweepSpec& spec, const SweepAxis& axis, const ProcessorProfile& profile) {
  constexpr Index long_pencils = 512, longest = 1024;
  const Index length = axis.kernel->in().length;
  if (profile.crowded_when_read && crowds_caches(spec.from, axis.axis, length))
    return length < long_pencils ? 2 : length < longest ? 4 : 8;
  if (profile.crowded_when_read && stores_long_columns(spec, axis.axis, length)) return 8;
  if (profile.crowded_when_read) return suits_two_in_row(spec, axis, profile) ? 2 : 1;
  return length >= long_pencils &&
                 (crowds_caches(spec.from, axis.axis, length) || crowds_caches(spec.to, axis.axis, length))
             ? 4
             : 1;
}

// How many pencils are gathered together; 0: those of one kernel. Where large arrays are stored in parts of lines, a
// wider tile has fewer of them. A tile of short rows takes longer to find than to transform. Elsewhere it is slower
// (docs/performance/lessons.md).
int pencils_that_suit(const SweepSpec& spec, const SweepAxis& axis, const ProcessorProfile& profile) {
  constexpr Index short_rows = 8;
  // Tiles stay in the second-level cache; of ragged rows fewer kernels than four would not be stored in whole lines.
  constexpr std::size_t of_short_rows = 4, least_ragged = 4, most_ragged = 8, most_bytes = 1 << 20,
                        most_of_columns = 8 << 20;
  if (axis.kernel->in().order == TileFormat::Order::rows && axis.kernel->in().pencils == 1)
    return pencils_of_a_line(spec, axis);
  if (spec.staged()) return 0;
  std::size_t kernels = spec.axes.size() == 1                   ? kernels_across(spec, axis, profile)
                        : suits_two_in_row(spec, axis, profile) ? 2
                                                                : 1;
  if (axis.kernel->in().length < short_rows && (reads_rows(spec, axis.axis) || writes_rows(spec, axis.axis)))
    kernels = of_short_rows;
  const std::size_t buffer = std::max<std::size_t>(axis.kernel->buffer_bytes(), 1);
  if (spec.non_temporal() && &axis == &spec.axes.back() && !spec.to.empty() && is_ragged(spec.to.front(), axis.axis))
    return axis.kernel->in().pencils *
           static_cast<int>(std::clamp<std::size_t>(most_bytes / buffer, least_ragged, most_ragged));
  if (kernels == 1) return 0;
  const std::size_t room = kernels == 8 ? most_of_columns / buffer : most_bytes / (2 * buffer);
  return axis.kernel->in().pencils * static_cast<int>(std::clamp<std::size_t>(room, 1, kernels));
}

}  // namespace

TileWidth tile_width(const SweepSpec& spec, const SweepAxis& axis, const ProcessorProfile& profile) {
  return {spec.tuning.tile > 0 ? spec.tuning.tile : pencils_that_suit(spec, axis, profile),
          !(spec.axes.size() == 1 && crowds_caches(spec.from, axis.axis, axis.kernel->in().length))};
}

}  // namespace shardfft
