#include "device/sweep/fused_families.hpp"

#include <algorithm>
#include <cstdlib>

#include "device/sweep/device_tiles.hpp"
#include "grid/patch_index.hpp"

namespace shardfft {
namespace {

/// Patches of one end, how their axis is ordered by owner, and which elements they hold of it.
struct FamilyEnd {
  const std::vector<Patch>& patches;
  PatchIndex index;
  CyclicMap map;
};

struct Cut {
  int axis = 0;
  Index at = 0;
};

/// An axis beside the pencils, with all stretches' steps along it.
struct Beside {
  int axis = 0;
  Index extent = 1;
  std::vector<Index> steps{};
};

class Families {
 public:
  explicit Families(const SweepSpec& spec)
      : spec_(spec),
        axis_(spec.axes.front()),
        from_{spec.from, PatchIndex(spec.from), {axis_.length_in(), axis_.owners_in}},
        to_{spec.to, PatchIndex(spec.to), {axis_.length_out(), axis_.owners_out}} {}

  // In halves, until no patch ends between two pencils.
  [[nodiscard]] bool add(const Box& box) {
    if (box.empty()) return true;
    const Box result = after(spec_, box);
    auto cut = cut_of(from_, box);
    if (!cut) cut = cut_of(to_, result);
    if (!cut) return add_family(box, result);
    Box low = box, high = box;
    low.hi[cut->axis] = high.lo[cut->axis] = cut->at;
    return add(low) && add(high);
  }
  [[nodiscard]] std::vector<PencilFamily> take() { return std::move(families_); }

 private:
  // The end of a patch that is nearest to the middle. Cuts there keep many patches from being cut off one by one.
  [[nodiscard]] std::optional<Cut> cut_of(const FamilyEnd& end, const Box& box) const {
    std::optional<Cut> cut;
    Index least = 0;
    const auto try_at = [&](int axis, Index at) {
      if (at <= box.lo[axis] || at >= box.hi[axis]) return;
      const Index off = std::abs(2 * at - box.lo[axis] - box.hi[axis]);
      if (cut && off >= least) return;
      cut = Cut{axis, at};
      least = off;
    };
    end.index.for_meeting(box, [&](std::size_t number) {
      const Box& patch = end.patches[number].box;
      for (int a = 0; a < box.dims(); ++a)
        if (a != axis_.axis) try_at(a, patch.lo[a]), try_at(a, patch.hi[a]);
    });
    return cut;
  }

  struct Stretch {
    const Patch* patch;
    PencilStretch lies;
  };
  // Nothing where some element is held twice, not at all or as its conjugate.
  [[nodiscard]] std::vector<Stretch> stretches(const FamilyEnd& end, const Box& box) const {
    std::vector<Stretch> found;
    for (const std::size_t number : end.index.meeting(box)) {
      const Patch& patch = end.patches[number];
      if (patch.conjugated) return {};
      for_runs(end.map, {patch.box.lo[axis_.axis], patch.box.hi[axis_.axis]},
               [&](Index counted, Index first, Index count) {
                 Coord at = box.lo;
                 at[axis_.axis] = counted;
                 const DevicePlace place = place_in(patch, at);
                 found.push_back({&patch,
                                  {.first = first,
                                   .stride = end.map.owners,
                                   .count = count,
                                   .base = place.base,
                                   .at = place.at,
                                   .step = patch.strides[axis_.axis]}});
               });
    }
    std::vector<bool> held(static_cast<std::size_t>(end.map.n));
    Index count = 0;
    for (const Stretch& s : found)
      for (Index i = 0; i < s.lies.count; ++i, ++count) {
        const auto k = static_cast<std::size_t>(s.lies.first + i * s.lies.stride);
        if (held[k]) return {};
        held[k] = true;
      }
    if (count != end.map.n) return {};
    std::sort(found.begin(), found.end(),
              [](const Stretch& a, const Stretch& b) { return a.lies.first < b.lies.first; });
    return found;
  }

  // Axes that go on in each other, at both ends, become one. The axis whose neighbours are nearest is the one that a
  // block takes together.
  [[nodiscard]] std::vector<Beside> beside(const Box& box, const std::vector<Stretch>& from,
                                           const std::vector<Stretch>& to) const {
    std::vector<Beside> axes;
    for (int a = 0; a < box.dims(); ++a) {
      if (a == axis_.axis || box.extent(a) == 1) continue;
      Beside& axis = axes.emplace_back(Beside{a, box.extent(a)});
      for (const auto* end : {&from, &to})
        for (const Stretch& s : *end) axis.steps.push_back(s.patch->strides[a]);
    }
    const auto distance = [&](const Beside& axis) { return axis.steps.front() + axis.steps[from.size()]; };
    std::sort(axes.begin(), axes.end(), [&](const Beside& a, const Beside& b) { return distance(a) < distance(b); });
    std::vector<Beside> joined;
    for (Beside& axis : axes) {
      const auto goes_on = [&](const Beside& inner) {
        return std::equal(axis.steps.begin(), axis.steps.end(), inner.steps.begin(),
                          [&](Index outside, Index inside) { return outside == inside * inner.extent; });
      };
      if (!joined.empty() && goes_on(joined.back()))
        joined.back().extent *= axis.extent;
      else
        joined.push_back(std::move(axis));
    }
    return joined;
  }

  [[nodiscard]] bool add_family(const Box& box, const Box& result) {
    const auto from = stretches(from_, box), to = stretches(to_, result);
    if (from.empty() || to.empty()) return false;
    PencilFamily family;
    for (const Stretch& s : from) family.from.push_back(s.lies);
    for (const Stretch& s : to) family.to.push_back(s.lies);
    const auto axes = beside(box, from, to);
    family.outer_axes = std::max(0, static_cast<int>(axes.size()) - 1);
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::size_t outer = axes.size() - 1 - a;  // slowest first
      (a == 0 ? family.pencils : family.outer[outer]) = axes[a].extent;
      for (std::size_t s = 0; s < from.size() + to.size(); ++s) {
        PencilStretch& stretch = s < from.size() ? family.from[s] : family.to[s - from.size()];
        (a == 0 ? stretch.pencil_step : stretch.outer_step[outer]) = axes[a].steps[s];
      }
    }
    families_.push_back(std::move(family));
    return true;
  }

  const SweepSpec& spec_;
  const SweepAxis& axis_;
  FamilyEnd from_, to_;
  std::vector<PencilFamily> families_{};
};

}  // namespace

FusedSpec fused_spec(const SweepSpec& spec) {
  return {.scalar = spec.scalar, .transform = transform_of(spec), .n = spec.axes.front().n, .scale = spec.scale()};
}

std::optional<std::vector<PencilFamily>> fused_families(const SweepSpec& spec, const std::vector<Box>& boxes) {
  Families families(spec);
  for (const Box& box : boxes)
    if (!families.add(box)) return std::nullopt;
  return families.take();
}

}  // namespace shardfft
