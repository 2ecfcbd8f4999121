// Families of pencils in random places, for tests of fused transforms.
#pragma once

#include <algorithm>
#include <vector>

#include "device/fused.hpp"
#include "device/random_boxes.hpp"

namespace shardfft::testing {

/// One end of a family: stretches of its pencils in random places of one array, with gaps, axes in any order.
struct RandomEnd {
  std::vector<PencilStretch> stretches{};
  Index bytes = 0;
};

struct PencilRun {
  Index first = 0, stride = 1, count = 1;
};
// Cut at random places, or cyclic over owners.
inline std::vector<PencilRun> random_runs(Random& random, Index length) {
  std::vector<PencilRun> runs;
  const Index owners = random() % 3 ? 1 : between(random, 1, std::min<Index>(length, 5));
  for (Index owner = 0; owner < owners; ++owner)
    for (Index at = owner; at < length;) {
      const Index left = (length - at + owners - 1) / owners, count = random() % 2 ? left : between(random, 1, left);
      runs.push_back({at, owners, count});
      at += count * owners;
    }
  if (random() % 2) std::shuffle(runs.begin(), runs.end(), random);
  return runs;
}

inline RandomEnd random_end(Random& random, const PencilFamily& family, Index length, Index element, MoveBase base) {
  RandomEnd end;
  for (const PencilRun& run : random_runs(random, length)) {
    BoxMove box{.axes = 2 + family.outer_axes, .extent = {run.count, family.pencils}};
    std::copy_n(family.outer, family.outer_axes, box.extent + 2);
    PencilStretch s{.first = run.first,
                    .stride = run.stride,
                    .count = run.count,
                    .base = base,
                    .at = end.bytes + element * between(random, 0, 3)};
    end.bytes = s.at + random_steps(random, box, element, element, box.from_step);
    reverse_some(random, box, box.from_step, s.at);
    s.step = box.from_step[0], s.pencil_step = box.from_step[1];
    std::copy_n(box.from_step + 2, family.outer_axes, s.outer_step);
    end.stretches.push_back(s);
  }
  end.bytes = (end.bytes + 15) / 16 * 16;
  return end;
}

/// Families from one array and to another, and the bytes of these.
struct RandomFamilies {
  std::vector<PencilFamily> families{};
  Index from_bytes = 0, to_bytes = 0;
};

/// `count` families of at most `pencils` pencils, times those of short outer axes.
inline RandomFamilies random_families(Random& random, const FusedSpec& spec, Index pencils, int count) {
  RandomFamilies all;
  for (int f = 0; f < count; ++f) {
    PencilFamily& family = all.families.emplace_back(
        PencilFamily{.pencils = between(random, 1, pencils),
                     .outer_axes = static_cast<int>(between(random, 0, PencilStretch::most_outer))});
    for (int a = 0; a < family.outer_axes; ++a) family.outer[a] = spec.n > 64 ? 1 : between(random, 1, 2);
    for (const bool in : {true, false}) {
      RandomEnd end = random_end(random, family, in ? spec.length_in() : spec.length_out(),
                                 spec.element_bytes(in ? spec.complex_in() : spec.complex_out()),
                                 in ? MoveBase::input : MoveBase::output);
      Index& bytes = in ? all.from_bytes : all.to_bytes;
      for (PencilStretch& s : end.stretches) s.at += bytes;
      bytes += end.bytes;
      (in ? family.from : family.to) = std::move(end.stretches);
    }
  }
  return all;
}

}  // namespace shardfft::testing
