// A grid of processes that was asked for is the one that the boxes show, or the adapter is wrong.
#include <gtest/gtest.h>

#include "peers/measure/checks.hpp"
#include "shardfft/error.hpp"
#include "shardfft/view.hpp"

namespace shardfft::peers {
namespace {

constexpr int ranks = 4;

/// Arrays that are cut as they are told to, and a transform that leaves them alone.
class Cut final : public Transform {
 public:
  Cut(const Task& task, int rank, const Coord& in_grid, const Coord& out_grid)
      : from_(process_grid(in_grid), task.input_array(), ranks),
        to_(process_grid(out_grid), task.spectrum_array(), ranks),
        rank_(rank) {
    const auto bytes = static_cast<std::size_t>(product(task.input_array()) * task.input_element());
    in_ = Array(bytes), out_ = Array(bytes);
  }
  std::vector<LocalPart> input() override { return parts_in_a_row(from_, rank_, in_.data(), element); }
  std::vector<LocalPart> spectrum() override { return parts_in_a_row(to_, rank_, out_.data(), element); }
  void forward() override {}
  void backward() override {}
  double gain() const override { return 1; }
  Description describe() const override { return {}; }

 private:
  static constexpr Index element = 16;
  Layout from_, to_;
  int rank_;
  Array in_, out_;
};

/// What the check says on all ranks; empty where it goes on to the answer.
std::string said(const Coord& asked, const Coord& in_grid, const Coord& out_grid, Index batch = 1) {
  const Task task{.shape = {5, 6, 4}, .layout = "pencils", .batch = batch, .grid = asked};
  std::string text;
  on_ranks(ranks, [&](const Comm& comm) {
    Cut transform(task, comm.rank(), in_grid, out_grid);
    std::string mine;
    try {
      (void)check(comm, task, transform);
    } catch (const Error& e) { mine = e.what(); }
    if (comm.rank() == 0) text = mine;
  });
  return text;
}

TEST(Grids, AreTheOnesThatWereAskedFor) {
  EXPECT_EQ(said({2, 2}, {2, 2, 1}, {1, 2, 2}), "");
  EXPECT_EQ(said({4, 1}, {4, 1, 1}, {1, 4, 1}), "");
  EXPECT_EQ(said({1, 4}, {1, 4, 1}, {1, 1, 4}), "");
}

TEST(Grids, OfABatchLeaveTheFieldsTogether) { EXPECT_EQ(said({4, 1}, {1, 4, 1, 1}, {1, 1, 4, 1}, 3), ""); }

TEST(Grids, ThatAreTurnedAreAFailure) {
  EXPECT_NE(said({4, 1}, {1, 4, 1}, {1, 4, 1}).find("axis 0 of the input must be cut by 4 processes"),
            std::string::npos);
  EXPECT_NE(said({1, 4}, {1, 4, 1}, {1, 4, 1}).find("axis 1 of the spectrum must be cut by 1 processes"),
            std::string::npos);
}

TEST(Grids, OfTheLibrarysOwnChoiceAreNotLookedAt) { EXPECT_EQ(said({}, {4, 1, 1}, {1, 1, 4}), ""); }

}  // namespace
}  // namespace shardfft::peers
