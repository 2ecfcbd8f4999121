#include "support/problems/random_problem.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/oracles/real_to_real.hpp"

namespace shardfft::testing {
namespace {

Index pick(std::mt19937_64& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}
bool chance(std::mt19937_64& random, double p) { return std::uniform_real_distribution<>(0, 1)(random) < p; }

std::vector<int> shuffled(std::mt19937_64& random, int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  std::shuffle(v.begin(), v.end(), random);
  return v;
}

Shape random_shape(std::mt19937_64& random, Index max_elements) {
  const int dims = static_cast<int>(chance(random, 0.1) ? pick(random, 6, 8) : pick(random, 1, 5));
  Shape shape = Coord::filled(dims, 1);
  Index left = max_elements;
  for (const int a : shuffled(random, dims)) {
    const Index most = std::max<Index>(1, std::min<Index>(left, chance(random, 0.2) ? 150 : 20));
    shape[a] = pick(random, 1, most);
    left /= shape[a];
  }
  return shape;
}

void bisect(std::mt19937_64& random, const Box& box, int depth, int ranks, std::vector<std::vector<Box>>& boxes) {
  const int axis = static_cast<int>(pick(random, 0, box.dims() - 1));
  if (depth == 0 || box.extent(axis) < 2) {
    boxes[static_cast<std::size_t>(pick(random, 0, ranks - 1))].push_back(box);
    return;
  }
  Box low = box, high = box;
  low.hi[axis] = high.lo[axis] = pick(random, box.lo[axis] + 1, box.hi[axis] - 1);
  bisect(random, low, depth - 1, ranks, boxes);
  bisect(random, high, depth - 1, ranks, boxes);
}

LayoutSpec random_grid(std::mt19937_64& random, int dims, int ranks) {
  Coord grid = Coord::filled(dims, 1);
  Index left = ranks;
  for (const int a : shuffled(random, dims)) {
    grid[a] = pick(random, 1, left);
    left /= grid[a];
  }
  return process_grid(grid);
}

}  // namespace

LayoutSpec random_boxes(std::mt19937_64& random, const Shape& shape, int ranks) {
  std::vector<std::vector<Box>> boxes(static_cast<std::size_t>(ranks));
  bisect(random, whole(shape), static_cast<int>(pick(random, 0, 4)), ranks, boxes);
  return custom(boxes);
}

Index random_block(std::mt19937_64& random, Index n, int ranks) { return (n + ranks - 1) / ranks + pick(random, 0, 2); }

LayoutSpec random_layout(std::mt19937_64& random, const Shape& shape, int ranks) {
  const int dims = shape.dims();
  const int axis = static_cast<int>(pick(random, 0, dims - 1));
  LayoutSpec spec;
  switch (pick(random, 0, 5)) {
    case 0:
      spec = slabs(axis, chance(random, 0.4) ? random_block(random, shape[axis], ranks) : 0);
      break;
    case 1:
      spec = pencils(axis);
      break;
    case 2:
      spec = bricks();
      break;
    case 3:
      spec = cyclic(axis);
      break;
    case 4:
      spec = random_boxes(random, shape, ranks);
      break;
    default:
      spec = random_grid(random, dims, ranks);
      break;
  }
  return chance(random, 0.4) ? spec.ordered(shuffled(random, dims)) : spec;
}

namespace {

// A length: a tile's pencils or about a multiple of them; a prime; sometimes so short that not every rank has a part.
Index row_length(std::mt19937_64& random) {
  constexpr std::array<Index, 8> primes{13, 17, 31, 37, 61, 67, 127, 257};
  switch (pick(random, 0, 7)) {
    case 0:
      return pick(random, 1, 2);
    case 1:
      return pick(random, 3, 6);
    case 2:
      return primes[static_cast<std::size_t>(pick(random, 0, primes.size() - 1))];
    case 3:
      return 64 * pick(random, 1, 5) + pick(random, -1, 1);
    default:
      return 8 * pick(random, 1, 6) + pick(random, -1, 1);
  }
}

Shape shape_of_long_rows(std::mt19937_64& random, Index least, Index most) {
  if (chance(random, 0.05)) return Coord::filled(1, pick(random, least, most));
  while (true) {
    Shape shape = Coord::filled(static_cast<int>(chance(random, 0.6) ? 3 : pick(random, 2, 4)), 1);
    for (int a = 0; a < shape.dims(); ++a) shape[a] = row_length(random);
    if (least <= product(shape) && product(shape) <= most) return shape;
  }
}

void take_kinds(std::mt19937_64& random, Problem& p) {
  p.kind = chance(random, 0.4) ? r2r : static_cast<Kind>(pick(random, 0, 2));
  for (const int axis : p.axes) {
    const bool fourier = p.kind != r2r && chance(random, 0.4);
    AxisKind kind = fourier ? AxisKind::fourier : static_cast<AxisKind>(pick(random, 1, 9));
    if (kind == AxisKind::cosine1 && p.shape[axis] == 1) kind = AxisKind::cosine2;
    p.kinds.push_back(kind);
  }
  if (p.kind == r2c || p.kind == c2r)
    p.kinds[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(p.axes.size()) - 1))] = AxisKind::fourier;
}

