// Broken rules are reported on all ranks alike, with the rule, what it got and the remedy.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "plan/calls/expect_error.hpp"

namespace shardfft::testing {
namespace {

Body making(Problem problem, Options options = {}) {
  return [=](const Comm& comm) { const Plan plan(comm, problem, options); };
}

std::vector<std::vector<Box>> halves(Index cut_a, Index cut_b) {
  return {{Box{{0, 0}, {cut_a, 6}}}, {Box{{cut_b, 0}, {8, 6}}}};
}

TEST(Errors, ProblemsThatMakeNoSense) {
  expect_error(3, Status::invalid_problem, {"1 to 8 dimensions"}, making({}));
  expect_error(3, Status::invalid_problem, {"at least 1", "4 x 0 x 3"}, making({.shape = {4, 0, 3}}));
  expect_error(3, Status::invalid_problem, {"2^63", "4294967296"},
               making({.shape = {Index{1} << 32, Index{1} << 32, 4}}));
  expect_error(3, Status::invalid_problem, {"2^58"}, making({.shape = {Index{1} << 30, Index{1} << 30}}));
  expect_error(3, Status::invalid_problem, {"between -2 and 1", "got 5"}, making({.shape = {4, 4}, .axes = {0, 5}}));
  expect_error(3, Status::invalid_problem, {"once"}, making({.shape = {4, 4}, .axes = {1, -1}}));
}

TEST(Errors, NumbersThatAreNoneOfTheEnumerators) {
  expect_error(2, Status::invalid_problem, {"kind is one of c2c, r2c, c2r", "7"},
               making({.shape = {4, 4}, .kind = static_cast<Kind>(7)}));
  expect_error(2, Status::invalid_problem, {"precision is one of f32, f64", "-1"},
               making({.shape = {4, 4}, .precision = static_cast<Precision>(-1)}));
  expect_error(2, Status::invalid_problem, {"scaling is one of none, by_sqrt_n, by_n", "9"},
               making({.shape = {4, 4}, .backward = static_cast<Scaling>(9)}));
}

TEST(Errors, APencilThatNoMemoryHoldsIsRefusedAtOnce) {
  for (const Kind kind : {c2c, r2c})
    expect_error(2, Status::out_of_memory, {"length", "GB", "shorter axes"},
                 making({.shape = {3, Index{1} << 40}, .kind = kind, .axes = {1}},
                        {.expert = {.engine = "native", .split = SplitAxis::never}}));
}

TEST(Errors, LayoutsAreHeldAgainstTheShapeThatWasAsked) {
  expect_error(2, Status::invalid_layout, {"-3 to 2", "got 3", "8 x 6 x 4"},
               making({.shape = {8, 6, 4}}, {.input = slabs(3)}));
  expect_error(2, Status::invalid_layout, {"-3 to 2", "got -4", "8 x 6 x 3"},
               making({.shape = {8, 6, 4}, .kind = r2c}, {.input = slabs(0), .output = pencils(-4)}));
  expect_error(2, Status::invalid_layout, {"at most the 2 ranks", "1099511627776 x 1099511627776"},
               making({.shape = {8, 6}}, {.input = process_grid({Index{1} << 40, Index{1} << 40})}));
  expect_error(2, Status::invalid_argument, {"at most the 2 ranks", "1099511627776 x 1099511627776"},
               making({.shape = {8, 6}}, {.expert = {.ranks_grid = {Index{1} << 40, Index{1} << 40}}}));
  expect_error(2, Status::invalid_layout, {"`any`", "1,0", "slabs(0)"},
               making({.shape = {8, 6}}, {.input = any.ordered({1, 0})}));
}

TEST(Errors, LayoutsThatOverlapOrLeaveGapsOrStickOut) {
  expect_error(2, Status::invalid_layout, {"overlap", "rank 0", "rank 1", "disjoint"},
               making({.shape = {8, 6}}, {.input = custom(halves(5, 4))}));
  expect_error(2, Status::invalid_layout, {"cover", "42 of the 48", "gaps"},
               making({.shape = {8, 6}}, {.input = custom(halves(4, 5))}));
  expect_error(2, Status::invalid_layout, {"inside", "[4,9)"},
               making({.shape = {8, 6}}, {.output = custom({{Box{{0, 0}, {4, 6}}}, {Box{{4, 0}, {9, 6}}}})}));
  expect_error(3, Status::invalid_layout, {"every rank", "2 lists for 3 ranks"},
               making({.shape = {8, 6}}, {.input = custom(halves(4, 4))}));
  expect_error(2, Status::invalid_layout, {"axis", "got 2"}, making({.shape = {8, 6}}, {.input = slabs(2)}));
  expect_error(2, Status::invalid_layout, {"process grid", "at most the 2 ranks"},
               making({.shape = {8, 6}}, {.input = process_grid({2, 2})}));
  expect_error(2, Status::invalid_layout, {"memory order"},
               making({.shape = {8, 6}}, {.input = slabs(0).ordered({0, 0})}));
}

TEST(Errors, PlacementsThatDoNotFit) {
  expect_error(2, Status::invalid_layout, {"rank 1", "input_memory", "1 boxes, got 2"}, [](const Comm& comm) {
    Options o{.input = slabs(0)};
    if (comm.rank() == 1) o.input_memory = {{0, {6, 1}}, {24, {6, 1}}};
    const Plan plan(comm, {.shape = {8, 6}}, o);
  });
  expect_error(2, Status::invalid_layout, {"own place", "1 x 1"},
               making({.shape = {8, 6}}, {.input = slabs(0), .input_memory = {{0, {1, 1}}}}));
}

TEST(Errors, PlacementsWhoseBytesNobodyCanCount) {
  constexpr Index far = Index{1} << 59;
  for (const Placement& p :
       {Placement{0, {far, 1}}, Placement{far, {6, 1}}, Placement{std::numeric_limits<Index>::max() - 5, {6, 1}},
        Placement{0, {std::numeric_limits<Index>::max(), 1}}})
    expect_error(2, Status::invalid_layout, {"2^58", "4 x 6"},
                 making({.shape = {8, 6}}, {.input = slabs(0), .input_memory = {p}}));
}

TEST(Errors, RanksThatDisagree) {
  expect_error(3, Status::mismatch, {"problem and options", "8 x 6", "8 x 7"},
               [](const Comm& comm) { const Plan plan(comm, {.shape = {8, comm.rank() == 2 ? 7 : 6}}); });
  expect_error(3, Status::mismatch, {"f32", "f64"}, [](const Comm& comm) {
    const Plan plan(comm, {.shape = {8, 6}, .precision = comm.rank() == 1 ? f32 : f64});
  });
  expect_error(3, Status::mismatch, {"slabs:1"}, [](const Comm& comm) {
    const Plan plan(comm, {.shape = {8, 6}}, {.input = slabs(comm.rank() == 0 ? 0 : 1)});
  });
}

TEST(Errors, RanksThatDisagreeOnWhereTheArraysAre) {
  if (device_count("emulated") == 0) GTEST_SKIP() << why_no_device("emulated");
  expect_error(3, Status::mismatch, {"device 'emulated'", "device ''"}, [](const Comm& comm) {
    const Plan plan(comm, {.shape = {8, 6}}, {.device = comm.rank() == 1 ? "emulated" : ""});
  });
}

TEST(Errors, TolerancesThatArithmeticAloneBreaksAlsoWhereNothingIsEncoded) {
  for (const int ranks : {1, 2}) {
    expect_error(ranks, Status::unsupported, {"arithmetic in f64", "1e-18", "tolerance 0"},
                 making({.shape = {8, 6}}, {.tolerance = 1e-18}));
    expect_error(ranks, Status::unsupported, {"arithmetic in f32", "1e-09", "use f64"},
                 making({.shape = {8, 6}, .precision = f32}, {.tolerance = 1e-9}));
  }
}

TEST(Errors, OptionsThatDoNotExist) {
  expect_error(2, Status::unsupported, {"native", "'magic'"},
               making({.shape = {8, 6}}, {.expert = {.engine = "magic"}}));
  expect_error(2, Status::unsupported, {"threads", "'pigeons'"},
               making({.shape = {8, 6}}, {.expert = {.transport = "pigeons"}}));
  expect_error(2, Status::invalid_argument, {"slab, pencil, brick", "'cube'"},
               making({.shape = {8, 6}}, {.expert = {.decomposition = "cube"}}));
  expect_error(2, Status::invalid_argument, {"chunks", "got -3"},
               making({.shape = {8, 6}}, {.expert = {.chunks = -3}}));
  expect_error(2, Status::invalid_argument, {"axis_order"}, making({.shape = {8, 6}}, {.expert = {.axis_order = {0}}}));
  expect_error(2, Status::invalid_argument, {"real axis"},
               making({.shape = {8, 6}, .kind = r2c}, {.expert = {.axis_order = {0, 1}}}));
}

TEST(Errors, TolerancesAndCodecsThatMakeNoSense) {
  const Problem p{.shape = {8, 6}};
  expect_error(3, Status::invalid_argument, {"tolerance", "at least 0", "got -0.001"}, making(p, {.tolerance = -1e-3}));
  expect_error(3, Status::invalid_argument, {"tolerance", "less than 1", "got 2"}, making(p, {.tolerance = 2}));
  expect_error(3, Status::invalid_argument, {"tolerance_linf", "finite", "nan"},
               making(p, {.tolerance_linf = std::nan("")}));
  expect_error(3, Status::invalid_argument, {"tolerance_absolute", "finite", "inf"},
               making(p, {.tolerance_absolute = HUGE_VAL}));
  expect_error(3, Status::invalid_argument, {"one of tolerance, tolerance_absolute and tolerance_linf", "several"},
               making(p, {.tolerance = 1e-3, .tolerance_linf = 1e-3}));
  expect_error(3, Status::invalid_argument, {"certified, worst, statistical", "'maybe'"},
               making(p, {.tolerance = 1e-3, .guarantee = "maybe"}));
  expect_error(3, Status::invalid_argument, {"block_float", "'gzip'"},
               making(p, {.tolerance = 1e-3, .expert = {.codec = "gzip", .encode_near = true}}));
  expect_error(3, Status::invalid_argument, {"mantissa:BITS", "0 to 52", "'mantissa:99'"},
               making(p, {.expert = {.codec = "mantissa:99", .encode_near = true}}));
  expect_error(3, Status::invalid_argument, {"mantissa:BITS", "'f16:3'"},
               making(p, {.expert = {.codec = "f16:3", .encode_near = true}}));
  expect_error(3, Status::invalid_argument, {"codec f32 does not fit"},
               making({.shape = {8, 6}, .precision = f32}, {.expert = {.codec = "f32", .encode_near = true}}));
}

TEST(Errors, ToleranceBelowWhatArithmeticLoses) {
  expect_error(3, Status::unsupported, {"at least what arithmetic in f64", "got 1e-17", "tolerance 0 for exact mode"},
               making({.shape = {8, 6}}, {.tolerance = 1e-17, .expert = {.encode_near = true}}));
  expect_error(3, Status::unsupported, {"at least what arithmetic in f32", "got 1e-09", "use f64"},
               making({.shape = {8, 6}, .precision = f32}, {.tolerance = 1e-9, .expert = {.encode_near = true}}));
}

TEST(Errors, RanksThatDisagreeOnTheTolerance) {
  expect_error(3, Status::mismatch, {"tolerance 0.001", "tolerance 0.01"}, [](const Comm& comm) {
    const Plan plan(comm, {.shape = {8, 6}},
                    {.tolerance = comm.rank() == 1 ? 1e-2 : 1e-3, .expert = {.encode_near = true}});
  });
}

TEST(Errors, EnvironmentVariablesThatMakeNoSense) {
  ::setenv("SHARDFFT_CHUNKS", "many", 1);
  expect_error(2, Status::invalid_argument, {"SHARDFFT_CHUNKS", "'many'"}, making({.shape = {8, 6}}));
  ::unsetenv("SHARDFFT_CHUNKS");
}

class BufferErrors : public ::testing::Test {
 protected:
  // Rank 1 alone passes what `spoil` makes of its good buffers.
  void expect(const std::vector<std::string>& words, const std::function<void(View& in, View& out)>& spoil,
              Options options = {}) {
    options.input = options.output = slabs(0);
    expect_error(3, Status::invalid_argument, words, [&](const Comm& comm) {
      Plan plan(comm, {.shape = {9, 6}}, options);
      Array a = plan.make_input(), b = plan.make_output();
      View in = a, out = options.in_place ? View(a) : View(b);
      if (comm.rank() == 1) spoil(in, out);
      plan.forward(in, out);
    });
  }
};

TEST_F(BufferErrors, NullPointers) {
  expect({"rank 1", "`in`", "null"}, [](View& in, View&) { in.data = nullptr; });
  expect({"rank 1", "`out`", "null"}, [](View&, View& out) { out = View{}; });
}
TEST_F(BufferErrors, TooShort) {
  expect({"`in`", "at least 288 bytes", "got 280"}, [](View& in, View&) { in.bytes -= 8; });
  expect({"`out`", "at least 288 bytes", "got 287"}, [](View&, View& out) { out.bytes -= 1; });
}
TEST_F(BufferErrors, Misaligned) {
  expect({"aligned"}, [](View& in, View&) { in.data = static_cast<const std::byte*>(in.data) + 4; });
}
TEST_F(BufferErrors, TheWrongType) {
  std::vector<float> wrong(1000);
  expect({"complex f64", "real f32"}, [&](View& in, View&) { in = View(std::span<const float>(wrong)); });
}
TEST_F(BufferErrors, OverlappingBuffersWithoutInPlaceAndDifferentOnesWithIt) {
  expect({"overlap", "in_place"},
         [](View& in, View& out) { out = View(static_cast<const std::byte*>(in.data) + 16, in.bytes); });
  std::vector<double> other(1000);
  expect({"same memory"}, [&](View&, View& out) { out = View(other.data(), other.size() * sizeof(double)); },
         {.in_place = true});
}

TEST(BuffersThatTouch, AreDifferentMemory) {
  Plan plan(local(), {.shape = {9, 6}});
  std::vector<std::complex<double>> both(2 * 54);
  const View first(both.data(), 54 * 16), second(both.data() + 54, 54 * 16);
  both[0] = 1;
  plan.forward(first, second);
  EXPECT_EQ(std::vector(both.begin() + 54, both.end()), std::vector<std::complex<double>>(54, 1));
  plan.backward(second, first);
  EXPECT_NEAR(std::abs(both[0] - 1.0), 0, 1e-15);
}

// Calls that only read the caller's arrays look at them as runs do.
TEST_F(BufferErrors, OfCallsThatOnlyRead) {
  static std::vector<double> wrong(1000);
  const auto reading = [](auto call) {
    return [call](const Comm& comm) {
      Plan plan(comm, {.shape = {9, 6}}, {.input = slabs(0), .output = slabs(0)});
      Array a = plan.make_input(), b = plan.make_output();
      const View spoilt = comm.rank() == 1 ? View(std::span<const double>(wrong)) : View(a);
      call(plan, spoilt, View(b));
    };
  };
  const std::vector<std::string> words{"rank 1", "complex f64", "real f64"};
  expect_error(3, Status::invalid_argument, words,
               reading([](Plan& p, View in, View out) { (void)p.verify(in, out); }));
  expect_error(3, Status::invalid_argument, words,
               reading([](Plan& p, View in, View out) { (void)p.verify(out, in); }));
  expect_error(3, Status::invalid_argument, words, reading([](Plan& p, View in, View) { (void)p.hash_input(in); }));
  expect_error(3, Status::invalid_argument, words, reading([](Plan& p, View in, View) { (void)p.hash_output(in); }));
  expect_error(3, Status::invalid_argument, words,
               reading([](Plan& p, View in, View) { (void)p.exact_samples(in, {{0, 0}}); }));
}

TEST(Errors, RanksThatDisagreeOnTheDirectionOrThePositions) {
  const auto with_arrays = [](auto call) {
    return [call](const Comm& comm) {
      Plan plan(comm, {.shape = {9, 6}}, {.input = slabs(0), .output = slabs(0)});
      Array a = plan.make_input(), b = plan.make_output();
      try {
        call(plan, comm.rank(), View(a), View(b));
      } catch (const Error&) {  // and the plan is as it was
        plan.forward(a, b);
        throw;
      }
    };
  };
  expect_error(3, Status::mismatch, {"one direction", "rank 0 goes forward", "rank 2 goes backward"},
               with_arrays([](Plan& p, int rank, View a, View b) { rank == 2 ? p.backward(a, b) : p.forward(a, b); }));
  expect_error(3, Status::mismatch, {"one direction", "rank 1 goes forward", "rank 0 goes backward"},
               with_arrays([](Plan& p, int rank, View a, View b) {
                 p.start(rank == 0 ? Direction::backward : Direction::forward, a, b);
               }));
  expect_error(3, Status::mismatch, {"positions", "0 x 0", "2 x 0"}, with_arrays([](Plan& p, int rank, View a, View) {
                 (void)p.exact_samples(a, {{rank == 2 ? 2 : 0, 0}});
               }));
  expect_error(3, Status::mismatch, {"positions"}, with_arrays([](Plan& p, int rank, View a, View) {
                 (void)p.exact_samples(a, std::vector<Coord>(static_cast<std::size_t>(rank), Coord{0, 0}));
               }));
}

TEST(Errors, RecordingMoreRunsThanMemoryHolds) {
  Plan plan(local(), {.shape = {8, 6}});
  for (const std::size_t runs : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 60}) {
    try {
      plan.record(runs);
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::out_of_memory);
      EXPECT_NE(std::string(e.what()).find("record fewer"), std::string::npos) << e.what();
    }
  }
}

