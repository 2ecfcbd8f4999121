// Convolutions tile by tile, and through the spectrum of the whole array.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "answers/beside.hpp"
#include "answers/parts.hpp"
#include "plan/operators/factor_rows.hpp"
#include "shardfft/answers/convolution.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/operators/spectral.hpp"
#include "shardfft/programs/team.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

/// The shortest length from `n` on whose prime factors are 2, 3 and 5.
Index fast_length(Index n) {
  for (Index length = std::max<Index>(n, 1);; ++length) {
    Index rest = length;
    for (const Index prime : {2, 3, 5})
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) return length;
  }
}

int element_bytes(const Convolution& what) { return (what.precision == f32 ? 4 : 8) * (what.complex ? 2 : 1); }

constexpr Index largest_tile = 1 << 23;  ///< elements; each thread has a few arrays of a tile

double operations(const Shape& shape) {
  const auto n = static_cast<double>(product(shape));
  return n * std::log2(std::max(n, 2.0));
}

/// Tiles of the result: each axis is cut into pieces of `step`, the last one shorter.
struct TileGrid {
  TileGrid(const Convolution& what, const Shape& tile) : result(what.result()), step(tile), counts(tile) {
    for (int a = 0; a < result.dims(); ++a) {
      step[a] = tile[a] - what.kernel[a] + 1;
      counts[a] = (result[a] + step[a] - 1) / step[a];
    }
  }
  [[nodiscard]] Box box(Index number) const {
    Box all{step, step};
    for (int a = result.dims(); a-- > 0; number /= counts[a]) {
      all.lo[a] = number % counts[a] * step[a];
      all.hi[a] = std::min(all.lo[a] + step[a], result[a]);
    }
    return all;
  }
  Shape result, step, counts;
};

Index offset_in(const Shape& shape, const Coord& at) {
  Index offset = 0;
  for (int a = 0; a < shape.dims(); ++a) offset = offset * shape[a] + at[a];
  return offset;
}

/// One axis of what a tile reads: stretches of the array, and where they lie in the tile.
struct Stretch {
  Index from, count, at;
};
std::vector<Stretch> stretches(Index from, Index count, Index extent, bool periodic) {
  std::vector<Stretch> all;
  for (Index done = 0; done < count;) {
    const Index place = from + done, inside = periodic ? (place % extent + extent) % extent : place;
    if (inside < 0) {
      done += std::min(count - done, -inside);
    } else if (inside >= extent) {
      break;
    } else {
      const Index length = std::min(count - done, extent - inside);
      all.push_back({inside, length, done});
      done += length;
    }
  }
  return all;
}

Problem problem_of_tile(const Convolution& what, const Shape& tile) {
  return {.shape = tile, .kind = what.complex ? c2c : r2c, .precision = what.precision};
}
Options options_of_tile() { return {.input = slabs(0), .threads = 1, .apply = Apply::to_outputs, .wisdom = false}; }

/// One thread's plan and memory for tiles.
template <class Value>
class TileMaker {
 public:
  TileMaker(const Convolution& what, const Shape& tile)
      : what_(what),
        tile_(tile),
        kept_(what.kept_from()),
        plan_(local(), problem_of_tile(what, tile), options_of_tile()),
        in_(plan_.make_input()),
        out_(plan_.make_applied()),
        packed_(static_cast<std::size_t>(product(tile))) {}

  /// The kernel's unscaled spectrum, in this plan's middle layout.
  [[nodiscard]] Array spectrum_of(View kernel) {
    Options options{.input = slabs(0), .output = plan_.middle().spec(), .threads = 1, .wisdom = false};
    Plan forward(local(), plan_.problem(), options);
    Array spectrum = forward.make_output();
    std::memset(in_.data(), 0, in_.bytes());
    put_part(in_tile(what_.kernel, Coord::filled(tile_.dims(), 0)), static_cast<const std::byte*>(kernel.data),
             in_.data());
    forward.forward(in_, spectrum);
    return spectrum;
  }

