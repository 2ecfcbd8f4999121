// Random problems as pipelines know them, without ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "pipeline/bind/memory.hpp"
#include "pipeline/spec.hpp"
#include "planner/decide/decompose.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {

// One direction of a random problem.
struct Scene {
  std::string text{};
  int ranks = 1;
  PipelineSpec spec{};  // of rank 0

  Scene(std::uint64_t seed, bool in_place) {
    const Case c = random_case(seed, 1500, 9);
    text = to_string(c) + (in_place ? ", in place" : "");
    ranks = c.ranks;
    const CheckedProblem p = check(c.problem);
    const LayoutSpec& space = c.problem.kind == c2r ? c.options.output : c.options.input;
    const LayoutSpec& spectrum = c.problem.kind == c2r ? c.options.input : c.options.output;
    const Comm comm = dry_run(c.ranks, 0, 3);
    const Model model{.machine = {}, .comm = &comm};
    const Decomposition d = decompose(p, axis_order(p, space, spectrum, {}), space, spectrum, c.ranks,
                                      {.decomposition = c.options.expert.decomposition},
                                      {.model = &model, .plane_limit = 1 << 20, .fuse = 2});
    const bool backward = seed % 3 == 0;
    spec.from.layout = backward ? d.spectrum : d.space;
    spec.to.layout = backward ? d.space : d.spectrum;
    (backward ? spec.to : spec.from).complex = !p.real;
    spec.stages = backward ? reversed(d.stages) : d.stages;
    spec.tuning.chunks = std::max(1, c.options.expert.chunks);
    spec.in_place = in_place;
    spec.same_places =
        !p.real && spec.from.layout.same_owners(spec.to.layout) && spec.from.layout.order() == spec.to.layout.order();
  }

  [[nodiscard]] PipelineSpec of_rank(int me) const {
    PipelineSpec s = spec;
    s.me = me;
    s.from.patches = caller_patches(s.from.layout.boxes(me), placements(s.from.layout, me, {}, "input_memory"),
                                    Base::input, s.from.element_bytes(s.scalar));
    s.to.patches = caller_patches(s.to.layout.boxes(me), placements(s.to.layout, me, {}, "output_memory"), Base::output,
                                  s.to.element_bytes(s.scalar));
    return s;
  }
};

/// Calls body(scene) for 800 of them.
template <class Body>
void for_scenes(Body body) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed)
    for (const bool in_place : {false, true}) {
      const Scene scene(seed, in_place);
      SCOPED_TRACE(scene.text);
      body(scene);
    }
}

/// One problem in slabs, with a sweep for each axis; this rank's array has `rows` planes.
inline PipelineSpec slab_spec(Index rows, const std::vector<int>& axes, const LayoutSpec& from, const LayoutSpec& to,
                              bool backward) {
  constexpr int ranks = 3;
  const CheckedProblem p = check({.shape = {rows * ranks, 24, 40}, .axes = axes});
  const Comm comm = dry_run(ranks, 0, 1);
  const Model model{.machine = {}, .comm = &comm};
  const Decomposition d = decompose(p, axis_order(p, from, to, {}), from, to, ranks, {.decomposition = "slab"},
                                    {.model = &model, .plane_limit = 1 << 20, .fuse = 1});
  PipelineSpec spec{.stages = backward ? reversed(d.stages) : d.stages, .tuning = {{.chunks = 4}}, .parts = 2};
  spec.from.layout = backward ? d.spectrum : d.space;
  spec.to.layout = backward ? d.space : d.spectrum;
  for (CallerArray* array : {&spec.from, &spec.to})
    array->patches =
        caller_patches(array->layout.boxes(0), placements(array->layout, 0, {}, "memory"),
                       array == &spec.from ? Base::input : Base::output, array->element_bytes(spec.scalar));
  return spec;
}

}  // namespace shardfft::testing
