#include "passes/choose.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "files/disk/direct_file.hpp"
#include "files/file_runs.hpp"
#include "support/memory/buffer.hpp"

namespace shardfft::files {
namespace {

constexpr Index deciding_pencils = 8;
constexpr double bytes_of_call = 128 << 10;  ///< a read or write takes as long as so many bytes more

Index element_bytes(const FileTransform& t, bool complex) { return plan_dtype(t.problem.precision, complex).size; }

/// The array between two passes: after the first `done` axes of the order are transformed, or, on the way back from
/// the operator, but for those. `moved`: the factors of a split axis lie far apart in a file; one more pass that only
/// moves elements makes long reads of many short ones.
struct Stop {
  std::size_t done = 0;
  bool back = false;
  bool moved = false;
};

/// In the order in which passes reach them; the first is that of the file, the last that of the result.
std::vector<Stop> stops_of(const FileTransform& t) {
  std::vector<Stop> stops;
  const std::size_t axes = t.order.size();
  if (t.split) return {{0}, {.done = 0, .moved = true}, {1}, {2}, {.done = 2, .moved = true}};
  for (std::size_t done = 0; done < axes; ++done) stops.push_back({done});
  if (!t.applies) stops.push_back({axes});
  for (std::size_t done = axes; t.applies && done-- > 0;) stops.push_back({done, true});
  return stops;
}

Shape shape_at(const FileTransform& t, const Stop& stop) {
  Shape shape = t.in;
  for (std::size_t i = 0; i < stop.done; ++i) shape[t.order[i]] = t.far[t.order[i]];
  return shape;
}
bool complex_at(const FileTransform& t, const Stop& stop) {
  if (stop.done == 0) return t.complex_in;
  return t.applies || stop.done < t.order.size() ? t.problem.kind != r2r : t.complex_out;
}

/// Without parts; none where no single pass leads from one stop to the other.
std::optional<Pass> pass_of(const FileTransform& t, const Stop& from, const Stop& to, bool of_file, bool is_result) {
  if (t.split && to.done > from.done + 1) return std::nullopt;
  Pass pass{.in = shape_at(t, from), .out = shape_at(t, to)};
  const auto axes = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) pass.axes.push_back(t.order[i]);
  };
  if (from.back == to.back) {
    pass.work = from.back || t.direction == Direction::backward ? Work::backward : Work::forward;
    axes(std::min(from.done, to.done), std::max(from.done, to.done));
    if (from.back) std::ranges::reverse(pass.axes);
  } else if (from.done == to.done) {
    pass.work = Work::apply;
    axes(from.done, t.order.size());
  } else {
    return std::nullopt;
  }
  pass.complex_in = complex_at(t, from);
  pass.complex_out = complex_at(t, to);
  pass.parts = Coord::filled(pass.in.dims(), 1);
  pass.in_place = pass.in == pass.out && pass.complex_in == pass.complex_out && !t.keeps_input &&
                  (!of_file || t.file_order == c_order(pass.in.dims())) &&
                  (!is_result || t.result_order == c_order(pass.out.dims()));
  pass.meets = t.two && (pass.work == Work::apply || (t.reduces && to.done == t.order.size()));
  return pass;
}

Index pencils(const Shape& shape, int axis) { return product(shape) / shape[axis]; }

/// Whether lengths are computed as in the transform of the whole array.
bool has_the_pencils(const FileTransform& t, const Pass& pass) {
  const Shape least = tile_problem(t, pass, pass.tile_in(pass.tiles() - 1).shape()).shape;
  return std::ranges::all_of(pass.axes, [&](int axis) {
    return pencils(least, axis) >= std::min(deciding_pencils, pencils(t.problem.shape, axis));
  });
}

/// Cuts `axis` into as few parts as fit; false where none do.
bool cut_to_fit(const FileTransform& t, Pass& pass, int axis, Index bytes) {
  const auto fits = [&](Index parts) {
    pass.parts[axis] = parts;
    return ring_of(t, pass).bytes() <= bytes;
  };
  Index least = 1, most = pass.in[axis];
  if (!fits(most)) return false;
  while (least < most)
    if (const Index middle = least + (most - least) / 2; fits(middle))
      most = middle;
    else
      least = middle + 1;
  return fits(least);
}