// A case that transforms the first `axes` axes in their order, or, if 0, random ones.
Case case_of(std::mt19937_64& random, std::uint64_t seed, int ranks, const Shape& shape, int axes,
             bool with_kinds = false) {
  Case c{.seed = seed, .ranks = ranks};
  Problem& p = c.problem;
  p.shape = shape;
  p.kind = static_cast<Kind>(pick(random, 0, 2));
  p.precision = chance(random, 0.5) ? f64 : f32;
  const int dims = p.shape.dims();
  p.axes = shuffled(random, dims);
  p.axes.resize(static_cast<std::size_t>(pick(random, 1, chance(random, 0.8) ? std::min(dims, 4) : dims)));
  if (axes > 0) p.axes.resize(static_cast<std::size_t>(axes)), std::iota(p.axes.begin(), p.axes.end(), 0);
  if (with_kinds) take_kinds(random, p);
  const auto scaling = [&] { return static_cast<Scaling>(pick(random, 0, with_kinds ? 3 : 2)); };
  p.forward = scaling();
  p.backward = scaling();
  Shape spectrum = p.shape;
  if (const int real = real_axis(p); real >= 0) spectrum[real] = p.shape[real] / 2 + 1;
  c.in = p.kind == c2r ? spectrum : p.shape;
  c.out = p.kind == c2r ? p.shape : spectrum;
  Options& o = c.options;
  if (chance(random, 0.8)) o.input = random_layout(random, c.in, c.ranks);
  if (chance(random, 0.8)) o.output = random_layout(random, c.out, c.ranks);
  if (!o.input.order.empty() && o.output.kind != LayoutSpec::Kind::any && chance(random, 0.5))
    o.output.order = o.input.order;  // stages lie like both
  o.threads = static_cast<int>(pick(random, 1, 2));
  o.expert.chunks = static_cast<int>(pick(random, 0, 4));
  o.expert.tile = chance(random, 0.3) ? static_cast<int>(pick(random, 1, 40)) : 0;
  o.expert.fuse = chance(random, 0.4) ? -1 : static_cast<int>(pick(random, 1, 2));
  constexpr std::array intermediates{Intermediate::automatic, Intermediate::output, Intermediate::buffers};
  o.expert.intermediate = intermediates[static_cast<std::size_t>(pick(random, 0, 2))];
  o.expert.non_temporal = static_cast<NonTemporal>(pick(random, 0, 2));
  const char* decompositions[] = {"", "slab", "pencil", "brick"};
  o.expert.decomposition = decompositions[pick(random, 0, 3)];
  c.padded_in = o.input.kind != LayoutSpec::Kind::any && chance(random, 0.4);
  c.padded_out = o.output.kind != LayoutSpec::Kind::any && chance(random, 0.4);
  o.expert.split = chance(random, 0.4) ? SplitAxis::always : SplitAxis::automatic;
  return c;
}

}  // namespace

