// Plans whose first two or last two sweeps take turns, part by part, since the array stays on its ranks between them:
// they give what others give, and keep their promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "plan/approximate/beside_exact.hpp"
#include "shardfft/shardfft.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/approximation.hpp"
#include "support/ranks/mpi_world.hpp"
#include "transport/transport.hpp"

namespace shardfft::testing {
namespace {

// Each rank, or two together, have a node of their own: messages between nodes go over the network, as far as the plan
// knows.
Comm nodes(const std::string& transport) {
  return world(find_transport(transport)->store_reach() == StoreReach::node ? 2 : 1);
}

// Long enough for parts on every rank, and not divided evenly.
Index long_axis(const Comm& comm) { return 70 * comm.size() + 3; }

bool goes_in_parts(const Plan& plan) { return plan.describe().find("in 2 parts") != std::string::npos; }

/// On more than 3 ranks one case in 3, and where all takes long one in `step`; others for other numbers of ranks.
class Chosen {
 public:
  Chosen(const Comm& comm, int step) : step_(crowded(comm) ? step : comm.size() > 3 ? 3 : 1), number_(comm.size()) {}
  [[nodiscard]] bool next() { return ++number_ % step_ == 0; }
  /// At least so many of all cases; of some of them one.
  [[nodiscard]] int of_all(int least) const { return step_ == 1 ? least : 1; }