/// Cuts the first of the axes that may be cut, in this order, to single elements, then one until the tile fits, and
/// perhaps one of the others into some parts.
void add_tiles(const FileTransform& t, const Pass& whole_pass, const std::vector<int>& free, Index bytes,
               std::vector<Pass>& found) {
  const auto add = [&](Pass pass, int axis) {
    if (cut_to_fit(t, pass, axis, bytes) && has_the_pencils(t, pass)) found.push_back(std::move(pass));
  };
  Pass pass = whole_pass;
  for (std::size_t i = 0; i < free.size(); ++i) {
    add(pass, free[i]);
    for (std::size_t j = i + 1; j < free.size(); ++j)
      for (Index parts = 2; parts <= pass.in[free[j]]; parts *= 2) {
        Pass other = pass;
        other.parts[free[j]] = parts;
        add(other, free[i]);
      }
    pass.parts[free[i]] = pass.in[free[i]];
  }
}

/// Tiles that begin where chunks do, along the axes along which they are longer.
void align_to_chunks(const FileTransform& t, Pass& pass) {
  const Shape most = pass.tile_in(0).shape();
  pass.grain = Coord::filled(pass.in.dims(), 1);
  for (int a = 0; a < pass.in.dims(); ++a) {
    const Index chunk = t.chunks.extents[a], aligned = most[a] / chunk * chunk;
    if (pass.parts[a] == 1 || aligned == 0) continue;
    pass.grain[a] = chunk;
    pass.parts[a] = (pass.in[a] + aligned - 1) / aligned;
  }
}

std::vector<Pass> passes_that_fit(const FileTransform& t, const Pass& pass, Index bytes, bool of_file) {
  std::vector<int> free;
  for (int a = 0; a < pass.in.dims(); ++a)
    if (!pass.does(a) && pass.in[a] > 1) free.push_back(a);
  std::vector<Pass> found;
  if (ring_of(t, pass).bytes() <= bytes) found.push_back(pass);
  add_tiles(t, pass, free, bytes, found);
  std::ranges::reverse(free);  // for files in Fortran order
  if (free.size() > 1) add_tiles(t, pass, free, bytes, found);
  for (std::size_t i = 0, any = found.size(); of_file && t.chunks.extents.dims() > 0 && i < any; ++i) {
    Pass aligned = found[i];
    align_to_chunks(t, aligned);
    if (ring_of(t, aligned).bytes() <= bytes && has_the_pencils(t, aligned)) found.push_back(std::move(aligned));
  }
  return found;
}

/// Chunks that tiles read, those that lie in several of them as often, about.
double chunks_to_read(const FileTransform& t, const Pass& pass) {
  double all = 1;
  for (int a = 0; a < pass.in.dims(); ++a) {
    const Index chunk = t.chunks.extents[a], chunks = (pass.in[a] + chunk - 1) / chunk;
    const bool aligned = chunk == 1 || (pass.grain.dims() > 0 && pass.grain[a] % chunk == 0);
    all *= static_cast<double>(aligned ? chunks : chunks + pass.parts[a] - 1);
  }
  return all;
}

double calls_of_file(const Pass& pass, const Box& tile, const Shape& shape, const std::vector<int>& order) {
  return static_cast<double>(pass.tiles()) * static_cast<double>(FileRuns(tile, shape, order).count());
}
double calls_to_read(const FileTransform& t, const Pass& pass) {
  if (t.chunks.extents.dims() > 0) return chunks_to_read(t, pass);
  return calls_of_file(pass, pass.tile_in(0), pass.in, t.file_order);
}
double calls_to_write(const FileTransform& t, const Pass& pass) {
  return calls_of_file(pass, pass.tile_out(0), pass.out, t.result_order);
}
/// About as many as Cells::count(), which looks at every line.
double cells_between(const Pass& before, const Pass& after) {
  double cells = 1;
  for (int a = 0; a < after.in.dims(); ++a) {
    const Index p = before.parts[a], q = after.parts[a];
    cells *= static_cast<double>(p == q ? p : std::min(p + q - 1, after.in[a]));
  }
  return cells;
}

