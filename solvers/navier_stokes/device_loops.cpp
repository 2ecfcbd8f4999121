// The loops of a flow as formulas. A field of points is three arrays; of modes six: real parts, then imaginary ones.
#include <cmath>
#include <span>
#include <vector>

#include "navier_stokes/arithmetic.hpp"
#include "navier_stokes/loops.hpp"
#include "shardfft/error.hpp"
#include "shardfft/operators/formula.hpp"

namespace shardfft::solvers {
namespace {

using Vector = Three<Term>;

Vector read(Formula& f, int first) { return {f.read(first), f.read(first + 1), f.read(first + 2)}; }
void write(Formula& f, int first, const Vector& v) {
  f.write(first, v.x), f.write(first + 1, v.y), f.write(first + 2, v.z);
}
Six<Term> read_six(Formula& f, int first, int second) {
  return {f.read(first), f.read(first + 1), f.read(first + 2), f.read(second), f.read(second + 1), f.read(second + 2)};
}

/// Arrays of a stage, by their numbers.
constexpr int waves = 0, state = 3, before = 9, sum = 15, derived = 21, rate = 27, rest = 33;

/// The right-hand side so far: parts 0 and 1 are real and imaginary.
Vector nonlinear(Formula& f, const Vector& k, bool divergence, int part) {
  if (!divergence) return read(f, rate + 3 * part);
  const Vector a = rows_along(k, read_six(f, rate + 3 * (1 - part), rest + 3 * (1 - part)));  // -i (a + i b) = b - i a
  return part == 0 ? a : Vector{-a.x, -a.y, -a.z};
}

template <int stage>
void advance_at(Formula& f, int at, const Term& d, Term& s) {
  Term u = stage == 1 ? s : f.read(before + at), total = stage == 4 ? f.read(sum + at) : s;
  advance<stage>(s, u, total, d, f.parameter(1));
  f.write(state + at, s);
  if (stage == 1) f.write(before + at, u);
  if (stage == 2) f.write(sum + at, total);
}

template <int stage>
void write_stage(Formula& f, Form form) {
  const Vector k = read(f, waves);
  const Term k2 = dot(k, k), lost = f.parameter(0) * k2;
  std::vector<Vector> parts;
  for (int part = 0; part < 2; ++part) {
    const Vector n = projected(k, k2, nonlinear(f, k, form == Form::divergence, part));
    Vector s = read(f, state + 3 * part);
    advance_at<stage>(f, 3 * part, n.x - lost * s.x, s.x);
    advance_at<stage>(f, 3 * part + 1, n.y - lost * s.y, s.y);
    advance_at<stage>(f, 3 * part + 2, n.z - lost * s.z, s.z);
    parts.push_back(s);
  }
  if (form != Form::rotational) return;
  const Pair<Term> w = curl_of(k, parts[0], parts[1]);
  write(f, derived, w.re), write(f, derived + 3, w.im);
}

/// Formulas of a flow, written once. Arrays count from 0 in the order in which they are given.
struct FlowFormulas {
  FlowFormulas(Precision precision, Form form)
      : speed(precision),
        cross(precision),
        advect_first(precision),
        advect(precision),
        fluxes(precision),
        project(precision),
        curl(precision),
        derive(precision),
        stages{Formula(precision), Formula(precision), Formula(precision), Formula(precision)} {
    const Vector u = read(speed, 0);
    speed.find_largest(dot(u, u));
    write(cross, 0, solvers::cross(read(cross, 0), read(cross, 3)));
    const Term a = advect.read(0), first = advect_first.read(0);
    for (int c = 0; c < 3; ++c) {
      advect_first.write(4 + c, 0.0 - first * advect_first.read(1 + c));
      advect.write(4 + c, advect.read(4 + c) - a * advect.read(1 + c));
    }
    const Six<Term> t = fluxes_of(read(fluxes, 0));
    write(fluxes, 0, {t.xx, t.xy, t.xz}), write(fluxes, 3, {t.yy, t.yz, t.zz});
    const Vector k = read(project, waves);
    for (int part = 0; part < 2; ++part)
      write(project, state + 3 * part, projected(k, dot(k, k), read(project, state + 3 * part)));
    const Pair<Term> w = curl_of(read(curl, waves), read(curl, state), read(curl, state + 3));
    write(curl, state + 6, w.re), write(curl, state + 9, w.im);
    const Term along = derive.read(waves);
    for (int c = 0; c < 3; ++c) {
      derive.write(state + 6 + c, -along * derive.read(state + 3 + c));
      derive.write(state + 9 + c, along * derive.read(state + c));
    }
    write_stage<1>(stages[0], form), write_stage<2>(stages[1], form);
    write_stage<3>(stages[2], form), write_stage<4>(stages[3], form);
  }
  Formula speed, cross, advect_first, advect, fluxes, project, curl, derive;
  std::array<Formula, 4> stages;
};

/// Without points the largest is below all numbers.
double root_of(double largest) { return largest < 0 ? 0 : std::sqrt(largest); }

class DeviceLoops final : public FlowLoops {
 public:
  DeviceLoops(const FlowProblem& problem, const PointGrid& points, const ModeGrid& modes, const Plan& plan)
      : problem_(problem),
        points_(points),
        modes_(modes),
        plan_(plan),
        scalar_(problem.precision == f32 ? 4 : 8),
        formulas_(problem.precision, problem.form) {
    problem.precision == f32 ? make_waves<float>() : make_waves<double>();
  }

