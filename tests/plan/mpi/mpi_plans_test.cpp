// Plans between processes: every transport gives the bits of one rank alone.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "plan/approximate/beside_exact.hpp"
#include "shardfft/shardfft.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/random_problem.hpp"
#include "support/ranks/interleaved.hpp"
#include "support/ranks/mpi_world.hpp"
#include "transport/transport.hpp"

namespace shardfft::testing {
namespace {

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all{{.shape = {24, 18, 20}},
                                        {.shape = {17, 13, 11}, .kind = r2c},
                                        {.shape = {5, 4, 6, 7}, .axes = {1, 3}},
                                        {.shape = {9, 10, 12}, .kind = c2r},
                                        {.shape = {11, 6, 7}, .kind = Kind::move, .element_bytes = 16}};
  return all;
}

double factor_of(const Problem& problem) { return problem.kind == Kind::move ? 1 : 0.7; }

struct Outcome {
  std::uint64_t forward = 0, backward = 0, adjoint = 0;
  bool verified = false;
};

Outcome run(const Comm& comm, const Problem& problem, const Options& options) {
  Plan plan(comm, problem, options);
  const bool complex_in = problem.kind != r2c, complex_out = problem.kind != c2r;
  LocalData<double> in(packed_memory(plan.input(), comm.rank()), complex_in),
      back(packed_memory(plan.input(), comm.rank()), complex_in);
  LocalData<double> out(packed_memory(plan.output(), comm.rank()), complex_out);
  in.fill(random_array(plan.input().global(), complex_in, 5));
  const double factor = factor_of(problem);
  for (int i = 0; i < 3; ++i) {
    plan.forward(in.view(), out.view(), factor);
    plan.backward(out.view(), back.view());
  }
  Outcome result{plan.hash_output(out.view()), plan.hash_input(back.view())};
  result.verified = plan.verify(in.view(), out.view(), Direction::forward, factor).ok();
  plan.adjoint(out.view(), back.view());
  result.adjoint = plan.hash_input(back.view());
  return result;
}

/// What one rank alone gives. No transport changes it: each is computed once.
const Outcome& run_alone(const Problem& problem, const LayoutSpec& in = any, const LayoutSpec& out = any) {
  static std::map<std::string, Outcome> known;
  const std::string what = to_string(problem) + " " + to_string(in) + " -> " + to_string(out);
  const auto found = known.find(what);
  if (found != known.end()) return found->second;
  return known[what] = run(local(), problem, {.input = in, .output = out});
}

/// Numbers of chunks for the plan of one problem and one pair of layouts: both, or where all takes long one of them in
/// turn, so that every problem and every pair has both.
std::vector<int> chunks_for(const Comm& comm, std::size_t problem, std::size_t pair) {
  if (!crowded(comm)) return {1, 3};
  return {(problem + pair) % 2 == 0 ? 1 : 3};
}

class MpiPlans : public ::testing::TestWithParam<std::string> {
 protected:
  static void expect_the_bits_of(const Outcome& alone, const Comm& comm, const Problem& problem, const LayoutSpec& in,
                                 const LayoutSpec& out, int chunks) {
    SCOPED_TRACE(to_string(problem) + " " + to_string(in) + " -> " + to_string(out));
    const Outcome together =
        run(comm, problem,
            {.input = in, .output = out, .threads = 1, .expert = {.transport = GetParam(), .chunks = chunks}});
    EXPECT_TRUE(together.verified);
    EXPECT_EQ(together.forward, alone.forward);
    EXPECT_EQ(together.backward, alone.backward);
    EXPECT_EQ(together.adjoint, alone.adjoint);
  }
};

TEST_P(MpiPlans, GiveTheBitsOfOneRankAloneWhateverTheLayoutsAndChunks) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  if (const std::string why = find_transport(GetParam())->refuses(comm); !why.empty()) {
    // Only a single rank may be refused, by transports that need two kinds of peers.
    EXPECT_THROW(run(comm, problems()[0], {.expert = {.transport = GetParam()}}), Error);
    return;
  }
  for (std::size_t p = 0; p < problems().size(); ++p) {
    const Problem& problem = problems()[p];
    const LayoutSpec blocks = slabs(0, problem.shape[0] / comm.size() + 1);
    const std::pair<LayoutSpec, LayoutSpec> pairs[] = {
        {any, any}, {slabs(0), slabs(0)}, {bricks(), bricks()}, {cyclic(1), pencils(0)}, {blocks, slabs(0)}};
    const Outcome& plain = run_alone(problem);
    for (std::size_t l = 0; l < std::size(pairs); ++l) {
      const auto& [in, out] = pairs[l];
      LayoutSpec even = in;
      even.block = 0;
      const Outcome& alone = run_alone(problem, even, out);  // back, these words say which axis comes first
      ASSERT_TRUE(alone.verified);
      EXPECT_EQ(alone.forward, plain.forward) << to_string(problem) << " " << to_string(in) << " -> " << to_string(out);
      for (const int chunks : chunks_for(comm, p, l)) expect_the_bits_of(alone, comm, problem, in, out, chunks);
    }
  }
}