double bytes_in(const FileTransform& t, const Pass& pass) {
  return static_cast<double>(product(pass.in) * element_bytes(t, pass.complex_in));
}
/// What reading costs, in bytes that the disk reads in that time.
double bytes_to_read(const FileTransform& t, const Pass& pass) {
  if (t.chunks.extents.dims() == 0) return bytes_in(t, pass);
  double in_chunks = chunks_to_read(t, pass) * element_bytes(t, pass.complex_in);
  for (const Index extent : t.chunks.extents) in_chunks *= static_cast<double>(extent);
  return bytes_in(t, pass) + t.chunks.cost * in_chunks;
}
double bytes_out(const FileTransform& t, const Pass& pass) {
  return static_cast<double>(product(pass.out) * element_bytes(t, pass.complex_out));
}

/// The last pass of a way from the file to here.
struct Reached {
  Pass pass{};
  double cost = std::numeric_limits<double>::infinity();
  std::size_t place = 0, before = 0;  ///< which one before it: of those that end at `place`
};
using Places = std::vector<std::vector<Reached>>;

Reached reach(const FileTransform& t, const Places& places, std::size_t from, const Pass& pass) {
  Reached next{.pass = pass, .place = from};
  if (from == 0) next.cost = bytes_of_call * calls_to_read(t, pass);
  for (std::size_t i = 0; i < places[from].size(); ++i) {
    const Reached& last = places[from][i];
    const double cost = last.cost + 2 * bytes_of_call * cells_between(last.pass, pass);
    if (cost < next.cost) next.cost = cost, next.before = i;
  }
  next.cost += (from == 0 ? bytes_to_read(t, pass) : bytes_in(t, pass)) + bytes_out(t, pass);
  return next;
}

std::vector<Pass> way_to(const Places& places, const Reached* last) {
  std::vector<Pass> passes{last->pass};
  while (last->place > 0) {
    last = &places[last->place][last->before];
    passes.push_back(last->pass);
  }
  std::ranges::reverse(passes);
  return passes;
}

/// Cuts the last pass where its tiles begin at multiples of direct_alignment in the file, if that makes them little
/// smaller. Files have their data at such a place.
void align_result(const FileTransform& t, Pass& last, Index bytes) {
  Index stride = element_bytes(t, last.complex_out);  // of the fastest axis that is cut
  auto fastest = t.result_order.rbegin();
  while (fastest != t.result_order.rend() && last.parts[*fastest] == 1) stride *= last.out[*fastest++];
  if (fastest == t.result_order.rend() || last.grain.dims() > 0) return;
  const int axis = *fastest;
  if (stride * last.out[axis] % direct_alignment != 0) return;
  const Index unit = direct_alignment / std::gcd(direct_alignment, stride), n = last.out[axis];
  const Index extent = last.tile_out(0).extent(axis), aligned = extent / unit * unit;
  if (unit == 1 || aligned < extent - extent / 4) return;
  Pass cut = last;
  cut.grain = Coord::filled(last.out.dims(), 1);
  cut.grain[axis] = unit;
  cut.parts[axis] = (n + aligned - 1) / aligned;
  if (ring_of(t, cut).bytes() <= bytes && has_the_pencils(t, cut)) last = cut;
}

}  // namespace

