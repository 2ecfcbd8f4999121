#include "sweep/sweep.hpp"

#include <omp.h>

#include <algorithm>

#include "sweep/move.hpp"
#include "sweep/pencils.hpp"
#include "sweep/rows.hpp"
#include "sweep/tile_moves.hpp"
#include "sweep/tiles.hpp"
#include "sweep/units.hpp"

namespace shardfft {
namespace {

constexpr std::size_t align(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// Pencils across planes have each element in a page of its own. From some length on these are more than the processor keeps at hand, and a kernel's tile does not stay in
// the first-level cache anyway: there several kernels' pencils are taken from each page at once. Elsewhere that is slower (docs/performance.md).
int tile_that_suits(const SweepSpec& spec, const SweepAxis& axis) {
  constexpr Index page = 4096, many_pages = 512;
  constexpr std::size_t most_kernels = 4, most_bytes = 1 << 20;  // of their buffers, which stay in the second-level cache
  const auto across = [&](const std::vector<Patch>& patches) { return !patches.empty() && patches.front().strides[axis.axis] >= page; };
  if (spec.axes.size() > 1 || axis.kernel->in().length < many_pages || !(across(spec.from) || across(spec.to))) return 0;
  const std::size_t fit = most_bytes / (2 * std::max<std::size_t>(axis.kernel->buffer_bytes(), 1));
  return axis.kernel->in().pencils * static_cast<int>(std::clamp<std::size_t>(fit, 1, most_kernels));
}

// What one thread needs to itself.
struct Worker {
  Rows from{}, to{};
  std::size_t scratch = 0;  // offset of its tile buffers; its plane follows them
};

}  // namespace

struct Sweep::Impl {
  SweepSpec spec;
  std::vector<TilePass> passes;            // one per axis
  std::vector<Units> units;                // one per chunk
  Coord plane_strides{};                   // fused sweeps: memory of the plane between the transforms
  std::size_t tile_bytes = 0, plane = 0;   // per thread
  mutable std::vector<Worker> workers;