Case random_case(std::uint64_t seed, Index max_elements, int max_ranks) {
  std::mt19937_64 random(seed);
  const int ranks = static_cast<int>(pick(random, 1, max_ranks));
  return case_of(random, seed, ranks, random_shape(random, max_elements), 0);
}

Case random_case_of_kinds(std::uint64_t seed, Index max_elements, int max_ranks) {
  std::mt19937_64 random(seed);
  const int ranks = static_cast<int>(pick(random, 1, max_ranks));
  return case_of(random, seed, ranks, random_shape(random, max_elements), 0, true);
}

Case random_case_of_long_rows(std::uint64_t seed, Index least, Index most, int max_ranks) {
  std::mt19937_64 random(seed);
  const int ranks = static_cast<int>(pick(random, 1, max_ranks));
  const Shape shape = shape_of_long_rows(random, least, most);
  return case_of(random, seed, ranks, shape, chance(random, 0.6) ? shape.dims() : 0);
}

void take_one_real_axis(Case& c, bool to_reals, std::mt19937_64& random) {
  c.problem.kind = to_reals ? c2r : r2c;
  c.problem.axes.resize(1);
  const int axis = c.problem.axes.front();
  c.problem.shape[axis] = pick(random, 2, 9) * pick(random, 2, 9);
  c.in = c.out = c.problem.shape;
  (to_reals ? c.in : c.out)[axis] = c.problem.shape[axis] / 2 + 1;
}

void take_fewer(Case& c, std::mt19937_64& random) {
  Problem& p = c.problem;
  Coord points = p.shape, modes = p.shape;
  for (const int axis : p.axes) {
    if (chance(random, 0.7)) modes[axis] = pick(random, 1, p.shape[axis]);
    if (chance(random, 0.3)) points[axis] = pick(random, 1, p.shape[axis]);
  }
  for (std::size_t i = 0; i < p.kinds.size(); ++i)
    if (p.kinds[i] == AxisKind::hartley) modes[p.axes[i]] = p.shape[p.axes[i]];
  p.modes = modes;
  if (chance(random, 0.8) || points != p.shape) p.support = points;
  if (const int real = real_axis(p); real >= 0) modes[real] = modes[real] / 2 + 1;
  c.in = p.kind == c2r ? modes : points;
  c.out = p.kind == c2r ? points : modes;
  for (const auto& [spec, shape] : {std::pair(&c.options.input, &c.in), {&c.options.output, &c.out}})
    if (spec->kind != LayoutSpec::Kind::any) *spec = random_layout(random, *shape, c.ranks);
}

std::string to_string(const Case& c) {
  std::string text = fmt::format("seed {}: {} on {} ranks, input {}{}, output {}{}", c.seed, to_string(c.problem),
                                 c.ranks, to_string(c.options.input), c.padded_in ? " padded" : "",
                                 to_string(c.options.output), c.padded_out ? " padded" : "");
  for (const char* name :
       {"decomposition", "threads", "chunks", "tile", "fuse", "intermediate", "non_temporal", "split"})
    text += fmt::format(", {} '{}'", name, option_text(c.options, name));
  return text;
}

int real_axis(const Problem& problem) {
  if (problem.kind != r2c && problem.kind != c2r) return -1;
  const int dims = problem.shape.dims(), count = problem.axes.empty() ? dims : static_cast<int>(problem.axes.size());
  for (int i = count; i-- > 0;) {
    const auto at = static_cast<std::size_t>(i);
    if (!problem.kinds.empty() && problem.kinds[at] != AxisKind::fourier) continue;
    const int axis = problem.axes.empty() ? i : problem.axes[at];
    return axis < 0 ? axis + dims : axis;
  }
  return -1;
}

