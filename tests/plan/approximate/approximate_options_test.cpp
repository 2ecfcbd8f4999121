// Approximate mode: what its options promise.
#include <gtest/gtest.h>

#include "plan/approximate/beside_exact.hpp"
#include "support/chosen.hpp"
#include "support/comm/comm_threads.hpp"
#include "support/ranks/interleaved.hpp"

namespace shardfft::testing {
namespace {

const Options four{.input = bricks(), .output = bricks(), .threads = 1, .expert = {.encode_near = true}};

Options with_tolerance(double tolerance, const char* guarantee = "", const char* codec = "") {
  Options o = four;
  o.tolerance = tolerance;
  o.guarantee = guarantee;
  o.expert.codec = codec;
  return o;
}

struct Batch {
  Shape shape;
  std::vector<int> axes;
};

// White, constant, a cosine, a spike, one loud row. The last array has axes that are not transformed, along which
// nothing evens out.
TEST(ApproximateOptions, ALargestErrorIsKeptByEveryElement) {
  Sample sample;
  for (const Batch& batch :
       {Batch{{16, 12, 20}, {0, 1, 2}}, Batch{{48, 40, 50}, {0, 1, 2}}, Batch{{24, 60, 64}, {1, 2}}})
    for (const int data : {0, 1, 2, 3, 13})
      for (const char* codec : {"", "f16", "block_float"})
        for (const char* guarantee : {"", "certified"}) {
          if (product(batch.shape) > 10000 && data == 1 && *guarantee) continue;  // enough is enough
          if (!sample.takes()) continue;
          on_ranks(4, [&](Comm comm) {
            Options o = four;
            o.tolerance_linf = 1e-3;
            o.expert.codec = codec;
            o.guarantee = guarantee;
            const auto b = beside_exact<double>(comm, {.shape = batch.shape, .axes = batch.axes}, o,
                                                data_of(data, batch.shape, true, 5, false));
            EXPECT_LE(b.largest_by_rms(), o.tolerance_linf)
                << to_string(batch.shape) << " " << kinds_of_data[data] << " " << codec << " " << guarantee;
          });
        }
}

// A ninth of each unit leaves the first node, for the same ninth of the result; what the rest of the unit might have
// lost is not lost there.
TEST(ApproximateOptions, ALargestErrorIsKeptWhereLittleOfTheArrayIsSent) {
  constexpr Index rows = 8192;
  on_ranks(9, 8, [&](Comm comm) {
    const Problem p{.shape = {rows, 9}};
    const auto b = beside_exact<double>(comm, p,
                                        {.input = slabs(0),
                                         .output = slabs(1),
                                         .tolerance_linf = 1e-3,
                                         .threads = 1,
                                         .expert = {.codec = "block_float"}},
                                        data_of(0, p.shape, true, 5, false));
    EXPECT_LE(b.largest_by_rms(), 1e-3);
    EXPECT_GT(b.loss.encoded, 0);
  });
}

// All but one row is zero: what two exchanges lose lies in the few numbers of the others' blocks, where it may well
// point the same way.
TEST(ApproximateOptions, WhatIsToldOfDitheredLossesHoldsWhereMostNumbersAreZero) {
  Whole x{.shape = {4096, 64}, .values = std::vector<Reference>(4096 * 64)};
  const Whole noise = data_of(0, {64}, true, 5, false);
  for (Index i = 0; i < 64; ++i) x.at({1, i}) = noise.at({i});
  on_ranks(2, [&](Comm comm) {
    Options o{.input = slabs(1),
              .output = slabs(1),
              .guarantee = "statistical",
              .threads = 1,
              .expert = {.codec = "block_float", .encode_near = true}};
    const Problem p{.shape = x.shape, .axes = {1}};
    Plan exact(comm, p, exactly(o));
    o.tolerance = 1e-3;
    Plan plan(comm, p, o);
    LocalData<double> in(packed_memory(plan.input(), comm.rank()), true),
        out(packed_memory(plan.output(), comm.rank()), true), right = out;
    in.fill(x);
    run(exact, Direction::forward, false, in, right);
    for (int i = 0; i < 20; ++i) {
      run(plan, Direction::forward, false, in, out);
      double error2 = 0, norm2 = 0;
      for (std::size_t k = 0; k < out.view().bytes / sizeof(double); ++k) {
        error2 += std::pow(out.raw()[k] - right.raw()[k], 2);
        norm2 += std::pow(right.raw()[k], 2);
      }
      const Loss loss = plan.loss();
      EXPECT_LE(std::sqrt(all_sum(comm, error2) / all_sum(comm, norm2)), loss.bound * (1 + 1e-6)) << "run " << i;
      EXPECT_LE(loss.bound, o.tolerance);
      EXPECT_GT(loss.encoded, 0);
    }
  });
}

TEST(ApproximateOptions, GuaranteesDifferInBitsAsTheirStepsDo) {
  double bits[3] = {}, encoded[3] = {};
  for (int i = 0; i < 3; ++i)
    on_ranks(4, [&](Comm comm) {
      const auto b = beside_exact<double>(
          comm, {.shape = {48, 48, 48}},
          with_tolerance(1e-4, std::array{"worst", "certified", "statistical"}[static_cast<std::size_t>(i)],
                         "block_float"),
          data_of(0, {48, 48, 48}, true, 5, false));
      EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
      EXPECT_LE(b.loss.bound, 1e-4);
      if (comm.rank() == 0) bits[i] = b.loss.bits, encoded[i] = b.loss.encoded;
    });
  EXPECT_GT(bits[0], bits[1] + 0.5);  // log2(sqrt(3)) = 0.8
  EXPECT_GT(bits[1], bits[2] + 0.5);  // log2(sqrt(exchanges)), less what is left to chance
  EXPECT_LT(encoded[0], 0.7 * encoded[1]);
  EXPECT_GT(encoded[1], 0.9e-4);
}

// On the way back to reals all of a rank's results go to where their norm is found, and what it keeps to its own place,
// too, which ends in the middle of a tile.
TEST(ApproximateOptions, ACodecThatLosesNothingGivesTheBitsOfNone) {
  for (const Shape& shape : {Shape{16, 16, 16}, {32, 8, 32}, {20, 12, 20}})
    on_ranks(4, [&](Comm comm) {
      std::array<std::uint64_t, 2> back{}, forth{};
      for (const bool coded : {false, true}) {
        Plan plan(comm, {.shape = shape, .kind = r2c},
                  {.input = pencils(2),
                   .output = pencils(0),
                   .threads = 1,
                   .expert = {.ranks_grid = {2, 2}, .codec = coded ? "lossless" : "none", .encode_near = coded}});
        Array in = plan.make_input(), out = plan.make_output();
        for (std::size_t i = 0; i < in.as<double>().size(); ++i)
          in.as<double>()[i] = std::sin(static_cast<double>(i * i % 1009));
        plan.forward(in, out);
        forth[coded] = plan.hash_output(out);
        plan.backward(out, in);
        back[coded] = plan.hash_input(in);
        EXPECT_EQ(plan.loss().bytes_after > 0, coded);
      }
      EXPECT_EQ(forth[0], forth[1]) << to_string(shape);
      EXPECT_EQ(back[0], back[1]) << to_string(shape);
    });
}

TEST(ApproximateOptions, WithinOneNodeNothingIsEncodedUnlessAskedFor) {
  on_ranks(4, [&](Comm comm) {
    Options o = with_tolerance(1e-2);
    o.expert.encode_near = false;
    const auto b = beside_exact<double>(comm, {.shape = {24, 20, 26}}, o, data_of(0, {24, 20, 26}, true, 5, false));
    EXPECT_TRUE(same_bits(b));
    EXPECT_EQ(b.loss.bytes_before, 0);
    EXPECT_EQ(b.loss.bound, b.arithmetic);
    EXPECT_NE(Plan(comm, {.shape = {24, 20, 26}}, o).describe().find("nothing leaves the node"), std::string::npos);
  });
}

TEST(ApproximateOptions, AGuaranteeWithoutAToleranceChangesNothing) {
  on_ranks(4, [&](Comm comm) {
    const auto b = beside_exact<double>(comm, {.shape = {24, 20, 26}}, with_tolerance(0, "statistical"),
                                        data_of(0, {24, 20, 26}, true, 5, false));
    EXPECT_TRUE(same_bits(b));
    EXPECT_EQ(b.loss.bytes_before, 0);
  });
}

TEST(ApproximateOptions, RunsRepeatTheirBitsUnlessTheyAreDithered) {
  for (const char* guarantee : {"certified", "worst", "statistical"})
    on_ranks(4, [&](Comm comm) {
      Plan plan(comm, {.shape = {48, 40, 50}}, with_tolerance(1e-3, guarantee, "block_float"));
      LocalData<double> in(packed_memory(plan.input(), comm.rank()), true),
          out(packed_memory(plan.output(), comm.rank()), true);
      in.fill(data_of(0, {48, 40, 50}, true, 5, false));
      std::vector<std::uint64_t> hashes;
      for (int i = 0; i < 3; ++i) {
        plan.forward(in.view(), out.view());
        hashes.push_back(plan.hash_output(out.view()));
        EXPECT_TRUE(plan.verify(in.view(), out.view()).ok());
        EXPECT_LE(plan.error_bound(), 1e-3);
      }
      EXPECT_EQ(hashes[0] == hashes[1] && hashes[1] == hashes[2], std::string(guarantee) != "statistical") << guarantee;
    });
}

TEST(ApproximateOptions, PlansUnderWayTogetherNeverWaitForEachOther) {
  for (const int ranks : {2, 4, 7})
    on_ranks(ranks, [](Comm comm) {
      run_interleaved(comm,
                      {.input = bricks(),
                       .output = bricks(),
                       .tolerance = 1e-4,
                       .threads = 1,
                       .expert = {.decomposition = "pencil", .encode_near = true}},
                      3, 10);
    });
}

TEST(ApproximateOptions, EarlierRunsAreForgottenWhenTheLossIsTold) {
  on_ranks(4, [&](Comm comm) {
    Plan plan(comm, {.shape = {24, 20, 26}}, with_tolerance(1e-3));
    LocalData<double> in(packed_memory(plan.input(), comm.rank()), true),
        out(packed_memory(plan.output(), comm.rank()), true);
    in.fill(data_of(0, {24, 20, 26}, true, 5, false));
    plan.forward(in.view(), out.view());
    EXPECT_GT(plan.loss().encoded, 0);
    in.fill(data_of(10, {24, 20, 26}, true, 5, false));
    plan.forward(in.view(), out.view());
    EXPECT_EQ(plan.loss().encoded, 0);
  });
}

// Coefficients as turbulence has them, steep towards large wave numbers along all axes.
Whole steep_spectrum(const Shape& space, bool real) {
  Whole y = real ? transformed({.shape = space, .kind = r2c, .axes = {0, 1, 2}}, data_of(0, space, false, 5, false),
                               Direction::forward)
                 : data_of(0, space, true, 5, false);
  for_each(whole(y.shape), [&](const Coord& at) {
    long double k2 = 0;
    for (int a = 0; a < space.dims(); ++a)
      k2 += std::pow(static_cast<long double>(std::min(at[a], space[a] - at[a])), 2);
    const long double k = std::sqrt(k2);
    y.at(at) *= k == 0 ? 0 : std::pow(k, -11.0L / 6) * std::exp(-7.8L * k / static_cast<long double>(space[0]));
  });
  return y;
}

// The norm is known before the first exchange of a spectrum: with a share of each unit's own norm, what follows would
// take a fifth more than what was sent the other way.
TEST(ApproximateOptions, ASteepSpectrumTakesAboutAsFewBitsBackAsForth) {
  const Shape space{48, 48, 48};
  for (const Kind kind : {c2c, r2c, c2r}) {
    const Whole y = steep_spectrum(space, kind != c2c);
    for (const bool in_place : {false, true})
      for (const LayoutSpec& spectrum : {pencils(0), bricks()})
        on_ranks(4, [&](Comm comm) {
          if (kind != c2c && in_place) return;  // half spectra are not encoded
          Options o = with_tolerance(1e-3, "", "block_float");
          const bool spectrum_first = kind == c2r;
          (spectrum_first ? o.output : o.input) = pencils(2);
          (spectrum_first ? o.input : o.output) = spectrum;
          o.in_place = in_place;
          const Problem p{.shape = space, .kind = kind};
          const auto back =
              beside_exact<double>(comm, p, o, y, spectrum_first ? Direction::forward : Direction::backward);
          EXPECT_LE(back.loss.bound, 1e-3);
          EXPECT_LE(back.relative(), back.loss.bound + back.arithmetic) << to_string(p);
          // The other way, from what came out.
          Plan plan(comm, p, o), exact(comm, p, exactly(o));
          const bool real = kind != c2c;
          LocalData<double> in(packed_memory(spectrum_first ? plan.output() : plan.input(), comm.rank()), !real),
              out(packed_memory(spectrum_first ? plan.input() : plan.output(), comm.rank()), true);
          out.fill(y);
          run(exact, spectrum_first ? Direction::forward : Direction::backward, in_place, out, in);
          run(plan, spectrum_first ? Direction::backward : Direction::forward, in_place, in, out);
          EXPECT_LT(back.loss.bits, 1.1 * plan.loss().bits)
              << to_string(p) << (in_place ? ", in place, " : ", ")
              << (spectrum.kind == LayoutSpec::Kind::bricks ? "bricks" : "pencils");
          EXPECT_GT(back.loss.bits, 0.8 * plan.loss().bits);
        });
  }
}

// Arrays lie without guards: guards in all gaps would change the norm.
TEST(ApproximateOptions, SpectraMayLieInPlacesOfTheCallers) {
  const Shape space{24, 20, 26}, half{24, 20, 14};
  for (const Kind kind : {c2c, r2c})
    for (const int ranks : {3, 4, 30})  // 30: some have nothing
      on_ranks(ranks, [&](Comm comm) {
        std::mt19937_64 random(static_cast<std::uint64_t>(comm.rank()) + 17);
        const Shape shape = kind == c2c ? space : half;
        Options o = with_tolerance(1e-3);
        o.output = slabs(0);
        const LocalMemory places = padded_memory(Layout(o.output, shape, ranks), comm.rank(), random);
        const Whole y = transformed({.shape = space, .kind = kind, .axes = {0, 1, 2}},
                                    data_of(0, space, kind == c2c, 3, false), Direction::forward);
        Options placed = o;
        placed.output_memory = places.places;
        Plan plan(comm, {.shape = space, .kind = kind}, placed),
            exact(comm, {.shape = space, .kind = kind}, exactly(o));
        LocalData<double> there(places, true), packed(packed_memory(exact.output(), comm.rank()), true),
            got(packed_memory(plan.input(), comm.rank()), kind == c2c), wanted = got;
        there.fill(y);
        packed.fill(y);
        plan.backward(there.view(), got.view());
        exact.backward(packed.view(), wanted.view());
        Beside<double> b{.loss = plan.loss()};
        const auto n = static_cast<std::ptrdiff_t>(got.view().bytes / sizeof(double));
        b.got.assign(got.raw().begin(), got.raw().begin() + n);
        b.exact.assign(wanted.raw().begin(), wanted.raw().begin() + n);
        compare(comm, kind == c2c, b);
        EXPECT_GT(b.loss.encoded, 1e-4);
        EXPECT_LE(b.loss.bound, 1e-3);
        EXPECT_LE(b.relative(), b.loss.bound * (1 + 1e-6) + exact.error_bound());
        EXPECT_TRUE(there.gaps_untouched());
      });
}

}  // namespace
}  // namespace shardfft::testing
