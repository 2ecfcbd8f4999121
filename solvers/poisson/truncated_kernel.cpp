#include "poisson/truncated_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <math.h>

#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"
#include "shardfft/operators/elementary.hpp"
#include "shardfft/operators/formula.hpp"

namespace shardfft::solvers {
namespace {

double squared(double x) { return x * x; }

/// Transform of 1/(4 pi r), or -log(r)/(2 pi), within the radius, at wave number s (Vico, Greengard, Ferrando).
double spectrum(int dims, double s, double radius) {
  const double x = s * radius;
  if (dims == 3) return s == 0 ? radius * radius / 2 : 2 * squared(nearest_sin(x / 2) / s);
  const double log_part = radius * std::log(radius);
  if (s == 0) return radius * radius / 4 - log_part * radius / 2;
  return (1 - ::j0(x)) / (s * s) - log_part * ::j1(x) / s;
}

/// The least number from n on whose prime factors are 2, 3 and 5.
Index next_fast(Index n) {
  const auto is_fast = [](Index m) {
    for (const Index p : {2, 3, 5})
      while (m % p == 0) m /= p;
    return m == 1;
  };
  while (!is_fast(n)) ++n;
  return n;
}

/// Reals that lie like this.
struct Field {
  Layout layout{};
  Array values{};
};

/// The kernel at distances 0 .. n along each axis, on this rank, times the volume of a cell: a sum over wave numbers
/// whose period is so long that copies of the kernel do not reach these distances.
Field sample(const Comm& comm, const KernelBox& box, int threads) {
  const int dims = box.shape.dims();
  const double radius = kernel_radius(box);
  Shape half = box.shape, modes = box.shape;  // half of the period
  std::vector<double> step;
  for (int a = 0; a < dims; ++a) {
    const double h = box.spacing[static_cast<std::size_t>(a)];
    half[a] = next_fast(static_cast<Index>(std::ceil((radius / h + static_cast<double>(box.shape[a])) / 2)));
    step.push_back(std::numbers::pi / (static_cast<double>(half[a]) * h));
    half[a] += 1;
    modes[a] += 1;
  }
  Plan plan(comm,
            {.shape = half,
             .kind = r2r,
             .forward = Scaling::by_n,
             .kinds = std::vector<AxisKind>(static_cast<std::size_t>(dims), AxisKind::cosine1),
             .modes = modes},
            {.output = slabs(0), .threads = threads, .destroy_input = true});
  Array waves;
  Field sampled{.layout = plan.output(), .values = {}};
  collectively(comm, [&] {
    waves = plan.make_input();
    sampled.values = plan.make_output();
    for_each_element(plan.input(), comm.rank(), [&](const Coord& at, std::size_t i) {
      double s2 = 0;
      for (int a = 0; a < dims; ++a) s2 += squared(step[static_cast<std::size_t>(a)] * static_cast<double>(at[a]));
      waves.as<double>()[i] = spectrum(dims, std::sqrt(s2), radius);
    });
  });
  plan.forward(waves, sampled.values);
  return sampled;
}

/// Its spectrum, in slabs along the last axis: the cosine transform of half of an even function.
Field transformed(const Comm& comm, const Field& kernel, int threads) {
  const Shape& shape = kernel.layout.global();
  Plan plan(comm,
            {.shape = shape,
             .kind = r2r,
             .kinds = std::vector<AxisKind>(static_cast<std::size_t>(shape.dims()), AxisKind::cosine1)},
            {.input = slabs(0), .output = slabs(-1), .threads = threads});
  Field result{.layout = plan.output(), .values = {}};
  collectively(comm, [&] { result.values = plan.make_output(); });
  plan.forward(kernel.values, result.values);
  return result;
}

/// Axes but the last one that ranks share: along them k and -k may belong to different ranks, and both are stored.
std::vector<bool> shared_axes(const Layout& modes) {
  std::vector<bool> shared;
  for (int a = 0; a < modes.global().dims(); ++a)
    shared.push_back(a + 1 < modes.global().dims() && modes.grid()[a] > 1);
  return shared;
}

/// Distance from 0 of mode k of 2 n; modes beyond n are -1, -2, ...
Index mirrored(Index k, Index n) { return k <= n ? k : 2 * n - k; }

/// With all 2 n modes along the shared axes. No rank needs another's: slabs are cut along the last axis.
Field extended(const Comm& comm, Field half, const Shape& n, const std::vector<bool>& shared) {
  Shape shape = half.layout.global();
  for (int a = 0; a < shape.dims(); ++a)
    if (shared[static_cast<std::size_t>(a)]) shape[a] = 2 * n[a];
  if (shape == half.layout.global()) return half;
  Field result{.layout = Layout(slabs(-1), shape, comm.size()), .values = {}};
  collectively(comm, [&] {
    result.values = Array(static_cast<std::size_t>(result.layout.count(comm.rank())) * sizeof(double));
    const std::vector<Box> from = half.layout.boxes(comm.rank());
    for_each_element(result.layout, comm.rank(), [&](const Coord& at, std::size_t i) {
      Index element = 0;
      for (int a = 0; a < shape.dims(); ++a)
        element = element * from[0].extent(a) + mirrored(at[a], n[a]) - from[0].lo[a];
      result.values.as<double>()[i] = half.values.as<double>()[static_cast<std::size_t>(element)];
    });
  });
  return result;
}

Field moved(const Comm& comm, const Field& field, const LayoutSpec& to, int threads) {
  Plan plan(comm, {.shape = field.layout.global(), .kind = Kind::move, .element_bytes = sizeof(double)},
            {.input = slabs(-1), .output = to, .threads = threads});
  Field result{.layout = plan.output(), .values = {}};
  collectively(comm, [&] { result.values = plan.make_output(); });
  plan.forward(field.values, result.values);
  return result;
}

template <class T>
struct Convolve {
  std::vector<T> factors;
  std::array<std::vector<Index>, max_dims> places;  // by axis and mode: what it adds to the index of its factor

