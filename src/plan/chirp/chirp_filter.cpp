#include "plan/chirp/chirp_filter.hpp"

#include <algorithm>
#include <complex>
#include <span>
#include <vector>

#include "shardfft/plan.hpp"
#include "sweep/row_chirp.hpp"

namespace shardfft {
namespace {

Layout middle_layout(const std::vector<Stage>& stages) {
  const Stage& stage = *std::ranges::find_if(stages, [](const Stage& s) { return s.operates.has_value(); });
  Layout layout = stage.in;
  for (std::size_t i = 0; i < stage.operates->before; ++i)
    layout = with_extent(layout, stage.axes[i].axis, stage.axes[i].length_out());
  return layout;
}

/// re, im of the spectrum, in the places of the modes.
template <class T>
using Table = std::shared_ptr<const std::vector<T>>;

template <class T>
Operator product_with(Table<T> table, bool conjugated) {
  return Operator([table = std::move(table), sign = conjugated ? T(-1) : T(1)](const Modes& modes) {
    const T* factor = table->data() + 2 * modes.place;
    for (std::complex<T>& x : modes.values<T>()) {
      const T fr = factor[0], fi = sign * factor[1];
      x = {x.real() * fr - x.imag() * fi, x.real() * fi + x.imag() * fr};
      factor += 2 * modes.step;
    }
  });
}

/// conj(c(j)) of index j = row * r + b at (r, b), -rows < r < rows, -row < b < row, counted around; 0 elsewhere. `box`:
/// whole rows, which are contiguous.
void fill_with_chirp(const ChirpedAxis& a, const Box& box, std::span<double> numbers) {
  std::ranges::fill(numbers, 0.0);
  std::vector<double> chirp(static_cast<std::size_t>(4 * a.row - 2));
  for (Index at = box.lo[a.axis]; at < box.hi[a.axis]; ++at) {
    const Index r = at < a.rows ? at : at - a.tall;
    if (r <= -a.rows) continue;
    store_chirp(a.n, r * a.row - (a.row - 1), 2 * a.row - 1, chirp.data());
    double* const row = numbers.data() + 2 * (at - box.lo[a.axis]) * a.wide;
    for (Index b = 1 - a.row; b < a.row; ++b) {
      const double* const from = chirp.data() + 2 * (b + a.row - 1);
      double* const to = row + 2 * (b < 0 ? b + a.wide : b);
      to[0] = from[0], to[1] = -from[1];
    }
  }
}

/// Divided by the number of its elements, as the convolution asks for.
template <class T>
Table<T> spectrum_of_chirp(const Comm& comm, const Recipe& recipe, const Layout& middle) {
  const ChirpedAxis& a = *recipe.chirped;
  Options options{.input = slabs(a.axis), .output = middle.spec(), .threads = recipe.given.threads, .wisdom = false};
  options.expert.engine = recipe.given.expert.engine;
  options.expert.transport = recipe.given.expert.transport;
  options.expert.split = SplitAxis::never;
  Plan plan(comm, {.shape = middle.global(), .axes = {a.axis, a.axis + 1}}, options);
  Array chirp = plan.make_input(), spectrum = plan.make_output();
  for (const Box& box : plan.input().boxes(comm.rank())) fill_with_chirp(a, box, chirp.as<double>());
  plan.forward(chirp, spectrum);
  const std::span<const double> numbers = spectrum.as<double>();
  const double scale = 1 / (static_cast<double>(a.tall) * static_cast<double>(a.wide));
  auto table = std::make_shared<std::vector<T>>(numbers.size());
  std::ranges::transform(numbers, table->begin(), [scale](double number) { return static_cast<T>(number * scale); });
  return table;
}

template <class T>
ChirpFilters make_filters(const Comm& comm, const Recipe& recipe) {
  const Layout there = middle_layout(recipe.analysis), back = middle_layout(recipe.synthesis);
  const Table<T> table = spectrum_of_chirp<T>(comm, recipe, there);
  return {
      .forward = product_with<T>(table, false),
      .backward = product_with<T>(back.same_owners(there) ? table : spectrum_of_chirp<T>(comm, recipe, back), true)};
}

}  // namespace

ChirpBytes chirp_bytes(const Recipe& recipe, int ranks) {
  if (!recipe.chirped) return {};
  constexpr Index complex_f64 = 16, directions = 2, arrays = 2;
  const ChirpedAxis& a = *recipe.chirped;
  const Index modes = a.tall * a.wide / ranks + 1, chirps = 2 * directions * (a.rows * a.row / ranks + a.row),
              spectra = middle_layout(recipe.analysis).same_owners(middle_layout(recipe.synthesis)) ? 1 : directions;
  return {.tables = spectra * modes * 2 * static_cast<Index>(size_of(recipe.problem.scalar)) + chirps * complex_f64,
          .making = arrays * modes * complex_f64};
}

std::shared_ptr<const MiddleArray> middle_of_chirp(const Recipe& recipe, bool analysis, int rank) {
  const Layout layout = middle_layout(analysis ? recipe.analysis : recipe.synthesis);
  const int dims = layout.global().dims();
  MiddleArray middle{.precision = recipe.problem.asked.precision,
                     .wave = std::vector<std::vector<double>>(static_cast<std::size_t>(dims)),
                     .owners = Coord::filled(dims, 1),
                     .places = CallerArray{.layout = layout}.default_patches(rank, Base::fixed, recipe.problem.scalar)};
  const Index element = middle.precision == f32 ? 8 : 16;
  for (Patch& patch : middle.places) {
    patch.offset /= element;
    for (int axis = 0; axis < dims; ++axis) patch.strides[axis] /= element;
  }
  return std::make_shared<const MiddleArray>(std::move(middle));
}

ChirpFilters make_chirp_filters(const Comm& comm, const Recipe& recipe) {
  return recipe.problem.scalar == Scalar::f32 ? make_filters<float>(comm, recipe) : make_filters<double>(comm, recipe);
}

}  // namespace shardfft