  double largest_speed(const void* u) override { return root_of(at_points(formulas_.speed, {u})); }
  void cross(void* u, const void* w) override { at_points(formulas_.cross, {u, w}); }
  void advect(const void* u, int axis, const void* gradient, void* rate) override {
    Arrays all{{.data = component(u, axis * points_.apart)}};
    add_points(all, gradient), add_points(all, rate);
    evaluate(axis == 0 ? formulas_.advect_first : formulas_.advect, {points_.count()}, all, {});
  }
  void fluxes(void* u, void* rest) override { at_points(formulas_.fluxes, {u, rest}); }
  void project(void* state) override { at_modes(formulas_.project, waves_, {state}); }
  void curl(const void* state, void* result) override { at_modes(formulas_.curl, waves_, {state, result}); }
  void derive(const void* state, int axis, void* result) override {
    const FormulaArray k = waves_[static_cast<std::size_t>(axis)];
    at_modes(formulas_.derive, {k, k, k}, {state, result});
  }
  void run_stage(const FlowArrays<void>& a, int stage, double dt) override {
    const bool curls = problem_.form == Form::rotational, diverges = problem_.form == Form::divergence;
    const Index field = 6 * modes_.component();
    at_modes(formulas_.stages[static_cast<std::size_t>(stage - 1)], waves_,
             {a.state, a.before, a.sum, curls ? component(a.state, field) : a.state, a.rate,
              diverges ? component(a.rate, field) : a.rate},
             {problem_.viscosity, dt});
  }

 private:
  using Arrays = std::vector<FormulaArray>;

  template <class T>
  void make_waves() {
    for (int axis = 0; axis < 3; ++axis) {
      const auto& wave = modes_.wave[static_cast<std::size_t>(axis)];
      const std::vector<T> numbers(wave.begin(), wave.end());
      tables_.push_back(plan_.make_array(numbers.size() * sizeof(T)));
      plan_.copy(numbers, tables_.back());
      waves_.push_back({.data = tables_.back().data(), .step = 1, .axis = axis});
    }
  }

  [[nodiscard]] const void* component(const void* array, Index numbers) const {
    return static_cast<const std::byte*>(array) + static_cast<std::size_t>(numbers) * scalar_;
  }
  void add_points(Arrays& all, const void* field) const {
    for (Index c = 0; c < 3; ++c) all.push_back({.data = component(field, c * points_.apart)});
  }
  double at_points(const Formula& f, std::initializer_list<const void*> fields) const {
    Arrays all;
    for (const void* field : fields) add_points(all, field);
    return evaluate(f, {points_.count()}, all, {});
  }
  void at_modes(const Formula& f, Arrays all, std::initializer_list<const void*> fields,
                const std::vector<double>& parameters = {}) const {
    for (const void* field : fields)
      for (Index part = 0; part < 2; ++part)
        for (Index c = 0; c < 3; ++c)
          all.push_back({.data = component(field, 2 * c * modes_.component() + part), .step = 2});
    evaluate(f, modes_.box.shape(), all, parameters);
  }
  double evaluate(const Formula& f, const Shape& extents, const Arrays& arrays,
                  const std::vector<double>& parameters) const {
    const double largest = plan_.evaluate(f, extents, arrays, parameters);
    plan_.synchronize();
    return largest;
  }

  const FlowProblem& problem_;
  const PointGrid& points_;
  const ModeGrid& modes_;
  const Plan& plan_;
  std::size_t scalar_;
  FlowFormulas formulas_;
  std::vector<Array> tables_{};
  Arrays waves_{};
};

Operator product_of(const Plan& fused, const FormulaArray* squares) {
  Formula f(fused.problem().precision);
  const Vector u = read(f, 0);
  write(f, 0, cross(u, read(f, 3)));
  if (!squares) return fused.make_operator(f);
  f.write(6 + fused.middle().global().dims(), dot(u, u));  // behind the components, and places along the axes
  return fused.make_operator(f, std::span(squares, 1));
}

}  // namespace

// In an array beside the elements those of the first component come first, and they are all that is written.
DeviceProduct::DeviceProduct(const Plan& fused)
    : fused_(fused),
      points_(fused.middle().count(fused.comm().rank()) / 6),
      squares_(fused.make_array(static_cast<std::size_t>(points_) * (fused.problem().precision == f32 ? 4 : 8))),
      product_(product_of(fused, nullptr)) {
  if (fused.middle().order().front() != 0 || fused.middle().boxes(fused.comm().rank()).size() > 1)
    throw Error(Status::internal, "components at points lie one after the other; got another order, or several boxes");
  const FormulaArray squares{.data = squares_.data()};
  looks_ = product_of(fused, &squares);
}

double DeviceProduct::largest_speed() const {
  Formula f(fused_.problem().precision);
  f.find_largest(f.read(0));
  const FormulaArray squares{.data = squares_.data()};
  return root_of(fused_.evaluate(f, {points_}, std::span(&squares, 1)));
}

std::unique_ptr<FlowLoops> device_loops(const FlowProblem& problem, const PointGrid& points, const ModeGrid& modes,
                                        const Plan& plan) {
  return std::make_unique<DeviceLoops>(problem, points, modes, plan);
}

}  // namespace shardfft::solvers