  [[nodiscard]] T factor(const Coord& mode) const {
    Index place = 0;
    for (int a = 0; a < mode.dims(); ++a)
      place += places[static_cast<std::size_t>(a)][static_cast<std::size_t>(mode[a])];
    return factors[static_cast<std::size_t>(place)];
  }
  void operator()(const Modes& m) const {
    Index base = 0;
    for (int a = 0; a < m.first.dims(); ++a)
      if (a != m.axis) base += places[static_cast<std::size_t>(a)][static_cast<std::size_t>(m.first[a])];
    const Index* place = places[static_cast<std::size_t>(m.axis)].data() + m.first[m.axis];
    T* x = m.reals<T>().data();
    for (Index i = 0; i < m.count; ++i, x += 2) {
      const T factor = factors[static_cast<std::size_t>(base + place[i])];
      x[0] *= factor, x[1] *= factor;
    }
  }
};

template <class T>
Convolve<T> convolve_with(const Box& own, const Box& modes, const std::vector<bool>& shared, const Shape& n,
                          std::span<const double> values) {
  Convolve<T> convolve{.factors = std::vector<T>(values.begin(), values.begin() + own.count()), .places = {}};
  Index stride = 1;
  for (int a = own.dims() - 1; a >= 0; --a) {
    auto& places = convolve.places[static_cast<std::size_t>(a)];
    places.assign(static_cast<std::size_t>(modes.hi[a]), 0);
    for (Index k = modes.lo[a]; k < modes.hi[a]; ++k)
      places[static_cast<std::size_t>(k)] =
          ((shared[static_cast<std::size_t>(a)] ? k : mirrored(k, n[a])) - own.lo[a]) * stride;
    stride *= own.extent(a);
  }
  return convolve;
}

/// On a device factors of all modes lie beside them.
template <class T>
KernelOperator on_device(const Plan& plan, const Layout& modes, const Convolve<T>& convolve) {
  const int me = plan.comm().rank();
  std::vector<T> factors(static_cast<std::size_t>(modes.count(me)));
  for_each_element(modes, me, [&](const Coord& at, std::size_t i) { factors[i] = convolve.factor(at); });
  KernelOperator kernel{.factors = plan.make_array(factors.size() * sizeof(T))};
  plan.copy(factors, kernel.factors);
  Formula f(sizeof(T) == 4 ? f32 : f64);
  const Term by = f.read(2 + modes.global().dims());
  for (const int part : {0, 1}) f.write(part, by * f.read(part));
  const std::vector<FormulaArray> beside{{kernel.factors.data()}};
  kernel.convolve = plan.make_operator(f, beside);
  return kernel;
}

}  // namespace

double kernel_radius(const KernelBox& box) {
  double square = 0;
  for (int a = 0; a < box.shape.dims(); ++a)
    square += squared(static_cast<double>(box.shape[a]) * box.spacing[static_cast<std::size_t>(a)]);
  return std::sqrt(square);
}

KernelOperator truncated_kernel(const Comm& comm, const KernelBox& box, const Layout& modes, Precision precision,
                                int threads, const Plan* there) {
  const int dims = box.shape.dims();
  const std::vector<bool> shared = shared_axes(modes);
  Field factors = extended(comm, transformed(comm, sample(comm, box, threads), threads), box.shape, shared);
  if (!factors.layout.same_owners(Layout(process_grid(modes.grid()), factors.layout.global(), comm.size())))
    factors = moved(comm, factors, process_grid(modes.grid()), threads);
  KernelOperator kernel;
  collectively(comm, [&] {
    const std::vector<Box> own = factors.layout.boxes(comm.rank()), seen = modes.boxes(comm.rank());
    if (seen.empty()) {  // nobody calls it here
      kernel.convolve = there ? there->make_operator(Formula()) : Operator([](const Modes&) {});
      return;
    }
    for (int a = 0; a < dims; ++a)
      if (own.size() != 1 || seen.size() != 1 ||
          (modes.grid()[a] > 1 && (own[0].lo[a] != seen[0].lo[a] || own[0].hi[a] != seen[0].hi[a])))
        throw Error(Status::internal, "the kernel of open boundaries must lie as the modes do; got other boxes");
    const auto values = std::as_const(factors.values).as<double>();
    const auto make = [&]<class T>(T) -> KernelOperator {
      const auto convolve = convolve_with<T>(own[0], seen[0], shared, box.shape, values);
      return there ? on_device(*there, modes, convolve) : KernelOperator{.convolve = convolve};
    };
    kernel = precision == f32 ? make(0.0F) : make(0.0);
  });
  return kernel;
}

}  // namespace shardfft::solvers
