#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/host/whole_lines.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <algorithm>
#include <cstring>

#include "sweep/host/whole_lines.hpp"
#include "sweep/simd/tile_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

inline constexpr Index floats_of_a_line = 16;  // the unit here; whatever the numbers are, their bits stay as they are

/// Floats first .. last - 1 of a line.
HWY_INLINE void store_part(float* to, const float* from, Index first, Index last) {
  if constexpr (masks_protect) {
    for (Index i = 0; i < floats_of_a_line; i += lanes<float>)
      hn::BlendedStore(hn::Load(Tag<float>(), from + i), lanes_from_to<float>(first - i, last - i), Tag<float>(),
                       to + i);
  } else {
    for (Index i = first; i < last; ++i) std::memcpy(to + i, from + i, sizeof(float));
  }
}

void store_rows(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index rows, Index bytes,
                PartialLine* partial) {
  constexpr Index line = floats_of_a_line, size = sizeof(float);
  for (Index row = 0; row < rows; ++row, to += to_step, from += from_step) {
    Index first = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % 64) / size;
    const Index last = first + bytes / size;
    float* t = reinterpret_cast<float*>(to) - first;  // where the first line begins
    const float* f = reinterpret_cast<const float*>(from) - first;
    if (partial != nullptr && partial[row].line == reinterpret_cast<std::byte*>(t)) first = partial[row].first / size;
    Index at = 0;
    if (first > 0 && last >= line) {
      store_part(t, f, first, line);
      first = 0, at = line;
    }
    for (; at + line <= last; at += line)
      for (Index i = at; i < at + line; i += lanes<float>) put<true, float>(hn::Load(Tag<float>(), f + i), t + i);
    if (partial != nullptr) partial[row].line = nullptr;
    if (at == last) continue;
    if (partial == nullptr) {
      store_part(t + at, f + at, first, last - at);
    } else {
      PartialLine& left = partial[row];
      for (Index i = 0; i < line; i += lanes<float>)
        hn::Store(hn::Load(Tag<float>(), f + at + i), Tag<float>(), reinterpret_cast<float*>(left.bytes) + i);
      left.line = reinterpret_cast<std::byte*>(t + at), left.first = first * size, left.last = (last - at) * size;
    }
  }
}

#else

void store_rows(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index rows, Index bytes,
                PartialLine*) {
  for (Index row = 0; row < rows; ++row)
    std::memcpy(to + row * to_step, from + row * from_step, static_cast<std::size_t>(bytes));
}

#endif

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {
namespace {

constexpr Index line = 64;

// The remainder that is not negative.
Index in_line(Index bytes) { return (bytes % line + line) % line; }

void store(PartialLine& partial) {
  std::memcpy(partial.line + partial.first, partial.bytes + partial.first,
              static_cast<std::size_t>(partial.last - partial.first));
  partial.line = nullptr;
}

}  // namespace

HWY_EXPORT(store_rows);

void store_lines(std::byte* to, Index to_step, std::byte* from, Index from_step, Index rows, Index bytes,
                 PartialLine* partial) {
  const bool one = partial == nullptr && to_step == bytes && from_step == bytes;
  HWY_DYNAMIC_DISPATCH(store_rows)(to, to_step, from, from_step, one ? 1 : rows, one ? rows * bytes : bytes, partial);
}

void continue_lines(std::byte* to, Index to_step, std::byte* staging, Index staging_step, Index rows,
                    PartialLine* partial) {
  for (Index row = 0; row < rows; ++row, to += to_step, staging += staging_step) {
    PartialLine& before = partial[row];
    if (before.line == nullptr) continue;
    const Index ahead = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % line);
    if (before.line + before.last == to && ahead > 0)
      std::memcpy(staging - ahead, before.bytes,
                  sizeof before.bytes);  // more than belongs there: the rest is to be filled
    else
      store(before);
  }
}

void PartialLines::store() {
  for (PartialLine& partial : lines_)
    if (partial.line != nullptr) shardfft::store(partial);
}

void PartialLines::forget() {
  for (PartialLine& partial : lines_) partial.line = nullptr;
}

// Rows that are to share their lines do so where there is room for them all; others are a line apart, for what was
// begun before them.
StagingForm staging_form(Index elements, Index element, Index step, Index most, bool joined) {
  const Index bytes = elements * element;
  if (joined && step == bytes && most * bytes + line <= staging_bytes) return {most, elements, bytes};
  const Index room = staging_bytes / most - 3 * line;
  const Index parts = (bytes + room - 1) / room, at_once = (elements + parts - 1) / parts;
  return {most, at_once, at_once * element + line + in_line(step - at_once * element)};
}

}  // namespace shardfft
#endif
