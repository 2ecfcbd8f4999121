// What is wrong with a problem or with memory is said on all ranks.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "solvers/poisson_problems.hpp"

namespace shardfft::solvers {
namespace {

using std::vector;

struct BadProblem {
  PoissonProblem problem;
  const char* said;
};

TEST(Poisson, SaysOnAllRanksWhatIsWrongWithAProblem) {
  const Shape shape{4, 4, 4};
  const EndValues one{.low = [](const Position&) { return 1.0; }};
  const BadProblem bad[] = {
      {{.shape = {4, 4, 4, 4}}, "1 to 3 axes; got 4"},
      {{.shape = {4, 0, 4}}, "at least 1 point"},
      {{.shape = shape, .lengths = {1, 1}}, "lengths are one positive number"},
      {{.shape = shape, .lengths = {1, 1, -1}}, "got 1, 1, -1"},
      {{.shape = shape, .lengths = {1, 1, 1}, .spacing = {1, 1, 1}}, "said once"},
      {{.shape = shape, .ends = {periodic}}, "got 1 for 3 axes"},
      {{.shape = shape, .ends = {periodic, {Boundary::even, Boundary::periodic}, neumann}},
       "one periodic end of axis 1"},
      {{.shape = {4, 1, 4}, .ends = {neumann, neumann, neumann}, .points = Points::nodes}, "at least 2"},
      {{.shape = shape, .shift = -1}, "got -1"},
      {{.shape = shape, .values = {one, {}, {}}}, "axis 0, which is periodic"},
      {{.shape = shape, .ends = {neumann, neumann, neumann}, .scheme = Scheme::spectral, .values = {one, {}, {}}},
       "second order"},
      {{.shape = shape, .stretched = 1}, "periodic axis 1"},
      {{.shape = shape, .ends = {neumann, neumann, neumann}, .stretched = 1, .faces = {0, 1, 2}}, "5 faces; got 3"},
      {{.shape = shape, .ends = {neumann, neumann, neumann}, .stretched = 1, .faces = {0, 1, 1, 2, 3}},
       "ascend; got 1"},
  };
  for (const auto& [problem, said] : bad)
    on_ranks(2, [&](const Comm& comm) {
      try {
        const Poisson poisson(comm, problem);
        ADD_FAILURE() << "made; expected: " << said;
      } catch (const Error& e) {
        EXPECT_EQ(e.status(), Status::invalid_problem);
        EXPECT_NE(std::string(e.what()).find(said), std::string::npos) << e.what();
      }
    });
}

TEST(Poisson, SaysOnAllRanksWhatIsWrongWithMemoryAndWithDifferentProblems) {
  on_ranks(2, [&](const Comm& comm) {
    Poisson poisson(comm, {.shape = {4, 4}});
    Array f = poisson.make_array(), u = poisson.make_array();
    EXPECT_THROW((void)poisson.solve(f, comm.rank() == 1 ? View(u.data(), 8) : View(u)), Error);
    EXPECT_THROW((void)poisson.solve(f, f), Error);
    vector<float> narrow(64);
    EXPECT_THROW((void)poisson.solve(narrow, u), Error);
    EXPECT_THROW(Poisson(comm, {.shape = {4, 4 + comm.rank()}}), Error);
    EXPECT_THROW(Poisson(comm, {.shape = {4, 4}}, {.padded_reals = true}), Error);
  });
}

}  // namespace
}  // namespace shardfft::solvers
