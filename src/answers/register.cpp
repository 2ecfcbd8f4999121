// Shifts between arrays by phase correlation.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <fmt/format.h>

#include "answers/beside.hpp"
#include "answers/fine_points.hpp"
#include "answers/placed.hpp"
#include "passes/two.hpp"
#include "plan/operators/wave_numbers.hpp"
#include "shardfft/answers/registration.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/operators/elementary.hpp"
#include "shardfft/operators/modes.hpp"
#include "shardfft/programs/team.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

/// Each mode becomes F conj(G), which is also kept in G's place.
template <class T>
struct CrossProduct {
  std::complex<T>* kept;
  bool phase;

  void operator()(const Modes& m) const {
    const auto values = m.values<T>();
    for (Index i = 0; i < m.count; ++i) {
      std::complex<T>&f = values[static_cast<std::size_t>(i)], &g = kept[m.place + i * m.step];
      f = g = cross_product(f, g, phase);
    }
  }
};

template <class T>
Peak peak_of(const Plan& plan, const View& correlation) {
  Peak peak;
  const Shape& shape = plan.applied().global();
  const auto* values = static_cast<const T*>(correlation.data);
  const bool complex = plan.problem().kind == c2c;
  for_each_element(plan.applied(), plan.comm().rank(), [&](const Coord& at, std::size_t i) {
    Index place = 0;
    for (int a = 0; a < at.dims(); ++a) place = place * shape[a] + at[a];
    peak.note(complex ? std::abs(Complex(values[2 * i], values[2 * i + 1])) : std::abs(static_cast<double>(values[i])),
              place);
  });
  return peak;
}

template <class T>
Registration registered(Plan& plan, View reference, View moving, View correlation, const RegistrationRequest& request) {
  Array beside = transformed_beside(plan, moving);
  auto* kept = reinterpret_cast<std::complex<T>*>(beside.data());
  Operator product(CrossProduct<T>{kept, request.phase});
  plan.apply(reference, correlation, product);
  Peak peak = peak_of<T>(plan, correlation).over_ranks(plan.comm());
  std::vector<Index> at = shift_at(peak, plan.problem().shape);
  if (request.upsample > 1) {
    FinePoints points(plan.problem(), plan.middle().order());
    peak = refine(plan.comm(), points, request.upsample, at, peak, [&] {
      const std::complex<T>* from = kept;
      for (const Box& box : plan.middle().boxes(plan.comm().rank())) points.add(box, from), from += box.count();
    });
  }
  Registration found{.peak = peak.height};
  for (const Index place : at) found.shift.push_back(static_cast<double>(place) / request.upsample);
  return found;
}

void require_upsample(const RegistrationRequest& request) {
  if (request.upsample < 1 || request.upsample > 1000)
    refuse_argument(
        fmt::format("a shift is found to 1 / upsample points, upsample from 1 to 1000; got {}", request.upsample));
}

/// Notes the peak of a correlation that is written tile by tile, and hands it on if it is asked for.
template <class T>
class PeakOf final : public files::ArrayOutside {
 public:
  PeakOf(const Problem& problem, const files::File* out, const files::BoxIo& io)
      : shape_(problem.shape), complex_(problem.kind == c2c), out_(out), io_(io) {}
  [[nodiscard]] std::string name() const override { return "the correlation"; }
  [[nodiscard]] files::ArrayInfo info() const override { return {shape_, io_.type(), {}}; }
  void read(const Box&, std::byte*) override {}
  void write(const Box& box, const std::byte* from) override {
    const auto* values = reinterpret_cast<const T*>(from);
    for_each_position(box, {}, [&](const Coord& at) {
      Index place = 0;
      for (int a = 0; a < at.dims(); ++a) place = place * shape_[a] + at[a];
      peak.note(complex_ ? std::abs(Complex(values[0], values[1])) : std::abs(static_cast<double>(values[0])), place);
      values += complex_ ? 2 : 1;
    });
    if (out_) io_.write(*out_, box, from);
  }
  Peak peak{};

 private:
  Shape shape_;
  bool complex_;
  const files::File* out_;
  files::BoxIo io_;
};

template <class T>
Registration registered_files(const Comm& comm, const files::File& a, const files::File& b, const files::File* out,
                              const Problem& problem, const RegistrationRequest& request, const Options& options,
                              const files::OutOfCore& how) {
  const bool phase = request.phase;
  const auto notes = std::make_shared<PeakOf<T>>(problem, out, files::BoxIo(problem, memory_of(comm, how)));
  files::TwoPasses(comm, a, b, problem, options, how)
      .run(a, files::File(comm, notes), [phase](const Modes& m, const std::byte* second) {
        const auto* g = reinterpret_cast<const std::complex<T>*>(second);
        Index i = 0;
        for (std::complex<T>& f : m.values<T>()) f = cross_product(f, g[i++ * m.step], phase);
      });
  Peak peak = notes->peak.over_ranks(comm);
  std::vector<Index> at = shift_at(peak, problem.shape);
  FinePoints points(problem, files::c_order(problem.shape.dims()));
  const files::VisitTwo add = [&](const Box& box, std::byte* first, const std::byte* second) {
    auto* f = reinterpret_cast<std::complex<T>*>(first);
    const auto* g = reinterpret_cast<const std::complex<T>*>(second);
    for_each_shared(allowed_threads(), box.count(), [&](Index i) { f[i] = cross_product(f[i], g[i], phase); });
    points.add(box, f);
  };
  if (request.upsample > 1)
    peak = refine(comm, points, request.upsample, at, peak,
                  [&] { (void)files::reduce_two(comm, a, b, problem, add, options, how); });
  Registration found{.peak = peak.height};
  for (const Index place : at) found.shift.push_back(static_cast<double>(place) / request.upsample);
  return found;
}

}  // namespace

Registration register_shift(Plan& plan, View reference, View moving, View correlation,
                            const RegistrationRequest& request) {
  collectively(plan.comm(), [&] {
    require_answering(plan, "register_shift");
    require_upsample(request);
    if (plan.middle().spec().kind == LayoutSpec::Kind::cyclic && plan.comm().size() > 1)
      refuse_argument("register_shift() takes spectra in boxes; got a cyclic layout; make the plan with others");
    if (plan.problem().support.dims() > 0 || plan.problem().modes.dims() > 0)
      refuse_argument("register_shift() takes all points and modes; got a plan with support or modes");
  });
  return in_precision_of(
      plan, [&](auto number) { return registered<decltype(number)>(plan, reference, moving, correlation, request); });
}

Registration files::register_shift(const Comm& comm, const File& a, const File& b, const File* out,
                                   const Problem& problem, const RegistrationRequest& request, const Options& options,
                                   const OutOfCore& how) {
  collectively(comm, [&] {
    require_whole_spectrum(problem, "register_shift");
    require_upsample(request);
  });
  require_same(comm, "the registration that is asked for",
               fmt::format("upsample {}\nphase {}\nwrites {}\n", request.upsample, request.phase, out != nullptr));
  const Options ordered = last_axis_first(options, problem);
  const OutOfCore there = out ? scratch_beside(comm, *out, how) : how;
  return in_precision(problem.precision, [&](auto number) {
    return registered_files<decltype(number)>(comm, a, b, out, problem, request, ordered, there);
  });
}

}  // namespace shardfft
