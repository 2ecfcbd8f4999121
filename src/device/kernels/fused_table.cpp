#include "device/kernels/fused_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

Error wrong(const std::string& text) { return Error(Status::invalid_argument, "fused transforms: " + text); }

// As many stretches as hold each of `length` elements once.
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

// For k <= n / 4 the angle is at most a right one, where neither sine nor cosine loses bits.
template <class T>
void put_roots(Index n, std::byte* to) {
  for (Index k = 0; k <= n / 4; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    const T root[2] = {static_cast<T>(std::cos(angle)), static_cast<T>(-std::sin(angle))};
    std::memcpy(to + static_cast<std::size_t>(k) * sizeof root, root, sizeof root);
  }
}

}  // namespace

void check_places(const FusedSpec& spec, const MoveBases& bases) {
  const auto aligned = static_cast<std::uintptr_t>(spec.element_bytes(true));
  for (const std::byte* start : bases.start)
    if (reinterpret_cast<std::uintptr_t>(start) % aligned != 0)
      throw wrong(fmt::format("arrays begin at multiples of {} bytes; got {}", aligned, fmt::ptr(start)));
}

FusedTableView FusedTable::view(const std::byte* copy) const {
  return {reinterpret_cast<const PreparedFamily*>(copy),
          reinterpret_cast<const Index*>(copy + first_block_at),
          reinterpret_cast<const PreparedStretch*>(copy + stretches_at),
          copy + roots_at,
          count,
          blocks};
}

FusedTable make_fused_table(const FusedSpec& spec, std::span<const PencilFamily> families) {
  const Index at_once = spec.scalar == Scalar::f32 ? fused_at_once<float> : fused_at_once<double>;
  std::vector<PreparedFamily> all;
  std::vector<PreparedStretch> stretches;
  std::vector<Index> first_block{0};
  for (const PencilFamily& family : families) {
    check(spec, family);
    PreparedFamily p{
        .pencils = family.pencils, .tiles = (family.pencils + at_once - 1) / at_once, .outer_axes = family.outer_axes};
    std::copy(std::begin(family.outer), std::end(family.outer), p.outer);
    p.from = prepared(family.from, stretches);
    p.to = prepared(family.to, stretches);
    Index blocks = p.tiles;
    for (int axis = 0; axis < p.outer_axes; ++axis) blocks *= p.outer[axis];
    first_block.push_back(first_block.back() + blocks);
    all.push_back(p);
  }
  FusedTable table{.count = static_cast<Index>(all.size()), .blocks = first_block.back()};
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
  (void)put(all);
  table.first_block_at = put(first_block);
  table.stretches_at = put(stretches);
  table.roots_at = room(spec.real() ? static_cast<std::size_t>(spec.n / 4 + 1) * 2 * size_of(spec.scalar) : 0);
  if (spec.real())
    spec.scalar == Scalar::f32 ? put_roots<float>(spec.n, table.memory.data() + table.roots_at)
                               : put_roots<double>(spec.n, table.memory.data() + table.roots_at);
  return table;
}

}  // namespace shardfft
