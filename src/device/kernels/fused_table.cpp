#include "device/kernels/fused_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "device/kernels/fused_shape.hpp"
#include "shardfft/error.hpp"
#include "support/pi.hpp"

namespace shardfft {
namespace {

constexpr Index most_blocks = (Index{1} << 31) - 1;  // so that their numbers are divided as 32-bit ones

Error wrong(const std::string& text) { return Error(Status::invalid_argument, "fused transforms: " + text); }

// Checks that the stretches hold each of `length` elements once.
void check_stretches(const char* end, const std::vector<PencilStretch>& stretches, Index length, Index element,
                     int outer_axes) {
  std::vector<bool> held(static_cast<std::size_t>(length));
  Index count = 0;
  for (const PencilStretch& s : stretches) {
    bool whole = s.at % element == 0 && s.step % element == 0 && s.pencil_step % element == 0;
    for (int axis = 0; axis < outer_axes; ++axis) whole = whole && s.outer_step[axis] % element == 0;
    if (!whole)
      throw wrong(fmt::format("steps and places at the {} are multiples of {} bytes; got others", end, element));
    for (Index i = 0; i < s.count; ++i, ++count) {
      const Index k = s.first + i * s.stride;
      if (k < 0 || k >= length || held[static_cast<std::size_t>(k)])
        throw wrong(fmt::format("stretches at the {} hold each of {} elements once; got element {} {}", end, length, k,
                                k < 0 || k >= length ? "outside" : "twice"));
      held[static_cast<std::size_t>(k)] = true;
    }
  }
  if (count != length)
    throw wrong(fmt::format("stretches at the {} hold each of {} elements once; got {} elements", end, length, count));
}

void check(const FusedSpec& spec, const PencilFamily& family) {
  if (family.outer_axes < 0 || family.outer_axes > PencilStretch::most_outer)
    throw wrong(fmt::format("pencils have 0 to {} outer axes; got {}", PencilStretch::most_outer, family.outer_axes));
  if (family.pencils < 1) throw wrong(fmt::format("a family has at least 1 pencil; got {}", family.pencils));
  for (int axis = 0; axis < family.outer_axes; ++axis)
    if (family.outer[axis] < 1)
      throw wrong(fmt::format("extents are at least 1; got {} of an outer axis", family.outer[axis]));
  check_stretches("input", family.from, spec.length_in(), spec.element_bytes(spec.complex_in()), family.outer_axes);
  check_stretches("output", family.to, spec.length_out(), spec.element_bytes(spec.complex_out()), family.outer_axes);
}

PreparedEnd prepared(const std::vector<PencilStretch>& stretches, std::vector<PreparedStretch>& all) {
  PreparedEnd end{.first_stretch = static_cast<Index>(all.size())};
  std::int32_t begin = 0;
  for (const PencilStretch& s : stretches) {
    if (s.count == 0) continue;
    PreparedStretch p{.at = s.at,
                      .step = s.step,
                      .pencil_step = s.pencil_step,
                      .begin = begin,
                      .end = begin + static_cast<std::int32_t>(s.count),
                      .first = static_cast<std::int32_t>(s.first),
                      .stride = static_cast<std::int32_t>(s.stride),
                      .base = s.base};
    std::copy(std::begin(s.outer_step), std::end(s.outer_step), p.outer_step);
    begin = p.end;
    all.push_back(p);
    ++end.stretches;
  }
  const PreparedStretch& first = all[static_cast<std::size_t>(end.first_stretch)];
  end.along = std::abs(first.step) <= std::abs(first.pencil_step);
  return end;
}

// Reals that lie as pairs are read and written two at a time: as one complex number each.
bool in_pairs(const PreparedStretch& s, Index real) {
  const Index pair = 2 * real;
  return s.stride == 1 && s.step == real && s.first % 2 == 0 && (s.end - s.begin) % 2 == 0 && s.at % pair == 0 &&
         s.pencil_step % pair == 0 &&
         std::all_of(std::begin(s.outer_step), std::end(s.outer_step), [&](Index step) { return step % pair == 0; });
}
void make_pairs(PreparedStretch& s) { s.step *= 2, s.first /= 2, s.begin /= 2, s.end /= 2; }

// `families`: their end. Stretches of this end may be changed.
FusedEnd about_end(const FusedSpec& spec, bool complex, Index length, std::span<const PreparedFamily> families,
                   PreparedEnd PreparedFamily::* end, std::vector<PreparedStretch>& all) {
  const auto stretches = [&](const PreparedFamily& family) {
    return std::span(all).subspan(static_cast<std::size_t>((family.*end).first_stretch),
                                  static_cast<std::size_t>((family.*end).stretches));
  };
  const auto every_stretch = [&](const auto& holds) {
    return std::all_of(families.begin(), families.end(), [&](const PreparedFamily& family) {
      return std::all_of(stretches(family).begin(), stretches(family).end(), holds);
    });
  };
  FusedEnd about;
  about.scalars = !complex && !every_stretch([&](const PreparedStretch& s) {
    return in_pairs(s, static_cast<Index>(size_of(spec.scalar)));
  });
  if (!complex && !about.scalars)
    for (const PreparedFamily& family : families)
      for (PreparedStretch& s : stretches(family)) make_pairs(s);
  const bool in_order = every_stretch([](const PreparedStretch& s) { return s.first == s.begin && s.stride == 1; });
  about.lone = families.size() == 1 && (families[0].*end).stretches == 1 && in_order;
  const bool whole = complex ? length == spec.complex_n() : !about.scalars;
  about.straight = about.lone && (families[0].*end).along && whole && fused_parts(spec.complex_n()) == 1;
  if (about.lone) about.stretch = stretches(families[0])[0];
  return about;
}

PreparedFamily prepared(const FusedSpec& spec, const PencilFamily& family) {
  const Index at_once = fused_at_once(static_cast<int>(size_of(spec.scalar)), spec.complex_n());
  const Index tiles = (family.pencils + at_once - 1) / at_once;
  PreparedFamily p{.pencils = family.pencils, .outer_axes = family.outer_axes};
  Index blocks = tiles;
  for (int axis = 0; axis < p.outer_axes && blocks <= most_blocks; ++axis) blocks *= family.outer[axis];
  if (blocks > most_blocks)
    throw wrong(fmt::format("a family has at most {} groups of {} pencils; got more", most_blocks, at_once));
  p.tiles = static_cast<std::uint32_t>(tiles);
  p.by_tiles = Divisor(p.tiles);
  for (int axis = 0; axis < p.outer_axes; ++axis) {
    p.outer[axis] = static_cast<std::uint32_t>(family.outer[axis]);
    p.by_outer[axis] = Divisor(p.outer[axis]);
  }
  return p;
}

Index blocks_of(const PreparedFamily& family) {
  Index blocks = family.tiles;
  for (int axis = 0; axis < family.outer_axes; ++axis) blocks *= family.outer[axis];
  return blocks;
}

// exp(-2 pi i k / n), 0 <= k < n, as complex numbers of T. Angles of at most a right one: neither sine nor cosine loses
// bits there.
template <class T>
void put_root(Index k, Index n, std::byte* to) {
  const Index quarter = 4 * k / n;
  const long double angle = long_pi / 2 * static_cast<long double>(4 * k - quarter * n) / static_cast<long double>(n);
  const auto c = static_cast<T>(std::cos(angle)), s = static_cast<T>(std::sin(angle));
  const T root[4][2] = {{c, -s}, {-s, -c}, {-c, s}, {s, c}};
  std::memcpy(to, root[quarter], sizeof root[quarter]);
}
template <class T>
void put_roots(const FusedSpec& spec, FusedTable& table) {
  const Index n = spec.n, m = spec.complex_n();
  std::byte* to = table.memory.data() + table.roots_at;
  for (Index k = 0; spec.real() && k <= n / 4; ++k, to += 2 * sizeof(T)) put_root<T>(k, n, to);
  to = table.memory.data() + table.twiddles_at;
  for (Index r = 1, parts = fused_parts(m); r < parts; ++r)
    for (Index k = 0; k < m / parts; ++k, to += 2 * sizeof(T)) put_root<T>(r * k, m, to);
}

}  // namespace

void check_places(const FusedSpec& spec, const MoveBases& bases) {
  const auto aligned = static_cast<std::uintptr_t>(spec.element_bytes(true));
  for (const std::byte* start : bases.start)
    if (reinterpret_cast<std::uintptr_t>(start) % aligned != 0)
      throw wrong(fmt::format("arrays begin at multiples of {} bytes; got {}", aligned, fmt::ptr(start)));
}

FusedTableView FusedTable::view(const std::byte* copy) const {
  FusedTableView seen = about;
  seen.families = reinterpret_cast<const PreparedFamily*>(copy);
  seen.first_block = reinterpret_cast<const Index*>(copy + first_block_at);
  seen.stretches = reinterpret_cast<const PreparedStretch*>(copy + stretches_at);
  seen.roots = copy + roots_at;
  seen.twiddles = copy + twiddles_at;
  return seen;
}

FusedTable make_fused_table(const FusedSpec& spec, std::span<const PencilFamily> families) {
  std::vector<PreparedFamily> all;
  std::vector<PreparedStretch> stretches;
  std::vector<Index> first_block{0};
  for (const PencilFamily& family : families) {
    check(spec, family);
    PreparedFamily& p = all.emplace_back(prepared(spec, family));
    p.from = prepared(family.from, stretches);
    p.to = prepared(family.to, stretches);
    first_block.push_back(first_block.back() + blocks_of(p));
  }
  FusedTable table;
  table.about.count = static_cast<Index>(all.size());
  table.about.blocks = first_block.back();
  if (!all.empty()) table.about.family = all.front();
  table.about.from = about_end(spec, spec.complex_in(), spec.length_in(), all, &PreparedFamily::from, stretches);
  table.about.to = about_end(spec, spec.complex_out(), spec.length_out(), all, &PreparedFamily::to, stretches);
  const auto room = [&](std::size_t bytes) {
    const std::size_t at = table.memory.size();
    table.memory.resize(at + (bytes + 15) / 16 * 16);
    return at;
  };
  const auto put = [&](const auto& array) {
    const std::size_t bytes = array.size() * sizeof array[0], at = room(bytes);
    if (bytes > 0) std::memcpy(table.memory.data() + at, array.data(), bytes);
    return at;
  };
  const std::size_t number = 2 * size_of(spec.scalar);
  (void)put(all);
  table.first_block_at = put(first_block);
  table.stretches_at = put(stretches);
  table.roots_at = room(spec.real() ? static_cast<std::size_t>(spec.n / 4 + 1) * number : 0);
  table.twiddles_at = room(fused_parts(spec.complex_n()) > 1 ? static_cast<std::size_t>(spec.complex_n()) * number : 0);
  spec.scalar == Scalar::f32 ? put_roots<float>(spec, table) : put_roots<double>(spec, table);
  return table;
}

}  // namespace shardfft
