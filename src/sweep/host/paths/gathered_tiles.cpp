#include "sweep/host/paths/gathered_tiles.hpp"

#include "support/squares.hpp"
#include "sweep/host/paths/tile_visits.hpp"
#include "sweep/host/tile_loops.hpp"

namespace shardfft {
namespace {

// Sum of squares of the first `pencils` pencils of a tile; the others are zero.
double sum_of_squares(Scalar scalar, const TileFormat& format, const std::byte* tile, Index pencils) {
  const Index per = format.complex ? 2 : 1;
  if (format.order == TileFormat::Order::lanes && format.places == nullptr)
    return sum_of_squares(scalar, tile, format.length * format.pencils * per);
  double sum = 0;
  if (format.order == TileFormat::Order::lanes) {
    const Index row = format.pencils * per;
    for (Index k = 0; k < format.length; ++k)
      sum += sum_of_squares(scalar, tile + format.place(k) * row * static_cast<Index>(size_of(scalar)), row);
    return sum;
  }
  const auto element = static_cast<Index>(size_of(scalar)) * per;
  for (Index v = 0; v < pencils; ++v) {
    const std::byte* pencil = tile + v * format.ld * static_cast<Index>(size_of(scalar));
    if (format.places == nullptr) sum += sum_of_squares(scalar, pencil, format.length * per);
    for (Index k = 0; format.places != nullptr && k < format.length; ++k)
      sum += sum_of_squares(scalar, pencil + format.places[k] * element, per);
  }
  return sum;
}

}  // namespace

bool GatheredTiles::run(const TileInMemory& tile, std::byte* scratch, const TileRun& how, double& norm2) const {
  const bool weighed = how.adjoint && axis_.weighs();
  Results results;
  transfer_.load(tile, scratch);
  if (weighed)
    weigh(tile.read, axis_.kernel->in(), axis_.weights.before,
          [&](std::size_t kernel) { return axis_.buffer(scratch, kernel); });
  transform(tile.read.count, scratch, results);
  transfer_.chirp_results(tile.read, results.data());
  if (weighed)
    weigh(tile.read, axis_.kernel->out(), axis_.weights.after, [&](std::size_t kernel) { return results[kernel]; });
  if (how.measures_norm) norm2 += squares_of(tile.read.count, results);
  transfer_.store(tile, results.data(), how);
  return true;
}

std::optional<bool> GatheredTiles::record(const TileInMemory& tile, RecordedTiles& recorded) const {
  if (axis_.is_chirped()) return false;
  transfer_.record_load(tile, recorded);
  transfer_.record_store(tile, recorded);
  return true;
}

void GatheredTiles::replay(std::span<const RecordedTile> tiles, const RecordedTiles::Replay& run, std::byte* scratch,
                           double scale) const {
  Results results;
  for (const RecordedTile& tile : tiles) {
    transfer_.replay_load(tile, run, scratch);
    transform(tile.pencils, scratch, results);
    transfer_.replay_store(tile, run, results.data(), scale);
  }
}

void GatheredTiles::transform(Index pencils, std::byte* scratch, Results& results) const {
  for (Index i = 0; i * axis_.own < pencils; ++i) {
    std::byte* const a = axis_.buffer(scratch, static_cast<std::size_t>(i));
    const Index left = pencils - i * axis_.own;
    if (left < axis_.own) clear_pencils(axis_.scalar, axis_.kernel->in(), a, left);
    results[static_cast<std::size_t>(i)] = axis_.kernel->run(a, a + axis_.half);
  }
}

template <class Tile>
void GatheredTiles::weigh(const TilePencils& p, const TileFormat& format, double factor, Tile tile) const {
  if (factor == 1) return;
  const AdjointWeights& weights = axis_.weights;
  const TileSteps steps(format);
  for (const AdjointWeights::Element& element : weights.elements)
    for_segments(p, [&](const Coord& at, Index in_tile, Index here) {
      for (Index i = 0; i < here; ++i) {
        const Index along = p.walk.lane == weights.other ? i : 0, lane = in_tile + i;
        if (element.other >= 0 && weights.other_map.index(at[weights.other] + along) != element.other) continue;
        std::byte* const of_kernel = tile(static_cast<std::size_t>(lane / axis_.own));
        const Index place = format.place(element.k) * steps.k + lane % axis_.own * steps.v;
        scale_element(axis_.scalar, of_kernel, place, format.complex ? steps.imaginary : 0, factor);
      }
    });
}

double GatheredTiles::squares_of(Index pencils, const Results& results) const {
  double sum = 0;
  for (Index done = 0; done < pencils; done += axis_.own)
    sum += sum_of_squares(axis_.scalar, axis_.kernel->out(), results[static_cast<std::size_t>(done / axis_.own)],
                          std::min<Index>(axis_.own, pencils - done));
  return sum;
}

}  // namespace shardfft