  void make(const Box& box, const Array& spectrum, const ReadBox& read, const WriteBox& write) {
    std::memset(in_.data(), 0, in_.bytes());
    std::vector<std::vector<Stretch>> parts;
    for (int a = 0; a < box.dims(); ++a) {
      const Index from = box.lo[a] + kept_[a] - (what_.kernel[a] - 1);
      parts.push_back(stretches(from, box.extent(a) + what_.kernel[a] - 1, what_.array[a],
                                what_.mode == ConvolutionMode::circular));
    }
    Coord counts = tile_;
    for (int a = 0; a < box.dims(); ++a) counts[a] = std::ssize(parts[static_cast<std::size_t>(a)]);
    for_each_position(whole(counts), {}, [&](const Coord& part) {
      Box of_array{tile_, tile_};
      Coord at = tile_;
      for (int a = 0; a < box.dims(); ++a) {
        const Stretch& own = parts[static_cast<std::size_t>(a)][static_cast<std::size_t>(part[a])];
        of_array.lo[a] = own.from, of_array.hi[a] = own.from + own.count, at[a] = own.at;
      }
      read(of_array, bytes());
      put_part(in_tile(of_array.shape(), at), bytes(), in_.data());
    });
    plan_.apply(in_, out_, spectral::convolve(plan_, spectrum));
    Coord at = what_.kernel;
    for (int a = 0; a < box.dims(); ++a) at[a] -= 1;  // before, the tile's end wraps into its start
    take_part(in_tile(box.shape(), at), out_.data(), bytes());
    write(box, bytes());
  }

 private:
  [[nodiscard]] PartOfArray in_tile(const Shape& part, const Coord& at) const {
    return {tile_, part, at, static_cast<Index>(sizeof(Value))};
  }
  [[nodiscard]] std::byte* bytes() { return reinterpret_cast<std::byte*>(packed_.data()); }
  const Convolution& what_;
  Shape tile_;
  Coord kept_;
  Plan plan_;
  Array in_, out_;
  std::vector<Value> packed_;
};

template <class Value>
void make_tiles(const Convolution& what, const ConvolutionWay& way, View kernel, TeamMember share, int threads,
                const ReadBox& read, const WriteBox& write) {
  const TileGrid grid(what, way.tile);
  const Index tiles = product(grid.counts), first = share.begin(tiles), count = share.end(tiles) - first;
  if (count == 0) return;
  std::vector<std::unique_ptr<TileMaker<Value>>> makers;
  for (int t = 0; t < std::min<Index>(team_of(threads), count); ++t)
    makers.push_back(std::make_unique<TileMaker<Value>>(what, way.tile));
  const Array spectrum = makers[0]->spectrum_of(kernel);
  std::atomic<bool> failed = false;  // one error ends all threads
  on_team(static_cast<int>(makers.size()), [&](TeamMember me) {
    try {
      for (Index i = me.begin(count), end = me.end(count); i < end && !failed; ++i)
        makers[static_cast<std::size_t>(me.thread)]->make(grid.box(first + i), spectrum, read, write);
    } catch (...) {
      failed = true;
      throw;
    }
  });
}

/// work(an element of the arrays).
template <class Work>
void with_element(const Convolution& what, const Work& work) {
  if (what.complex)
    what.precision == f32 ? work(std::complex<float>()) : work(std::complex<double>());
  else
    what.precision == f32 ? work(float()) : work(double());
}

}  // namespace

void wrap_kernel(const Layout& layout, int rank, const Shape& kernel, const Coord& centre, View values, View to,
                 int element_bytes) {
  const Shape& all = layout.global();
  const auto element = static_cast<std::size_t>(element_bytes);
  const auto* from = static_cast<const std::byte*>(values.data);
  auto* array = const_cast<std::byte*>(static_cast<const std::byte*>(to.data));  // NOLINT: `to` is written
  for_each_element(layout, rank, [&](Coord at, std::size_t i) {
    for (int a = 0; a < all.dims(); ++a) at[a] = (at[a] + centre[a]) % all[a];
    if (whole(kernel).contains(at))
      std::memcpy(array + i * element, from + static_cast<std::size_t>(offset_in(kernel, at)) * element, element);
    else
      std::memset(array + i * element, 0, element);
  });
}

Shape Convolution::result() const {
  Shape extents = array;
  if (mode == ConvolutionMode::full)
    for (int a = 0; a < array.dims(); ++a) extents[a] += kernel[a] - 1;
  return extents;
}

Coord Convolution::kept_from() const {
  Coord first = Coord::filled(kernel.dims(), 0);
  if (mode == ConvolutionMode::same)
    for (int a = 0; a < kernel.dims(); ++a) first[a] = (kernel[a] - 1) / 2;
  return first;
}