  Index element(bool complex) const { return static_cast<Index>(size_of(spec.scalar)) * (complex ? 2 : 1); }
  void prepare_planes();
  int team(int chunk) const;
  void run_units(int thread, int chunk, const Buffers& buffers, std::byte* scratch, const std::function<void()>* poll) const;
  void run_planes(const Box& unit, Worker& w, const Bases& bases, std::byte* tiles) const;
  void run_pencils(const Units& all, Index first, Index last, Worker& w, const Bases& bases, std::byte* tiles, const std::function<void()>* poll) const;
  void run_moves(const Box& unit, const Bases& bases) const;
};

Sweep::Sweep(SweepSpec s) : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.spec = std::move(s);
  const SweepSpec& spec = m.spec;
  for (const SweepAxis& axis : spec.axes) {
    m.passes.emplace_back(spec.scalar, axis, spec.tile > 0 ? spec.tile : tile_that_suits(spec, axis));
    m.tile_bytes = std::max(m.tile_bytes, m.passes.back().buffer_bytes());
  }
  m.tile_bytes = align(m.tile_bytes);
  for (const auto& boxes : spec.chunks) m.units.emplace_back(boxes, spec, m.passes);
  if (spec.axes.size() > 1) m.prepare_planes();
  m.workers.resize(static_cast<std::size_t>(spec.threads));
  for (std::size_t t = 0; t < m.workers.size(); ++t) {
    m.workers[t].from.reserve(std::max<std::size_t>(spec.from.size(), 1));
    m.workers[t].to.reserve(std::max<std::size_t>(spec.to.size(), 1));
    m.workers[t].scratch = t * (m.tile_bytes + m.plane);
  }
}

Sweep::~Sweep() = default;
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;

void Sweep::Impl::prepare_planes() {
  Shape largest{};
  for (const Units& u : units) largest = u.largest_unit(largest);
  if (largest.dims() == 0) return;
  largest[spec.axes.front().axis] = passes.front().length_out();
  std::vector<int> order;
  for (int a = 0; a < largest.dims(); ++a) order.push_back(a);
  plane_strides = packed_strides(largest, order, element(true), true);
  plane = align(static_cast<std::size_t>(packed_bytes(largest, plane_strides, element(true))));
}

std::size_t Sweep::scratch_bytes() const { return impl_->workers.size() * (impl_->tile_bytes + impl_->plane); }
const SweepSpec& Sweep::spec() const { return impl_->spec; }

Index Sweep::bytes_read() const {
  Index n = 0;
  for (const auto& boxes : impl_->spec.chunks)
    for (const Box& box : boxes) n += box.count();
  return n * impl_->element(impl_->spec.complex_in);
}

Index Sweep::bytes_written() const {
  Index n = 0;
  for (const auto& boxes : impl_->spec.chunks)
    for (Box box : boxes) {
      for (const TilePass& pass : impl_->passes) box = pass.after(box);
      n += box.count();
    }
  return n * impl_->element(impl_->spec.complex_out);
}

void Sweep::run(int chunk, const Buffers& buffers, std::byte* scratch, const std::function<void()>& poll) const {
  const Impl& m = *impl_;
  const std::function<void()>* help = poll ? &poll : nullptr;
  const int threads = m.team(chunk);
  if (threads == 1) {  // no OpenMP region at all: ranks that are threads themselves stay free of its runtime
    m.run_units(0, chunk, buffers, scratch, help);
  } else {
#pragma omp parallel num_threads(threads)
    m.run_units(omp_get_thread_num(), chunk, buffers, scratch, omp_get_thread_num() == 0 ? help : nullptr);
  }
}

// As many threads as have something to do; waking one costs as much as this many elements.
int Sweep::Impl::team(int chunk) const {
  constexpr Index worth_a_thread = 1024;
  const Units& all = units[static_cast<std::size_t>(chunk)];
  return static_cast<int>(std::min<Index>({spec.threads, std::max<Index>(all.count(), 1), 1 + all.elements() / worth_a_thread}));
}

// Static shares: thread t does the units of its part, so that a page is touched by the same thread in every run.
void Sweep::Impl::run_units(int thread, int chunk, const Buffers& buffers, std::byte* scratch, const std::function<void()>* poll) const {
  const Units& all = units[static_cast<std::size_t>(chunk)];
  const int sharers = team(chunk) == 1 ? 1 : omp_get_num_threads();
  const Index first = all.count() * thread / sharers, last = all.count() * (thread + 1) / sharers;
  Worker& w = workers[static_cast<std::size_t>(thread)];
  std::byte* tiles = scratch + w.scratch;
  const Bases bases{const_cast<std::byte*>(buffers.input), buffers.output, tiles + tile_bytes};
  if (spec.axes.size() == 1) {
    run_pencils(all, first, last, w, bases, tiles, poll);
  } else {
    for (Index u = first; u < last; ++u) {
      const Box unit = all.unit(u);
      if (spec.axes.empty())
        run_moves(unit, bases);
      else
        run_planes(unit, w, bases, tiles);
      if (poll) (*poll)();
    }
  }
  if (spec.stream) stream_fence();
}

void Sweep::Impl::run_pencils(const Units& all, Index first, Index last, Worker& w, const Bases& bases, std::byte* tiles,
                              const std::function<void()>* poll) const {
  constexpr Index between_polls = 8;
  const Box* box = nullptr;
  for (Index u = first; u < last; ++u) {
    const TileOf tile = all.tile(u, bases);
    if (tile.count == 0) continue;
    if (tile.box != box) {
      box = tile.box;
      w.from.select(spec.from, *box, *tile.walk, bases);
      w.to.select(spec.to, passes[0].after(*box), *tile.walk, bases);
    }
    passes[0].run(*box, *tile.walk, tile.first, tile.count, w.from, w.to, tiles, spec.scale, spec.stream);
    if (poll && (u - first) % between_polls == 0) (*poll)();
  }
}

void Sweep::Impl::run_planes(const Box& unit, Worker& w, const Bases& bases, std::byte* tiles) const {
  Box in = unit;
  const Patch plane_patch{.box = passes.front().after(unit), .base = Base::plane, .strides = plane_strides};
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const bool first = i == 0, last = i + 1 == passes.size();
    const Coord& from_strides = first ? spec.from.front().strides : plane_strides;
    const Coord& to_strides = last ? spec.to.front().strides : plane_strides;
    const Walk walk = choose_walk(in, passes[i].axis(), passes[i].kernel_pencils(), from_strides, to_strides);
    const Box out = passes[i].after(in);
    first ? w.from.select(spec.from, in, walk, bases) : w.from.select(plane_patch, walk, bases);
    last ? w.to.select(spec.to, out, walk, bases) : w.to.select(plane_patch, walk, bases);
    const Tiling tiling(in, walk, passes[i].pencils());
    for (Index t = 0; t < tiling.count(); ++t)
      passes[i].run(in, walk, tiling.first(t), tiling.size(t), w.from, w.to, tiles, last ? spec.scale : 1.0, last && spec.stream);
    in = out;
  }
}

void Sweep::Impl::run_moves(const Box& unit, const Bases& bases) const {
  const auto at = [&](const Patch& patch, const Coord& lo) {
    std::byte* p = bases.start(patch);
    for (int a = 0; a < lo.dims(); ++a) p += (lo[a] - patch.box.lo[a]) * patch.strides[a];
    return p;
  };
  for (const Patch& from : spec.from) {
    const Box part = intersect(from.box, unit);
    if (part.empty()) continue;
    for (const Patch& to : spec.to)
      if (const Box both = intersect(part, to.box); !both.empty())
        copy_box(at(from, both.lo), from.strides, at(to, both.lo), to.strides, both.shape(), element(spec.complex_in), spec.stream);
  }
}

}  // namespace shardfft