TEST_P(MpiPlans, GiveTheBitsOfSlabsForOneLongAxisThatIsCyclic) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  if (!find_transport(GetParam())->refuses(comm).empty()) return;  // said by the test above
  const Problem long_ones[] = {{.shape = {4096}}, {.shape = {1536}, .kind = r2c}, {.shape = {2048, 3}, .axes = {0}}};
  const std::pair<LayoutSpec, LayoutSpec> pairs[] = {{cyclic(0), cyclic(0)}, {cyclic(0), slabs(0)}, {any, cyclic(0)}};
  for (std::size_t p = 0; p < std::size(long_ones); ++p) {
    const Problem& problem = long_ones[p];
    const Outcome& alone = run_alone(problem);
    for (std::size_t l = 0; l < std::size(pairs); ++l)
      for (const int chunks : chunks_for(comm, p, l))
        expect_the_bits_of(alone, comm, problem, pairs[l].first, pairs[l].second, chunks);
  }
}

TEST_P(MpiPlans, UnderWayTogetherNeverWaitForEachOther) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  if (!find_transport(GetParam())->refuses(comm).empty()) return;  // said by the test above
  run_interleaved(comm,
                  {.input = bricks(),
                   .output = bricks(),
                   .threads = 1,
                   .expert = {.transport = GetParam(), .decomposition = "pencil"}},
                  3, 5);
}

INSTANTIATE_TEST_SUITE_P(Transports, MpiPlans,
                         ::testing::Values("shared_memory", "mixed", "mpi_node", "mpi_p2p", "mpi_alltoallv"),
                         [](const auto& test) { return test.param; });

TEST(MpiPlansArrays, GiveTheBitsOfTheCallersOwnMemory) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  for (const Problem& problem : problems()) {
    const Outcome& alone = run_alone(problem, slabs(0), slabs(0));
    Plan plan(comm, problem, {.input = slabs(0), .output = slabs(0), .threads = 1});
    const bool complex_in = problem.kind != r2c;
    LocalData<double> own(packed_memory(plan.input(), comm.rank()), complex_in);
    own.fill(random_array(plan.input().global(), complex_in, 5));
    Array in = plan.make_input(), out = plan.make_output(), back = plan.make_input();
    if (in.bytes() > 0) std::memcpy(in.data(), own.view().data, in.bytes());
    for (int i = 0; i < 3; ++i) {
      plan.forward(in, out, factor_of(problem));
      plan.backward(out, back);
    }
    EXPECT_EQ(plan.hash_output(out), alone.forward) << to_string(problem);
    EXPECT_EQ(plan.hash_input(back), alone.backward) << to_string(problem);
  }
}

Shape shape_in(const Problem& p) {
  Shape shape = p.shape;
  if (p.kind == c2r) shape[shape.dims() - 1] = shape[shape.dims() - 1] / 2 + 1;
  return shape;
}

class MpiTolerances : public MpiPlans {};

// Messages of different lengths, through every transport.
TEST_P(MpiTolerances, AreKept) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  if (!find_transport(GetParam())->refuses(comm).empty()) return;
  double encoded = 0;
  for (const Problem& problem : problems())
    for (const auto& [in, out, chunks] : {std::tuple{bricks(), bricks(), 3}, {cyclic(1), pencils(0), 1}}) {
      if (problem.kind == Kind::move) continue;  // which is exact
      const Options o{.input = in,
                      .output = out,
                      .tolerance = 1e-4,
                      .threads = 1,
                      .expert = {.transport = GetParam(), .encode_near = true, .chunks = chunks}};
      const auto b =
          beside_exact<double>(comm, problem, o, data_of(0, shape_in(problem), problem.kind != r2c, 5, false));
      EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic) << to_string(problem);
      EXPECT_LE(b.loss.bound, 1e-4) << to_string(problem);
      encoded += b.loss.encoded;
    }
  EXPECT_EQ(encoded > 0, comm.size() > 1);
}

INSTANTIATE_TEST_SUITE_P(Transports, MpiTolerances,
                         ::testing::Values("shared_memory", "mixed", "mpi_node", "mpi_p2p", "mpi_alltoallv", "mpi_rma"),
                         [](const auto& test) { return test.param; });

TEST(MpiPlansByDefault, UseSharedMemoryInsideANodeAndFallBackWhereThereIsNone) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  if (comm.size() == 1) return;
  EXPECT_NE(Plan(comm, problems()[0]).describe().find("transport shared_memory"), std::string::npos);
  ::setenv("SHARDFFT_SHM_LIMIT", "1000", 1);
  const Plan small(comm, problems()[0], {.input = slabs(0), .output = slabs(0)});
  ::unsetenv("SHARDFFT_SHM_LIMIT");
  EXPECT_NE(small.describe().find("notice"), std::string::npos) << small.describe();
  EXPECT_NE(small.describe().find("transport mpi_p2p"), std::string::npos) << small.describe();
}