namespace {

Index asked(const Coord& fewer, int axis, Index all) { return fewer.dims() > 0 && fewer[axis] > 0 ? fewer[axis] : all; }

}  // namespace

Whole transformed(const Problem& problem, const Whole& x, Direction direction) {
  const bool forward = direction == Direction::forward, analysis = forward == (problem.kind != c2r);
  const bool orthonormal = (forward ? problem.forward : problem.backward) == Scaling::orthonormal;
  const int sign = analysis ? -1 : +1, real = real_axis(problem);
  Whole y = x;
  const auto last_of_all = [&](int axis) { return axis == real && !analysis; };
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const AxisKind kind = problem.kinds.empty() ? AxisKind::fourier : problem.kinds[i];
    const int axis = problem.axes[i];
    const Index n = problem.shape[axis], points = asked(problem.support, axis, n),
                modes = asked(problem.modes, axis, n);
    if (last_of_all(axis)) continue;
    if (kind != AxisKind::fourier)
      y = first_points(
          real_to_real(first_points(y, axis, n), axis, transform_of(analysis ? kind : inverse(kind)), orthonormal),
          axis, analysis ? modes : points);
    else if (analysis)
      y = lowest_modes(dft(first_points(y, axis, n), axis, sign), axis, modes);
    else
      y = first_points(dft(all_modes(y, axis, n), axis, sign), axis, points);
  }
  if (real < 0) return y;
  if (analysis) return half(y, real);
  const Index n = problem.shape[real];
  y = all_modes(complete_hermitian(y, real, asked(problem.modes, real, n)), real, n);
  return first_points(dft(y, real, sign), real, asked(problem.support, real, n));
}

Index LocalMemory::position(std::size_t box, const Coord& at) const {
  Index p = places[box].offset;
  for (int a = 0; a < at.dims(); ++a) p += (at[a] - boxes[box].lo[a]) * places[box].strides[a];
  return p;
}

namespace {

Coord strides_of(const Shape& shape, const std::vector<int>& order) {
  Coord strides = shape;
  Index step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= shape[order[i]];
  }
  return strides;
}

}  // namespace

LocalMemory packed_memory(const Layout& layout, int rank) {
  LocalMemory m{.boxes = layout.boxes(rank)};
  const bool round_robin = layout.spec().kind == LayoutSpec::Kind::cyclic;
  Shape local = m.boxes.empty() ? Shape{} : m.boxes[0].shape();
  if (round_robin && !m.boxes.empty())
    local[layout.spec().axis] =
        round_robin && layout.ranks() > 1 ? static_cast<Index>(m.boxes.size()) : local[layout.spec().axis];
  for (std::size_t b = 0; b < m.boxes.size(); ++b) {
    const Coord strides = strides_of(round_robin ? local : m.boxes[b].shape(), layout.order());
    m.places.push_back({round_robin ? static_cast<Index>(b) * strides[layout.spec().axis] : m.elements, strides});
    if (!round_robin) m.elements += m.boxes[b].count();
  }
  if (round_robin && !m.boxes.empty()) m.elements = product(local);
  return m;
}

LocalMemory padded_memory(const Layout& layout, int rank, std::mt19937_64& random) {
  LocalMemory m{.boxes = layout.boxes(rank)};
  for (const Box& box : m.boxes) {
    Shape padded = box.shape();
    for (int a = 0; a < padded.dims(); ++a) padded[a] += pick(random, 0, 2);
    const Index offset = m.elements + pick(random, 0, 3);
    const auto order = shuffled(random, padded.dims());
    Coord strides = strides_of(padded, order);
    if (chance(random, 0.3))
      for (int a = 0; a < strides.dims(); ++a) strides[a] *= 2;  // every second element
    m.places.push_back({offset, strides});
    Index last = offset;
    for (int a = 0; a < padded.dims(); ++a) last += (box.extent(a) - 1) * strides[a];
    m.elements = last + 1;
  }
  return m;
}

}  // namespace shardfft::testing
