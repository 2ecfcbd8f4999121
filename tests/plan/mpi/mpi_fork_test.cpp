// Children of fork() under MPI, which they cannot use.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "shardfft/mpi.hpp"
#include "shardfft/shardfft.hpp"
#include "support/ranks/in_child.hpp"
#include "support/ranks/mpi_world.hpp"

namespace shardfft::testing {
namespace {

std::optional<Plan> of_the_program;

TEST(AForkedChildOfMpi, LeavesTheRanksAsTheyAreWhenItExits) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const Problem problem{.shape = {24, 20, 16}};
  for (const char* transport : {"", "mpi_p2p", "mpi_alltoallv", "mpi_rma"}) {
    of_the_program.emplace(comm, problem, Options{.threads = 1, .wisdom = false, .expert = {.transport = transport}});
    Array in = of_the_program->make_input(), out = of_the_program->make_output();
    std::fill_n(in.as<double>().data(), in.as<double>().size(), 1.5);
    of_the_program->forward(in, out);
    const std::uint64_t before = of_the_program->hash_output(out);
    EXPECT_EQ(in_child([] {}, ChildEnd::by_exit), "ok");
    of_the_program->forward(in, out);
    EXPECT_EQ(of_the_program->hash_output(out), before);
  }
  of_the_program.reset();
}

TEST(AForkedChildOfMpi, IsRefusedInTimeAndLeavesTheRanksAsTheyAre) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const Problem problem{.shape = {24, 20, 16}};
  for (const char* transport : {"", "mpi_p2p", "mpi_alltoallv", "mpi_rma"}) {
    Plan plan(comm, problem, {.threads = 1, .wisdom = false, .expert = {.transport = transport}});
    Array in = plan.make_input(), out = plan.make_output();
    std::fill_n(in.as<double>().data(), in.as<double>().size(), 1.5);
    plan.forward(in, out);
    const std::uint64_t before = plan.hash_output(out), input = plan.hash_input(in);
    const std::string said = in_child([&] { plan.forward(in, out); });
    EXPECT_NE(said.find("ranks belong to the process that made them"), std::string::npos) << said;
    const std::string made = in_child([&] { (void)mpi(MPI_COMM_SELF); });
    EXPECT_NE(made.find("MPI runs in the process that started it"), std::string::npos) << made;
    EXPECT_EQ(in_child([&] {
                const Plan gone(std::move(plan));
                const Array first(std::move(in)), second(std::move(out));
                Plan own(local(), problem, {.threads = 1, .wisdom = false});
                Array from = own.make_input(), to = own.make_output();
                own.forward(from, to);
              }),
              "ok");
    EXPECT_EQ(plan.hash_input(in), input);
    plan.forward(in, out);
    EXPECT_EQ(plan.hash_output(out), before);
  }
}

}  // namespace
}  // namespace shardfft::testing