TEST(MpiPlansOfSeveralNodes, MixSharedMemoryAndMessages) {
  const Comm comm = world(2);
  for (const Problem& problem : problems()) {
    const Outcome& alone = run_alone(problem, slabs(0), bricks());
    for (const char* transport : {"mixed", "mpi_node"})
      for (const int chunks : {1, 3}) {
        if (!find_transport(transport)->refuses(comm).empty()) continue;
        const Outcome together = run(comm, problem,
                                     {.input = slabs(0),
                                      .output = bricks(),
                                      .threads = 1,
                                      .expert = {.transport = transport, .chunks = chunks}});
        EXPECT_EQ(together.forward, alone.forward) << transport << " " << to_string(problem);
        EXPECT_EQ(together.backward, alone.backward) << transport << " " << to_string(problem);
      }
  }
  if (comm.size() > 2) { EXPECT_NE(Plan(comm, problems()[0]).describe().find("transport mixed"), std::string::npos); }
}

// What stays within a node is not encoded.
TEST(MpiPlansOfSeveralNodes, KeepATolerance) {
  const Comm comm = world(2);
  const Problem problem{.shape = {24, 18, 20}};
  double bytes[2] = {};
  for (const bool near : {false, true}) {
    const Options o{.input = slabs(0),
                    .output = bricks(),
                    .tolerance = 1e-4,
                    .threads = 1,
                    .expert = {.codec = "block_float", .encode_near = near}};
    const auto b = beside_exact<double>(comm, problem, o, data_of(0, problem.shape, true, 5, false));
    EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
    EXPECT_LE(b.loss.bound, 1e-4);
    bytes[near] = b.loss.bytes_before;
  }
  if (comm.size() > 2) {
    EXPECT_GT(bytes[0], 0);
    EXPECT_GT(bytes[1], bytes[0]);
  } else {
    EXPECT_EQ(bytes[0], 0);
  }
}

// Heads, indexes and blocks that are filled up cost more than small messages have to save; a codec that is named alone,
// or a study, is obeyed all the same.
TEST(MpiPlansOfSeveralNodes, NeverSendMoreThanExactModeToKeepATolerance) {
  const Comm comm = world(1);
  int encoded = 0, exact = 0;
  for (const Shape& shape : {Shape{4, 4, 4}, {8, 8, 8}, {16, 12, 10}})
    for (const auto& [tolerance, codec, chunks] : {std::tuple(1e-3, "", 0),
                                                   {1e-12, "", 0},
                                                   {1e-3, "", 16},
                                                   {1e-3, "f32", 0},
                                                   {1e-3, "lossless", 0},
                                                   {1e-9, "f16", 0}}) {
      const Options o{.input = slabs(0),
                      .output = bricks(),
                      .tolerance = tolerance,
                      .threads = 1,
                      .expert = {.codec = codec, .chunks = chunks}};
      const auto b = beside_exact<double>(comm, {.shape = shape}, o, data_of(0, shape, true, 5, false));
      EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
      EXPECT_LE(b.loss.bound, tolerance);
      EXPECT_LE(b.loss.bytes_after, 1.02 * b.loss.bytes_before)
          << to_string(shape) << " at " << tolerance << " " << codec << ", " << chunks
          << " chunks: what is expected is that of usual data";
      (b.loss.bytes_before > 0 ? encoded : exact) += 1;
    }
  if (comm.size() == 1) return;
  EXPECT_GT(encoded, 0);
  EXPECT_GT(exact, 5);
  const Problem small{.shape = {2, 2, 2}};
  const auto codec_of = [&](Options o) {
    o.input = o.output = slabs(0);
    return Plan(comm, small, o).describe();
  };
  EXPECT_NE(codec_of({.tolerance = 1e-3}).find(" with headers and padding instead of "), std::string::npos);
  for (const Options& o : {Options{.tolerance = 1e-3, .expert = {.codec = "block_float", .encode_near = true}},
                           Options{.expert = {.codec = "lossless"}}})
    EXPECT_EQ(codec_of(o).find("headers and padding"), std::string::npos);
}

TEST(MpiErrors, AreTheSameOnAllRanks) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  try {
    const Plan plan(comm, {.shape = {8, comm.rank() == comm.size() - 1 && comm.size() > 1 ? 0 : 6},
                           .axes = comm.size() == 1 ? std::vector<int>{7} : std::vector<int>{}});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) { EXPECT_EQ(e.status(), Status::invalid_problem) << e.what(); }
}

}  // namespace
}  // namespace shardfft::testing