 private:
  int step_, number_;
};

struct Hashes {
  std::uint64_t forward = 0, backward = 0;
  friend bool operator==(const Hashes&, const Hashes&) = default;
};

// Twice, the second time polling: what the first run left must not matter.
Hashes hashes(Plan& plan, const Comm& comm, const Problem& problem, bool in_place) {
  const bool complex_in = problem.kind != r2c, complex_out = problem.kind != c2r;
  LocalData<double> in(packed_memory(plan.input(), comm.rank()), complex_in),
      back(packed_memory(plan.input(), comm.rank()), complex_in),
      out(packed_memory(plan.output(), comm.rank()), complex_out);
  in.fill(random_array(plan.input().global(), complex_in, 5));
  Hashes first;
  for (const bool polls : {false, true}) {
    if (polls) {
      plan.start(Direction::forward, in.view(), out.view());
      while (!plan.test()) std::this_thread::yield();
      plan.wait();
    } else {
      run(plan, Direction::forward, in_place, in, out);
    }
    run(plan, Direction::backward, in_place, out, back);
    const Hashes now{plan.hash_output(out.view()), plan.hash_input(back.view())};
    EXPECT_TRUE(!polls || now == first);
    first = now;
    if (in_place) break;  // start() would need memory for both
  }
  return first;
}

class MpiPlansInParts : public ::testing::TestWithParam<std::string> {};

TEST_P(MpiPlansInParts, GiveTheBitsOfOneRankAlone) {
  const Comm comm = nodes(GetParam());
  if (!find_transport(GetParam())->refuses(comm).empty()) return;  // a single rank, or a single node
  int in_parts = 0;
  Chosen chosen(comm, 5);
  for (const Problem& problem : {Problem{.shape = {long_axis(comm), 12, 18}},
                                 {.shape = {long_axis(comm), 10, 9}, .kind = r2c},
                                 {.shape = {long_axis(comm), 9, 13}, .kind = c2r},
                                 {.shape = {long_axis(comm), 14, 16}, .axes = {1, 2}}})
    for (const auto& [in, out] : {std::pair{slabs(0), slabs(0)},
                                  {slabs(0), slabs(1)},
                                  {slabs(2), slabs(0)},
                                  {slabs(1), slabs(1)},
                                  {bricks(), slabs(0)}})
      for (const bool in_place : {false, true}) {
        if ((in_place && problem.kind != c2c) || !chosen.next()) continue;
        Plan plan(comm, problem,
                  {.input = in,
                   .output = out,
                   .threads = 1,
                   .in_place = in_place,
                   .expert = {.transport = GetParam(), .decomposition = "slab", .chunks = 3, .fuse = 1}}),
            alone(local(), problem, {.input = in, .output = out, .threads = 1});
        in_parts += goes_in_parts(plan);
        EXPECT_EQ(hashes(plan, comm, problem, in_place), hashes(alone, local(), problem, false))
            << to_string(problem) << " " << to_string(in) << " -> " << to_string(out)
            << (in_place ? ", in place\n" : "\n") << plan.describe();
      }
  EXPECT_EQ(in_parts >= chosen.of_all(6), comm.size() > 1) << in_parts;
}

// Each part is encoded at a share of its own norm: of all kinds of data, those that are all in one part, too.
TEST_P(MpiPlansInParts, KeepATolerance) {
  const Comm comm = nodes(GetParam());
  if (!find_transport(GetParam())->refuses(comm).empty()) return;
  int in_parts = 0, lossy = 0;
  std::uint64_t seed = 3;
  Chosen chosen(comm, 18);
  for (const Problem& problem : {Problem{.shape = {long_axis(comm), 16, 24}},
                                 {.shape = {long_axis(comm), 12, 20}, .kind = r2c},
                                 {.shape = {long_axis(comm), 12, 9}, .kind = c2r}})
    for (const char* codec : {"block_float", "f16", "mantissa"})
      for (const char* guarantee : {"certified", "worst", "statistical"})
        for (const Direction direction : {Direction::forward, Direction::backward}) {
          if (++seed, !chosen.next()) continue;
          const int kind = static_cast<int>(seed % static_cast<std::uint64_t>(std::size(kinds_of_data)));
          const double tolerance = seed % 3 == 0 ? 1e-2 : 1e-3;
          const Options o{.input = slabs(0),
                          .output = seed % 2 ? slabs(0) : slabs(1),
                          .tolerance = tolerance,
                          .guarantee = guarantee,
                          .threads = 1,
                          .expert = {.transport = GetParam(), .decomposition = "slab", .codec = codec, .chunks = 3}};
          const bool forward = direction == Direction::forward;
          const Plan plan(comm, problem, o);
          in_parts += goes_in_parts(plan);
          const bool complex_from = problem.kind == c2c || (problem.kind == r2c) != forward;
          const auto b = beside_exact<double>(
              comm, problem, o,
              data_of(kind, (forward ? plan.input() : plan.output()).global(), complex_from, seed, false), direction,
              /*split=*/seed % 2 == 0);
          SCOPED_TRACE(to_string(problem) + " " + codec + ", data " + std::to_string(kind) +
                       (forward ? ", forward" : ", backward"));
          if (std::isfinite(b.relative())) { EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic); }
          EXPECT_LE(b.loss.bound, tolerance);
          lossy += b.loss.encoded > 0;
        }
  EXPECT_EQ(in_parts >= chosen.of_all(21), comm.size() > 1) << in_parts;
  EXPECT_EQ(lossy >= chosen.of_all(11), comm.size() > 1) << lossy;
}

// Spans of two steps that take turns follow each other, as others do.
TEST_P(MpiPlansInParts, AreRecordedTurnByTurn) {
  using What = Span::What;
  const Comm comm = nodes(GetParam());
  if (!find_transport(GetParam())->refuses(comm).empty() || comm.size() == 1) return;
  Plan plan(comm, {.shape = {long_axis(comm), 24, 17}},
            {.input = slabs(0),
             .output = slabs(0),
             .threads = 1,
             .expert = {.transport = GetParam(), .decomposition = "slab", .chunks = 3, .fuse = 1}});
  ASSERT_TRUE(goes_in_parts(plan));
  const Array in = plan.make_input(), out = plan.make_output();
  plan.record(2);
  plan.forward(in, out);
  plan.backward(out, in);
  for (const int run : {0, 1}) {
    const auto of = [&](What what) {
      std::vector<Span> found;
      std::ranges::copy_if(plan.recorded(), std::back_inserter(found),
                           [&](const Span& s) { return s.what == what && s.run == run; });
      return found;
    };
    const std::vector<Span> steps = of(What::step);
    for (std::size_t i = 1; i < steps.size(); ++i) EXPECT_LE(steps[i - 1].end_ns, steps[i].begin_ns) << steps[i].label;
    for (const What what : {What::chunk, What::send})
      for (const Span& part : of(what))
        EXPECT_EQ(
            std::ranges::count_if(
                steps, [&](const Span& step) { return step.begin_ns <= part.begin_ns && part.end_ns <= step.end_ns; }),
            1)
            << part.label;
    for (const Span& wait : of(What::wait))
      EXPECT_EQ(
          std::ranges::count_if(
              steps, [&](const Span& step) { return wait.begin_ns < step.end_ns && step.begin_ns < wait.end_ns; }),
          0)
          << wait.label;
    for (const char* label : {"sweep axis 2", "sweep axis 1"}) {
      EXPECT_GE(std::ranges::count_if(steps, [&](const Span& s) { return s.label == label; }), 2) << label;
      EXPECT_EQ(std::ranges::count_if(steps, [&](const Span& s) { return s.label == label && s.bytes > 0; }), 1)
          << label << ": bytes are said once";
    }
  }
}

// A rank may have nothing to encode, since all that it sends stays with it.
TEST_P(MpiPlansInParts, KeepToleranceOfRanksThatSendNothing) {
  const Comm comm = nodes(GetParam());
  if (!find_transport(GetParam())->refuses(comm).empty()) return;
  const Problem problem{.shape = {long_axis(comm), 12, 16}, .axes = {1, 2}};
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const Options o{.input = slabs(0),
                    .output = process_grid({1, 1, 1}),
                    .tolerance = 1e-3,
                    .threads = 1,
                    .expert = {.transport = GetParam(),
                               .decomposition = "slab",
                               .codec = "block_float",
                               .encode_near = true,
                               .chunks = 3,
                               .fuse = 1}};
    EXPECT_EQ(goes_in_parts(Plan(comm, problem, o)), comm.size() > 1);
    const auto b = beside_exact<double>(comm, problem, o, data_of(0, problem.shape, true, 5, false), direction);
    EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
    EXPECT_LE(b.loss.bound, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, MpiPlansInParts,
                         ::testing::Values("mpi_p2p", "mpi_alltoallv", "mpi_rma", "mixed", "mpi_node"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace shardfft::testing
