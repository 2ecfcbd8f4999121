#include "sweep/host/recorded_tiles.hpp"

#include <algorithm>
#include <span>

#include "sweep/host/tile_pass.hpp"

namespace shardfft {
namespace {

// Addresses of memory have fewer bits; each base is in the middle of its own range, since rows may begin before it.
constexpr int base_bits = 60;
constexpr std::uintptr_t middle = std::uintptr_t{1} << (base_bits - 1);

constexpr std::uintptr_t start_of(int base) { return (static_cast<std::uintptr_t>(base) << base_bits) + middle; }

// Tables count from here: not null, and with room before it.
constexpr std::uintptr_t first_row = middle;

Address place_of(std::uintptr_t address) {
  const auto base = static_cast<std::int32_t>(address >> base_bits);
  return {base, static_cast<Index>(base == 0 ? address : address - start_of(base))};
}
Address place_of(const std::byte* address) { return place_of(reinterpret_cast<std::uintptr_t>(address)); }

}  // namespace

Bases RecordedTiles::bases() {
  return {reinterpret_cast<std::byte*>(start_of(1)), reinterpret_cast<std::byte*>(start_of(2)),
          reinterpret_cast<std::byte*>(start_of(3))};
}

RecordedTiles::Replay::Replay(const RecordedTiles& all, const Bases& bases)
    : all_(&all),
      starts_{0, reinterpret_cast<std::uintptr_t>(bases.input), reinterpret_cast<std::uintptr_t>(bases.output),
              reinterpret_cast<std::uintptr_t>(bases.plane)} {}

RecordedMove::RecordedMove(std::size_t kernel_, Index k_, Index lane_, const Rectangle<std::byte>& r)
    : kernel(static_cast<std::uint32_t>(kernel_)),
      conjugated(r.conjugated),
      k(k_),
      lane(lane_),
      count_k(r.count_k),
      count_v(r.count_v),
      step_k(r.step_k),
      step_v(r.step_v),
      place(place_of(r.data)) {}

void RecordedTiles::begin_tile(std::size_t pass, Index pencils) {
  const auto none = [](const auto& all) {
    return RecordedTile::Items{static_cast<std::uint32_t>(all.size()), static_cast<std::uint32_t>(all.size())};
  };
  tiles_.push_back({.pass = static_cast<std::int32_t>(pass),
                    .pencils = static_cast<std::int32_t>(pencils),
                    .gathers = none(gathers_),
                    .products = none(products_),
                    .scatters = none(scatters_)});
}

std::optional<RecordedRows> RecordedTiles::rows_of(const std::byte* const* rows, Index offset, Index length) {
  const auto address = [](const std::byte* row) { return reinterpret_cast<std::uintptr_t>(row); };
  const std::uintptr_t begin = address(rows[0]);
  const auto table_row = [&](Index k) { return reinterpret_cast<std::byte*>(first_row + (address(rows[k]) - begin)); };
  const Address from = place_of(begin + static_cast<std::uintptr_t>(offset));
  for (Index k = 0; k < length; ++k)
    if (place_of(address(rows[k]) + static_cast<std::uintptr_t>(offset)).base != from.base) return std::nullopt;
  const auto same = [&](const std::vector<std::byte*>& table) {
    if (static_cast<Index>(table.size()) != length) return false;
    for (Index k = 0; k < length; ++k)
      if (table[static_cast<std::size_t>(k)] != table_row(k)) return false;
    return true;
  };
  auto known = std::find_if(tables_.begin(), tables_.end(), same);
  if (known == tables_.end()) {
    known = tables_.insert(tables_.end(), std::vector<std::byte*>());
    for (Index k = 0; k < length; ++k) known->push_back(table_row(k));
  }
  return RecordedRows{.table = static_cast<std::int32_t>(known - tables_.begin()),
                      .from = {from.base, from.offset - static_cast<Index>(first_row)}};
}

bool RecordedTiles::reads(const RowSource& rows, Index length) {
  const auto found = rows_of(rows.rows, rows.offset, length);
  if (!found) return false;
  tiles_.back().from = *found;
  tiles_.back().from.prefetch_distance = rows.prefetch_distance;
  return true;
}

bool RecordedTiles::writes(const RowTarget& rows, Index length) {
  const auto found = rows_of(rows.rows, rows.offset, length);
  if (found) tiles_.back().to = *found;
  return found.has_value();
}

void RecordedTiles::run(Index first, Index last, const std::vector<TilePass>& passes, const Bases& bases,
                        std::byte* scratch, const std::function<void()>* poll) const {
  constexpr std::size_t between_polls = 8;
  const Replay run(*this, bases);
  const std::size_t end = units_[static_cast<std::size_t>(last)];
  for (std::size_t t = units_[static_cast<std::size_t>(first)]; t < end;) {
    const auto pass = static_cast<std::size_t>(tiles_[t].pass);
    const std::size_t alike = std::min<std::size_t>(tiles_[t].alike, end - t),
                      count = poll ? std::min(alike, between_polls) : alike;
    const double scale = passes[pass].scale(false) * (pass + 1 == passes.size() ? bases.factor : 1);
    tiles_[t].path->replay(std::span(tiles_).subspan(t, count), run, scratch, scale);
    if (poll) (*poll)();
    t += count;
  }
}

void RecordedTiles::finish() {
  begin_unit();
  for (std::size_t t = tiles_.size(); t-- > 0;) {
    const RecordedTile* next = t + 1 < tiles_.size() ? &tiles_[t + 1] : nullptr;
    if (next && next->pass == tiles_[t].pass && next->path == tiles_[t].path) tiles_[t].alike = next->alike + 1;
  }
}

}  // namespace shardfft
