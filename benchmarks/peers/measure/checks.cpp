#include "checks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/verify.hpp"
#include "shardfft/view.hpp"

namespace shardfft::peers {
namespace {

/// A library may be three bits less exact than what shardfft's exact mode keeps; beyond that the answer is wrong.
constexpr double leniency = 8;

Noise noise_of(const Task& task) { return {task.input_array(), task.precision, task.kind == c2c, task.seed}; }

LocalArray as_array(const std::vector<LocalPart>& parts, const Shape& global, bool complex, Precision precision) {
  LocalArray array{.boxes = {}, .global = global, .complex = complex, .precision = precision};
  for (const LocalPart& p : parts) array.boxes.push_back({p.box, p.data, p.strides, p.steps});
  return array;
}

/// Every element must belong to exactly one rank, or what the probes and the noise see is not the whole array. Boxes
/// that overlap and leave gaps of the same size pass here, and fail in the probes.
void require_whole(const Comm& comm, const std::vector<LocalPart>& parts, const Shape& global, const char* what) {
  Index mine = 0;
  for (const LocalPart& p : parts) mine += p.box.count();
  const Index all = all_sum(comm, mine);
  if (all != product(global))
    throw Error(Status::internal,
                fmt::format("the {} of all ranks must hold {} elements; the adapter says {}; correct its boxes", what,
                            product(global), all));
}

/// How many numbers [low, high] of processes along an axis leave `n` elements cut as blocks, as even as can be or each
/// as long as the first.
std::pair<Index, Index> plausible(Index n, Index processes) {
  const Index first = (n + processes - 1) / processes;
  return {(n + first - 1) / first, std::min(n, processes)};
}

/// A grid that was asked for must cut pencils as Task::grid says: of two axes that are cut, as many ranks begin at 0
/// along one as there are processes along the other.
void require_grid(const Comm& comm, const Task& task, const std::vector<LocalPart>& parts, const Shape& global,
                  int first, const char* what) {
  if (task.grid.dims() == 0 || task.layout != "pencils") return;
  for (const int i : {0, 1}) {
    Index begins = 0;
    for (const LocalPart& p : parts) begins += !p.box.empty() && p.box.lo[first + 1 - i] == 0 ? 1 : 0;
    const Index found = all_sum(comm, begins);
    const auto [low, high] = plausible(global[first + i], task.grid[i]);
    if (found < low || found > high)
      throw Error(
          Status::internal,
          fmt::format(
              "axis {} of the {} must be cut by {} processes; the adapter's boxes are cut by {}; correct its grid",
              first + i, what, task.grid[i], found));
  }
}

/// The input in memory of our own: libraries may have overwritten theirs.
struct Regenerated {
  std::vector<Array> memory{};
  std::vector<LocalPart> parts{};

  Regenerated(const Comm& comm, const Task& task, const std::vector<LocalPart>& like) {
    collectively(comm, [&] {
      for (const LocalPart& p : like) {
        if (p.box.empty()) continue;
        memory.emplace_back(static_cast<std::size_t>(p.box.count() * task.input_element()));
        parts.push_back({p.box, memory.back().data(), Coord::filled(p.box.dims(), task.input_element()), p.steps});
        Coord& strides = parts.back().strides;
        for (int a = strides.dims() - 2; a >= 0; --a) strides[a] = strides[a + 1] * p.box.extent(a + 1);
        fill_with_noise(parts.back(), noise_of(task), task.threads);
      }
    });
  }
};

Verdict check_forward(const Comm& comm, const Task& task, Transform& transform) {
  const Regenerated input(comm, task, transform.input());
  TransformSpec spec{.shape = task.input_array(),
                     .axes = task.transformed_of_array(),
                     .sign = -1,
                     .real = task.kind == r2c,
                     .scale = 1};
  if (task.kind == r2r) spec.kinds.assign(spec.axes.size(), task.axis_kind);
  return verify(comm, as_array(input.parts, task.input_array(), task.kind == c2c, task.precision),
                as_array(transform.spectrum(), task.spectrum_array(), task.kind != r2r, task.precision), spec);
}

double check_backward(const Comm& comm, const Task& task, Transform& transform) {
  Distance mine;
  for (const LocalPart& p : transform.input()) {
    const Distance d = distance_from_noise(p, noise_of(task), 1 / transform.gain(), task.threads);
    mine.difference2 += d.difference2;
    mine.noise2 += d.noise2;
  }
  return std::sqrt(all_sum(comm, mine.difference2) / all_sum(comm, mine.noise2));
}

}  // namespace

std::string Findings::why_wrong() const {
  return fmt::format("the error is {:.3g} forward, {:.3g} backward; it must be at most {:.3g} and {:.3g}", error_rel_l2,
                     error_backward_rel_l2, bound, 2 * bound);
}

void fill_input(const Task& task, Transform& transform) {
  for (const LocalPart& p : transform.input()) fill_with_noise(p, noise_of(task), task.threads);
  transform.to_device();
}

Findings check(const Comm& comm, const Task& task, Transform& transform) {
  require_whole(comm, transform.input(), task.input_array(), "input");
  require_whole(comm, transform.spectrum(), task.spectrum_array(), "spectrum");
  require_grid(comm, task, transform.input(), task.input_array(), task.first_axis(), "input");
  require_grid(comm, task, transform.spectrum(), task.spectrum_array(), task.first_axis() + 1, "spectrum");
  fill_input(task, transform);
  transform.forward();
  transform.to_host();
  const Verdict forward = check_forward(comm, task, transform);
  transform.backward();
  transform.to_host();
  return {forward.error_rel_l2, check_backward(comm, task, transform), leniency * forward.bound};
}

}  // namespace shardfft::peers
