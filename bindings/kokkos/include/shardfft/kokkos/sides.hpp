// Both sides of a plan of Views: who owns what, and how it lies.
#pragma once

#include <algorithm>
#include <vector>

#include "shardfft/kokkos/asked.hpp"
#include "shardfft/kokkos/lengths.hpp"
#include "shardfft/kokkos/topology.hpp"

namespace shardfft::kokkos {

/// The options that hold a side's layout and memory.
struct Side {
  LayoutSpec& layout;
  std::vector<Placement>& memory;
};
[[nodiscard]] inline Side side_of(Asked& asked, bool is_input) {
  const bool is_space = is_input == (asked.direction == Direction::forward);
  if (is_space) return {asked.options.input, asked.options.input_memory};
  return {asked.options.output, asked.options.output_memory};
}

inline void place(Side side, const LayoutSpec& owners, const std::vector<int>& order, const Strided& lies,
                  bool is_dense) {
  side.layout = owners.ordered(order);
  side.memory = is_dense ? std::vector<Placement>{} : lies.places();
}

/// What a transform of whole Views in this process is. Throws Error for Views, axes and lengths that do not fit.
template <class Exec, class In, class Out>
[[nodiscard]] Asked ask(const Exec& exec, const In& in, const Out& out, Direction direction,
                        const std::vector<int>& axes, const std::vector<Index>& lengths, const Options& options) {
  require_views<Exec, In, Out>();
  require_direction<In, Out>(direction);
  Asked asked{.problem = problem_of<In, Out>(axes), .options = options, .direction = direction};
  asked.input() = strided(in);
  asked.output() = strided(out);
  const std::vector<int> in_order = order_of<In>(asked.input()), out_order = order_of<Out>(asked.output());
  find_shape(asked, lengths);
  asked.options.in_place = static_cast<const void*>(in.data()) == static_cast<const void*>(out.data());
  place(side_of(asked, true), slabs(0), in_order, asked.input(), asked.input().is_dense(in_order));
  place(side_of(asked, false), slabs(0), out_order, asked.output(), asked.output().is_dense(out_order));
  follow(exec, asked.options);
  return asked;
}

/// One side of a distributed plan. Strides are said by all ranks or by none.
template <class V>
void place_part(Side side, const Coord& grid, const Strided& lies, const std::vector<Said>& all,
                std::array<Index, max_dims> Said::* extents, std::array<Index, max_dims> Said::* strides) {
  const auto coord = [](const std::array<Index, max_dims>& numbers) {
    return Coord(std::span<const Index>(numbers).first(static_cast<std::size_t>(rank_of<V>)));
  };
  const auto lie = [&](const Said& said) { return Strided(coord(said.*extents), coord(said.*strides)); };
  const std::vector<int> order = order_of<V>(lie(all.front()));
  const bool dense = std::all_of(all.begin(), all.end(),
                                 [&](const Said& said) { return lie(said).count() == 0 || lie(said).is_dense(order); });
  place(side, process_grid(grid), order, lies, dense);
}

/// Collective: what a transform of Views of which each rank has a part is. Throws the same Error on every rank.
template <class Exec, class In, class Out>
[[nodiscard]] Asked ask(const Exec& exec, const In& in, const Out& out, const std::vector<int>& axes,
                        const Coord& grid_in, const Coord& grid_out, const Comm& comm, const Options& options) {
  require_views<Exec, In, Out>();
  const Direction direction = number_of<Out>::complex ? Direction::forward : Direction::backward;
  Asked asked{.options = options, .direction = direction};
  asked.input() = strided(in);
  asked.output() = strided(out);
  const Strided &from = asked.input(), &to = asked.output();
  const std::vector<Said> all = heard(comm, {.input = Said::numbers(from.extents),
                                             .output = Said::numbers(to.extents),
                                             .input_strides = Said::numbers(from.strides),
                                             .output_strides = Said::numbers(to.strides),
                                             .in_place = from.count() > 0 && static_cast<const void*>(in.data()) ==
                                                                                 static_cast<const void*>(out.data())});
  collectively(comm, [&] {
    asked.problem = problem_of<In, Out>(axes);
    const Shape whole_in = global_shape(grid_in, all, &Said::input);
    const Shape whole_out = global_shape(grid_out, all, &Said::output);
    const bool is_forward = direction == Direction::forward;
    asked.problem.shape = is_forward ? whole_in : whole_out;
    const Shape spectrum = spectrum_shape(asked.problem);
    require_extents(is_forward ? "output" : "input", is_forward ? whole_out : whole_in, spectrum);
    if (asked.is_empty_batch()) return require_nothing(from, to);
    require_own_part("input", Layout(process_grid(grid_in), whole_in, comm.size()), comm.rank(), from.extents);
    require_own_part("output", Layout(process_grid(grid_out), whole_out, comm.size()), comm.rank(), to.extents);
    place_part<In>(side_of(asked, true), grid_in, from, all, &Said::input, &Said::input_strides);
    place_part<Out>(side_of(asked, false), grid_out, to, all, &Said::output, &Said::output_strides);
  });
  asked.options.in_place = std::any_of(all.begin(), all.end(), [](const Said& said) { return said.in_place; });
  follow(exec, asked.options);
  return asked;
}

}  // namespace shardfft::kokkos