TEST(Errors, RanksWithoutAnythingToRun) {
  try {
    on_ranks(2, {});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) { EXPECT_EQ(e.status(), Status::invalid_argument); }
}

TEST(Errors, ARunThatIsNotOver) {
  expect_error(2, Status::invalid_argument, {"wait()"}, [](const Comm& comm) {
    Plan plan(comm, {.shape = {8, 6}});
    plan.wait();
  });
}

TEST(Errors, AWorkspaceThatIsTooSmallIsToldHowLargeItMustBe) {
  alignas(64) static std::byte small[64];
  expect_error(2, Status::invalid_argument, {"workspace", "bytes", "got 64"},
               making({.shape = {8, 6}}, {.workspace = small, .workspace_bytes = sizeof small}));
}

TEST(Errors, ARankThatFailsReleasesTheOthers) {
  std::atomic<int> released{0};
  try {
    on_ranks(3, [&](Comm comm) {
      Plan plan(comm, {.shape = {8, 6}});
      Array a = plan.make_input(), b = plan.make_output();
      if (comm.rank() == 2) throw std::runtime_error("the application failed");
      try {
        for (int i = 0; i < 100; ++i) plan.forward(a, b);
      } catch (const Error& e) {
        released += e.status() == Status::transport_failed;
        throw;
      }
    });
    ADD_FAILURE() << "on_ranks() swallowed the failure";
  } catch (const std::runtime_error& e) { EXPECT_STREQ(e.what(), "the application failed"); }
  EXPECT_EQ(released, 2);
}

}  // namespace
}  // namespace shardfft::testing