ConvolutionWay way_of(const Convolution& what) {
  if (what.kernel.dims() != what.array.dims())
    refuse_argument(fmt::format("a kernel has as many axes as the array, {}; got {}; give it axes of length 1",
                                what.array.dims(), what.kernel.dims()));
  const Shape result = what.result();
  ConvolutionWay way{.tile = result, .whole = result};
  // Tiles fit into cache, and are longer along the axis that files and memory have in one piece.
  const int last = result.dims() - 1;
  for (int a = 0; a <= last; ++a) {
    const Index least = last == 0 ? 4096 : last == 1 ? (a == last ? 512 : 128) : a == last ? 256 : 32;
    const Index m = what.kernel[a];
    if (m < 1 || what.array[a] < 1)
      refuse_argument(fmt::format("arrays and kernels have elements; got {} and {}", to_string(what.array),
                                  to_string(what.kernel)));
    if (what.mode == ConvolutionMode::circular && m > what.array[a])
      refuse_argument(
          fmt::format("a circular convolution takes a kernel that is no longer than the array; got {} and "
                      "{} along axis {}; take another mode",
                      m, what.array[a], a));
    way.whole[a] = what.mode == ConvolutionMode::circular ? what.array[a] : fast_length(what.array[a] + m - 1);
    // Pieces of about the length that this tile would give, all alike.
    const Index usual = std::max(least, 4 * m) - m + 1, pieces = std::max<Index>(1, (result[a] + usual / 2) / usual);
    way.tile[a] = fast_length((result[a] + pieces - 1) / pieces + m - 1);
  }
  way.cost_tiles = static_cast<double>(product(TileGrid(what, way.tile).counts)) * operations(way.tile);
  // Three transforms instead of two, in memory instead of cache: measured with 512^3 points and kernels of 5^3 to 31^3.
  way.cost_whole = 4.5 * operations(way.whole);
  way.by_tiles = way.cost_tiles < way.cost_whole && product(way.tile) <= largest_tile;
  return way;
}

Index bytes_of_tiles(const Convolution& what, const ConvolutionWay& way, int threads) {
  const Plan look(dry_run(1), problem_of_tile(what, way.tile), options_of_tile());
  const auto of_thread = static_cast<Index>(look.workspace_bytes() + look.input_bytes() + look.applied_bytes());
  return threads * (of_thread + product(way.tile) * element_bytes(what)) + static_cast<Index>(look.middle_bytes()) +
         product(what.kernel) * element_bytes(what);
}

void convolve_tiles(const Convolution& what, const ConvolutionWay& way, View kernel, int rank, int ranks, int threads,
                    const ReadBox& read, const WriteBox& write) {
  require_bytes(kernel, product(what.kernel) * element_bytes(what), "the kernel");
  with_element(what, [&](auto element) {
    make_tiles<decltype(element)>(what, way, kernel, TeamMember{rank, ranks}, threads, read, write);
  });
}

void convolve_whole(const Comm& comm, const Convolution& what, const LayoutSpec& layout, View in, View kernel, View out,
                    int threads) {
  collectively(comm, [&] { require_bytes(kernel, product(what.kernel) * element_bytes(what), "the kernel"); });
  const Problem problem{.shape = way_of(what).whole, .kind = what.complex ? c2c : r2c, .precision = what.precision};
  Options options{.input = layout, .threads = threads};
  // The bits depend on this order, and must not depend on how many ranks there are.
  for (int axis = problem.shape.dims(); axis-- > 0;) options.expert.axis_order.push_back(axis);
  Problem of_array = problem, of_result = problem;
  of_array.support = what.array;
  of_result.support = what.result();
  Plan there(comm, of_array, options);
  options.output = there.output().spec();
  Array spectrum, factors;
  collectively(comm, [&] { spectrum = there.make_output(), factors = there.make_output(); });
  there.forward(in, spectrum);
  {
    Plan of_kernel(comm, problem, options);
    Array placed;
    collectively(comm, [&] {
      placed = of_kernel.make_input();
      wrap_kernel(of_kernel.input(), comm.rank(), what.kernel, what.kept_from(), kernel, placed, element_bytes(what));
    });
    of_kernel.forward(placed, factors);
  }
  const auto multiply = [&](auto number) {
    using Value = std::complex<decltype(number)>;
    const auto values = spectrum.as<Value>(), by = factors.as<Value>();
    multiply_row(values.data(), by.data(), static_cast<Index>(values.size()));
  };
  what.precision == f32 ? multiply(float()) : multiply(double());
  Plan back(comm, of_result, options);
  back.backward(spectrum, out);
}

}  // namespace shardfft
