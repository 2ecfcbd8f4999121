// What apply refuses, on all ranks alike.
#include <gtest/gtest.h>

#include <cmath>

#include "plan/calls/expect_error.hpp"
#include "plan/hermitian_check.hpp"
#include "support/refusal.hpp"

namespace shardfft::testing {
namespace {

Body making(Problem problem, Options options) {
  return [=](const Comm& comm) { const Plan plan(comm, problem, options); };
}

const Operator nothing([](const Modes&) {});

TEST(ApplyErrors, PlansSayWhatTheirOptionsMayBe) {
  const Problem problem{.shape = {3, 6, 8}, .axes = {1, 2}};
  const auto expect = [&](Status status, const std::vector<std::string>& words, const Problem& p, Options o) {
    if (o.apply == Apply::none && o.components_in + o.components_out == 0) o.apply = Apply::to_outputs;
    expect_error(2, status, words, making(p, o));
  };
  expect(Status::invalid_argument, {"components", "apply"}, problem, {.components_in = 3});
  expect(Status::invalid_argument, {"extent of axis 0, 3", "got 2"}, problem,
         {.apply = Apply::to_outputs, .components_in = 2});
  expect(Status::invalid_argument, {"components_out goes with components_in"}, problem,
         {.apply = Apply::to_outputs, .components_out = 2});
  expect(Status::invalid_argument, {"axis 0", "not transformed", "0,1,2"}, {.shape = {3, 6, 8}, .axes = {0, 1, 2}},
         {.apply = Apply::to_outputs, .components_in = 3});
  expect(Status::invalid_layout, {"one rank", "axis 0"}, problem,
         {.input = slabs(0), .apply = Apply::to_outputs, .components_in = 3, .components_out = 1});
  expect(Status::unsupported, {"only moves"}, {.shape = {4, 4}, .kind = Kind::move}, {});
  expect(Status::unsupported, {"largest factor", "use tolerance"}, problem, {.tolerance_absolute = 1e-3});
  expect(Status::unsupported, {"largest factor", "use tolerance"}, problem, {.tolerance_linf = 1e-3});
  expect(Status::unsupported, {"codec alone", "give a tolerance"}, problem, {.expert = {.codec = "f32"}});
  expect(Status::unsupported, {"arrays that are where its sweeps are"}, problem,
         {.device = "emulated", .arrays = "host"});
  expect(Status::unsupported, {"split always"}, problem, {.expert = {.split = SplitAxis::always}});
  expect(Status::invalid_argument, {"none, to_outputs, to_inputs"}, problem, {.apply = static_cast<Apply>(7)});
}

TEST(ApplyErrors, CallsSayWhatThePlanWasMadeFor) {
  const Problem problem{.shape = {6, 6}};
  const auto with = [&](Options options, auto call) {
    return [=](const Comm& comm) {
      Plan plan(comm, problem, options);
      Array in = plan.make_input(), out = plan.make_input();
      call(plan, in, out);
    };
  };
  const auto apply = [](Plan& plan, Array& in, Array& out) { plan.apply(in, out, nothing); };
  expect_error(3, Status::invalid_argument, {"options.apply = to_outputs"}, with({}, apply));
  expect_error(3, Status::invalid_argument, {"options.apply"},
               with({}, [](Plan& plan, Array&, Array&) { (void)plan.middle(); }));
  expect_error(3, Status::invalid_argument, {"apply_physical()", "got to_inputs"},
               with({.apply = Apply::to_inputs}, apply));
  const Options usual{.apply = Apply::to_outputs};
  expect_error(3, Status::invalid_argument, {"an operator has a function"},
               with(usual, [](Plan& plan, Array& in, Array& out) { plan.apply(in, out, Operator()); }));
  expect_error(3, Status::invalid_argument, {"null pointer"},
               with(usual, [](Plan& plan, Array&, Array& out) { plan.apply(View(), out, nothing); }));
  expect_error(3, Status::invalid_argument, {"overlap"},
               with(usual, [](Plan& plan, Array& in, Array&) { plan.apply(in, in, nothing); }));
  expect_error(3, Status::mismatch, {"one direction", "goes forward", "applies an operator"},
               with(usual, [](Plan& plan, Array& in, Array& out) {
                 plan.comm().rank() == 1 ? plan.forward(in, out) : plan.apply(in, out, nothing);
               }));
  expect_error(3, Status::invalid_argument, {"takes 1 components and leaves 2", "components_out"},
               with(usual, [](Plan& plan, Array& in, Array& out) {
                 plan.apply(in, out, spectral::gradient(plan, std::vector{1.0, 1.0}));
               }));
}

TEST(ApplyErrors, ReadyOperatorsSayWhatTheyTake) {
  on_ranks(1, [](Comm comm) {
    const Plan plan(comm, {.shape = {2, 6, 8}, .axes = {1, 2}}, {.apply = Apply::to_outputs}),
        points(comm, {.shape = {6, 8}}, {.apply = Apply::to_inputs});
    const std::vector box{1.0, 1.0, 1.0}, flat{1.0, 1.0}, negative{1.0, -1.0, 1.0};
    const auto says = [](const std::string& words, const std::function<Operator()>& make) {
      const std::string text = refusal([&] { (void)make(); });
      EXPECT_NE(text.find(words), std::string::npos) << "'" << words << "' is not in: " << text;
    };
    says("act on spectra", [&] { return spectral::gaussian(points, flat, 1); });
    says("one length for each axis of the array, 3; got 2", [&] { return spectral::gaussian(plan, flat, 1); });
    says("positive and finite; got -1 along axis 1", [&] { return spectral::gaussian(plan, negative, 1); });
    says("width of a gaussian is positive", [&] { return spectral::gaussian(plan, box, 0); });
    says("cutoff of a lowpass is positive", [&] { return spectral::lowpass(plan, box, -1); });
    says("not negative", [&] { return spectral::inverse_laplace(plan, box, Stencil::spectral, -1); });
    says("transformed axis; got 0", [&] { return spectral::derivative(plan, 0, 1, 1); });
    says("order of 1 or more; got 0", [&] { return spectral::derivative(plan, 1, 0, 1); });
    says("3 components along 3 transformed axes; got 2", [&] { return spectral::curl(plan, box); });
    says("one distance for each axis of the array, 3; got 2", [&] { return spectral::shift(plan, box, flat); });
    says("null pointer", [&] { return spectral::multiply(plan, View()); });
    std::vector<float> narrow(1000);
    says("complex f64 numbers here; got real f32", [&] { return spectral::multiply(plan, narrow); });
    std::vector<std::complex<double>> few(3);
    says("bytes on this rank; got 48", [&] { return spectral::multiply(plan, few); });
  });
}

TEST(ApplyErrors, OddDerivativesChangeTheKindOfAnAxis) {
  on_ranks(1, [](Comm comm) {
    using enum AxisKind;
    const Options apply{.apply = Apply::to_outputs};
    const Plan cosines(comm, {.shape = {6, 8}, .kind = r2r, .kinds = {cosine2, hartley}}, apply),
        mixed(comm, {.shape = {6, 8}, .kind = r2c, .kinds = {sine1, fourier}}, apply);
    const std::vector box{1.0, 1.0};
    const auto says = [](const std::string& words, const std::function<Operator()>& make) {
      const std::string text = refusal([&] { (void)make(); });
      EXPECT_NE(text.find(words), std::string::npos) << "'" << words << "' is not in: " << text;
    };
    says("got cosine2 along axis 0", [&] { return spectral::derivative(cosines, 0, 1, 1); });
    says("got hartley along axis 1", [&] { return spectral::derivative(cosines, 1, 3, 1); });
    says("got sine1 along axis 0", [&] { return spectral::gradient(mixed, box); });
    says("got sine1 along axis 0", [&] { return spectral::shift(mixed, box, box); });
    says("along fourier axes", [&] { return spectral::convolve(mixed, View()); });
    EXPECT_NO_THROW((void)spectral::derivative(cosines, 0, 2, 1));
    EXPECT_NO_THROW((void)spectral::derivative(mixed, 1, 1, 1));
    EXPECT_NO_THROW((void)spectral::shift(mixed, box, std::vector{0.0, 1.0}));
    std::vector<std::complex<double>> factors(48);
    says("real f64 numbers here; got complex f64", [&] { return spectral::multiply(cosines, factors); });
  });
}

TEST(ApplyErrors, AnOperatorForEachElementLeavesTheNumberOfComponents) {
  expect_error(2, Status::invalid_argument, {"as many components", "3 and 1"}, [](const Comm& comm) {
    Plan plan(comm, {.shape = {3, 6, 8}, .axes = {1, 2}},
              {.input = slabs(1), .apply = Apply::to_outputs, .components_in = 3, .components_out = 1});
    Array in = plan.make_input(), out = plan.make_applied();
    plan.apply(in, out, spectral::gaussian(plan, std::vector{1.0, 1.0, 1.0}, 1));
  });
}

// Plans of builds with assertions check operators so.
TEST(ApplyErrors, AnOperatorThatLeavesNoSpectrumOfRealsIsFound) {
  const Shape shape{8, 6, 10};
  const std::vector<int> axes{0, 1, 2};
  const auto odd = [](bool highest) {
    return [highest](const Modes& m) {
      for (Index i = 0; i < m.count; ++i) {
        const double k = m.frequency(1, i);
        m.values<double>()[static_cast<std::size_t>(i)] *= std::complex<double>(0, highest || k != -3 ? k : 0);
      }
    };
  };
  const auto look = [&](const Comm& comm, const Operator& f) {
    Plan plan(comm, {.shape = shape, .kind = r2c}, {.input = slabs(0), .apply = Apply::to_outputs});
    Array in = plan.make_input(), out = plan.make_input();
    double i = 0;
    for (double& x : in.as<double>()) x = std::sin(7 * i * i), ++i;
    HermitianCheck check(shape, axes);
    plan.apply(in, out, check.around(f));
    check.require(comm);
  };
  on_ranks(3, [&](Comm comm) {
    EXPECT_NO_THROW(look(comm, odd(false)));
    EXPECT_NO_THROW(look(comm, nothing));
  });
  // An even number of fewer modes has two frequencies in one place; along a cosine axis nothing has an opposite.
  const auto pass = [](const Comm& comm, const Problem& problem, const Shape& modes, const std::vector<int>& fourier) {
    Plan plan(comm, problem, {.input = slabs(0), .apply = Apply::to_outputs});
    Array in = plan.make_input(), out = plan.make_input();
    double turn = 0.3 * comm.rank();
    for (double& x : in.as<double>()) x = std::sin(turn += 1.7);
    HermitianCheck check(modes, fourier);
    plan.apply(in, out, check.around(spectral::gaussian(plan, std::vector{1.0, 1.0, 1.0}, 0.01)));
    check.require(comm);
  };
  on_ranks(3, [&](Comm comm) {
    EXPECT_NO_THROW(pass(comm, {.shape = shape, .kind = r2c, .modes = {6, 4, 8}}, {6, 4, 8}, {0, 1, 2}));
    EXPECT_NO_THROW(
        pass(comm, {.shape = shape, .kind = r2c, .kinds = {AxisKind::fourier, AxisKind::cosine2, AxisKind::fourier}},
             shape, {0, 2}));
  });
  expect_error(3, Status::invalid_argument, {"at k and -k conjugates", "axis 2"},
               [&](const Comm& comm) { look(comm, odd(true)); });
}

}  // namespace
}  // namespace shardfft::testing
