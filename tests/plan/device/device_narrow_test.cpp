// Arrays of the host that go through a device with a tolerance, beside what approximate_places_test.cpp shows of them:
// what two sweeps hand on lies in a shorter format.
#include "plan/approximate/kept_promise.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

const Options narrow{.tolerance = 1e-6, .threads = 1, .device = space(), .arrays = "host", .expert = {.fuse = 1}};

Whole sized_input(const Problem& p, double size) {
  Problem forward = p;
  forward.kind = r2c;
  forward.axes = {0, 1, 2};
  Whole x = data_of(0, p.shape, p.kind == c2c, 5, false);
  for (Reference& v : x.values) v *= size;
  return p.kind == c2r ? transformed(forward, x, Direction::forward) : x;
}

// Sizes that f32 and f16 do not have are no hindrance; each kind of bytes is counted on the way.
TEST(DeviceNarrow, HalvesAndQuartersWhatGoesOverTheLinkBetweenSweepsAndCountsIt) {
  for (const Kind kind : {c2c, r2c, c2r})
    for (const auto& [tolerance, bytes] : {std::pair(1e-6, 8), {1e-2, 4}, {0.0, 16}})
      for (const double size : {1.0, 1e60, 1e-60}) {
        const Problem p{.shape = {12, 14, 22}, .kind = kind, .axes = {0, 1, 2}};
        Options o = narrow;
        o.tolerance = tolerance;
        Plan plan(local(), p, o);
        const Whole x = sized_input(p, size);
        LocalData<double> in(packed_memory(plan.input(), 0), kind != r2c),
            out(packed_memory(plan.output(), 0), kind != c2r);
        in.fill(x);
        run(plan, Direction::forward, false, in, out);
        const Index middle = product(kind == c2c ? p.shape : Shape{12, 14, 12}) * bytes;
        std::vector<Index> link;
        for (const StepReport& step : plan.last_run())
          if (step.label.starts_with("sweep")) link.push_back(step.bytes_link);
        const auto given = static_cast<Index>(plan.input_bytes()), made = static_cast<Index>(plan.output_bytes());
        EXPECT_EQ(link, (std::vector<Index>{given + middle, 2 * middle, middle + made}))
            << to_string(p) << " " << tolerance << " " << size;
        EXPECT_EQ(plan.loss().encoded > 0, tolerance > 0);
        EXPECT_LE(relative(plan.comm(), out.compare(transformed(p, x, Direction::forward), 1)), plan.error_bound());
        if (tolerance == 0) continue;
        EXPECT_LE(plan.error_bound(), tolerance);
        EXPECT_EQ(plan.loss().bits, 4 * bytes);
      }
}

TEST(DeviceNarrow, HalvesWhatRanksStoreAtEachOther) {
  on_ranks(4, [](Comm comm) {
    const auto stored = [&](double tolerance) {
      Options o = narrow;
      o.input = bricks(), o.output = pencils(0);  // first and last copies are the caller's numbers
      o.expert.ranks_grid = {2, 2};
      o.tolerance = tolerance;
      Plan plan(comm, {.shape = {16, 12, 20}}, o);
      Array in = plan.make_input(), out = plan.make_output();
      std::fill_n(in.as<double>().data(), in.as<double>().size(), 1.0);
      plan.forward(in, out);
      Index between = 0;
      const std::vector<StepReport>& steps = plan.last_run();
      for (std::size_t i = 1; i + 1 < steps.size(); ++i)
        if (steps[i].label.starts_with("exchange") && steps[i - 1].label.starts_with("sweep") &&
            steps[i + 1].label.starts_with("sweep"))
          between += steps[i].bytes_shared;
      return between;
    };
    const Index exact = stored(0);
    EXPECT_GT(exact, 0);
    EXPECT_EQ(2 * stored(1e-6), exact);
    EXPECT_EQ(4 * stored(1e-2), exact);
  });
}

TEST(DeviceNarrow, SaysWhatIsNarrowAndWhyNothingIs) {
  const auto described = [](const Problem& p, Options o) { return Plan(local(), p, o).describe(); };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  Options o = narrow;
  has(described({.shape = {8, 9, 10}}, o), "codec f32 between sweeps, certified");
  has(described({.shape = {8, 9, 10}}, o), "5.6 KiB instead of 11.2 KiB");
  o.tolerance = 1e-2;
  has(described({.shape = {8, 9, 10}}, o), "codec f16 between sweeps");
  o.tolerance = 1e-9;
  has(described({.shape = {8, 9, 10}}, o), "none (no shorter format keeps the tolerance)");
  o.expert.codec = "f16", o.tolerance = 1e-5;
  has(described({.shape = {8, 9, 10}}, o), "none (f16 loses more than the tolerance)");
  o.expert.codec = "", o.expert.fuse = 3;
  has(described({.shape = {8, 9, 10}}, o), "none (one sweep does all)");
  o.expert.fuse = 1, o.tolerance = 0, o.tolerance_absolute = 1;
  has(described({.shape = {8, 9, 10}}, o), "and the tolerance is absolute");
}

TEST(DeviceNarrow, RefusesFormatsThatItDoesNotHave) {
  const auto refused = [](Options options, Precision precision = f64) {
    options.device = "emulated";
    options.arrays = "host";
    return thrown([&] { Plan(local(), {.shape = {8, 8}, .precision = precision}, options); });
  };
  EXPECT_NE(refused({.expert = {.codec = "block_float"}}).find("one of none, f32, f16"), std::string::npos);
  EXPECT_NE(refused({.expert = {.codec = "f32"}}, f32).find("makes nothing shorter"), std::string::npos);
  EXPECT_NE(refused({.tolerance = 1e-17}).find("at least what arithmetic"), std::string::npos);
}

}  // namespace
}  // namespace shardfft::testing