Problem tile_problem(const FileTransform& t, const Pass& pass, const Shape& tile_in) {
  const Problem& all = t.problem;
  Problem p = all;
  p.shape = tile_in;
  p.axes.clear(), p.kinds.clear();
  for (Coord* kept : {&p.modes, &p.support})
    if (kept->dims() > 0) *kept = Coord::filled(p.shape.dims(), 0);
  for (std::size_t i = 0; i < all.axes.size(); ++i) {
    const int axis = all.axes[i];
    if (!pass.does(axis)) continue;
    p.shape[axis] = all.shape[axis];
    if (all.modes.dims() > 0) p.modes[axis] = all.modes[axis];
    if (all.support.dims() > 0) p.support[axis] = all.support[axis];
    p.axes.push_back(axis);
    if (!all.kinds.empty()) p.kinds.push_back(all.kinds[i]);
  }
  if (all.kind == r2c && !pass.does(t.real_axis)) p.kind = c2c;
  if (p.axes.empty()) p.kind = Kind::move;
  return p;
}

Index Ring::bytes() const {
  const auto taken = [](Index bytes) { return static_cast<Index>(allocated_bytes(static_cast<std::size_t>(bytes))); };
  return (before + second) * taken(bytes_before) + after * taken(bytes_after) + taken(bytes_spectrum);
}

Ring ring_of(const FileTransform& t, const Pass& pass) {
  const Index most = std::min<Index>(pass.tiles(), pass.in_place ? 3 : 2);
  Ring ring{.before = most,
            .after = pass.in_place ? 0 : most,
            .bytes_before = pass.tile_in(0).count() * element_bytes(t, pass.complex_in),
            .bytes_after = pass.tile_out(0).count() * element_bytes(t, pass.complex_out)};
  if (!pass.meets) return ring;
  const Pass second = second_of(t, pass);
  ring.second = std::min<Index>(pass.tiles(), 2);
  ring.bytes_spectrum = second.tile_out(0).count() * element_bytes(t, second.complex_out);
  return ring;
}

Pass second_of(const FileTransform& t, const Pass& meeting) {
  Pass second = meeting;
  second.work = Work::forward;
  second.meets = second.in_place = false;
  for (const int axis : second.axes) second.out[axis] = t.far[axis];
  second.complex_out = t.problem.kind != r2r;
  return second;
}

std::optional<std::vector<Pass>> choose_passes(const FileTransform& t, Index bytes) {
  const std::vector<Stop> stops = stops_of(t);
  const std::size_t last = stops.size() - 1;
  Places places(stops.size());
  for (std::size_t to = 1; to <= last; ++to)
    for (std::size_t from = 0; from < to; ++from) {
      const std::optional<Pass> whole_pass = pass_of(t, stops[from], stops[to], from == 0, to == last);
      if (!whole_pass || (from > 0 && places[from].empty())) continue;
      for (const Pass& pass : passes_that_fit(t, *whole_pass, bytes, from == 0)) {
        places[to].push_back(reach(t, places, from, pass));
        if (to == last && !t.reduces) places[to].back().cost += bytes_of_call * calls_to_write(t, pass);
      }
    }
  const auto best = std::ranges::min_element(places[last], {}, &Reached::cost);
  if (best == places[last].end()) return std::nullopt;
  std::vector<Pass> passes = way_to(places, &*best);
  if (!t.reduces) align_result(t, passes.back(), bytes);
  return passes;
}

Moved moved_by(const FileTransform& t, const std::vector<Pass>& passes) {
  Moved all{.calls = t.reduces ? 0 : calls_to_write(t, passes.back())};
  bool alone = !t.two;  // behind the pass in which two arrays meet there is one
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const double readers = alone ? 1 : 2;
    all.read += readers * bytes_in(t, passes[i]);
    all.calls +=
        readers * (i == 0 ? calls_to_read(t, passes[i]) : static_cast<double>(Cells(passes[i - 1], passes[i]).count()));
    alone = alone || passes[i].meets;
    const double writers = alone ? 1 : 2;
    if (i + 1 == passes.size()) {
      if (!t.reduces) all.written += bytes_out(t, passes[i]);
      break;
    }
    all.written += writers * bytes_out(t, passes[i]);
    all.calls += writers * static_cast<double>(Cells(passes[i], passes[i + 1]).count());
  }
  return all;
}

}  // namespace shardfft::files
