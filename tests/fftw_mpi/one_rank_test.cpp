// Arguments that are wrong, or different, on one rank alone: no rank gets a plan, and none waits.
#include <limits>
#include <string>

#include "fftw_mpi/calls.hpp"

namespace shardfft::testing {
namespace {

/// All arguments of fftw_mpi_plan_many_dft but the arrays and the communicator.
struct Asked {
  int rank = 3;
  Sizes n{4, 6, 5};
  Size howmany = 1, in_block = 0, out_block = 0;
  int sign = FFTW_FORWARD;
  unsigned flags = FFTW_ESTIMATE;
  std::vector<fftw_r2r_kind> kinds{FFTW_REDFT10, FFTW_RODFT11, FFTW_DHT};
  bool in_place = false;
};

struct Mistake {
  const char* what;
  std::function<void(Asked&)> make;
};

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"an extent of 0", [](Asked& a) { a.n[1] = 0; }},
      {"a negative extent", [](Asked& a) { a.n[2] = -5; }},
      {"another extent", [](Asked& a) { a.n[0] = 5; }},
      {"an extent beyond all memory", [](Asked& a) { a.n[0] = std::numeric_limits<Size>::max() / 2; }},
      {"no axes", [](Asked& a) { a.rank = 0; }},
      {"a negative number of axes", [](Asked& a) { a.rank = -1; }},
      {"fewer axes", [](Asked& a) { a.rank = 2; }},
      {"more axes than shardfft has", [](Asked& a) { a.rank = 9, a.n.resize(9, 1); }},
      {"a negative howmany", [](Asked& a) { a.howmany = -1; }},
      {"a howmany of 0", [](Asked& a) { a.howmany = 0; }},
      {"another howmany", [](Asked& a) { a.howmany = 2; }},
      {"a negative block", [](Asked& a) { a.in_block = -1; }},
      {"another block", [](Asked& a) { a.out_block = 4; }},
      {"blocks that are too small", [](Asked& a) { a.in_block = 1; }},
      {"transposed output", [](Asked& a) { a.flags |= FFTW_MPI_TRANSPOSED_OUT; }},
      {"more patience", [](Asked& a) { a.flags = FFTW_PATIENT; }},
      {"one array", [](Asked& a) { a.in_place = true; }},
  };
  return all;
}

/// Arguments are compared before a precision matters.
class OneRank : public ::testing::Test {
 protected:
  using C = Calls<double>;
  using Planner = std::function<C::Plan(const Asked&)>;

  /// Makes every mistake on every rank in turn. Afterwards the ranks still agree on a plan.
  void expect_no_plan(const Planner& plan, const std::vector<Mistake>& all) {
    for (const Mistake& mistake : all)
      for (int wrong = 0; world_size() > 1 && wrong < world_size(); ++wrong) {
        Asked asked;
        if (world_rank() == wrong) mistake.make(asked);
        EXPECT_EQ(plan(asked), nullptr) << mistake.what << " on rank " << wrong;
      }
    const auto right = plan(Asked{});
    EXPECT_NE(right, nullptr);
    C::destroy(right);
  }

  const Memory<double> x{2000}, y{2000};
};

TEST_F(OneRank, WithAWrongArgumentOfDftLeavesAllWithoutAPlan) {
  auto all = mistakes();
  all.push_back({"a sign of 7", [](Asked& a) { a.sign = 7; }});
  all.push_back({"the other sign", [](Asked& a) { a.sign = FFTW_BACKWARD; }});
  all.push_back({"no extents", [](Asked& a) { a.n.clear(); }});
  expect_no_plan(
      [&](const Asked& a) {
        return C::dft(a.rank, a.n.empty() ? nullptr : a.n.data(), a.howmany, a.in_block, a.out_block, x.get(),
                      a.in_place ? x.get() : y.get(), MPI_COMM_WORLD, a.sign, a.flags);
      },
      all);
}

TEST_F(OneRank, WithAWrongArgumentOfR2cOrC2rLeavesAllWithoutAPlan) {
  expect_no_plan(
      [&](const Asked& a) {
        return C::r2c(a.rank, a.n.data(), a.howmany, a.in_block, a.out_block, x.real(), a.in_place ? x.get() : y.get(),
                      MPI_COMM_WORLD, a.flags);
      },
      mistakes());
  expect_no_plan(
      [&](const Asked& a) {
        return C::c2r(a.rank, a.n.data(), a.howmany, a.in_block, a.out_block, x.get(), a.in_place ? x.real() : y.real(),
                      MPI_COMM_WORLD, a.flags);
      },
      mistakes());
}

TEST_F(OneRank, WithAWrongArgumentOfR2rOrATransposeLeavesAllWithoutAPlan) {
  expect_no_plan(
      [&](const Asked& a) {
        return C::r2r_2d(a.n.at(0), a.n.at(1), x.real(), a.in_place ? x.real() : y.real(), MPI_COMM_WORLD, a.kinds[0],
                         a.kinds[1], a.flags);
      },
      {mistakes()[0],
       mistakes()[2],
       {"another kind", [](Asked& a) { a.kinds[1] = FFTW_DHT; }},
       {"a kind that is FFTW's alone", [](Asked& a) { a.kinds[0] = FFTW_R2HC; }},
       {"a kind that there is not", [](Asked& a) { a.kinds[0] = static_cast<fftw_r2r_kind>(42); }},
       {"one array", [](Asked& a) { a.in_place = true; }}});
  auto all = mistakes();
  std::erase_if(all, [](const Mistake& m) { return std::string(m.what).find("axes") != std::string::npos; });
  std::erase_if(all, [](const Mistake& m) { return std::string(m.what) == "a negative extent"; });  // of axis 2
  expect_no_plan(
      [&](const Asked& a) {
        return C::transpose(a.n[0], a.n[1], a.howmany, a.in_block, a.out_block, x.real(),
                            a.in_place ? x.real() : y.real(), MPI_COMM_WORLD, a.flags);
      },
      all);
}

TEST_F(OneRank, MayHaveOtherFlagsOfAlignment) {
  const unsigned flags = world_rank() == 0 ? FFTW_UNALIGNED : 0U;
  const auto plan = C::dft_3d(4, 6, 5, x.get(), y.get(), MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE | flags);
  EXPECT_NE(plan, nullptr);
  C::destroy(plan);
}

/// The line that rank 0 prints names the rank and its rule.
TEST(OneRankSays, WhichRankBreaksWhichRule) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  const Memory<double> x(2000);
  const auto said = [&](int sign, Size n0) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(fftw_mpi_plan_dft_2d(n0, 6, x.get(), x.get(), MPI_COMM_WORLD, sign, FFTW_ESTIMATE), nullptr);
    return ::testing::internal::GetCapturedStderr();
  };
  const bool last = world_rank() == world_size() - 1, first = world_rank() == 0;
  const std::string who = "rank " + std::to_string(world_size() - 1);
  EXPECT_EQ(said(last ? 7 : -1, 4),
            first ? "shardfft: fftw_mpi_plan_many_dft: no plan: " + who + ": the sign must be -1 or +1, got 7\n" : "");
  const std::string rest = " x 6, howmany 1, blocks 0 and 0, sign -1, flags 0x40 on ";
  EXPECT_EQ(said(-1, last ? 9 : 4),
            first ? "shardfft: fftw_mpi_plan_many_dft: no plan: all ranks must ask for the same plan; got "
                    "fftw_mpi_plan_many_dft of 4" +
                        rest + "rank 0, fftw_mpi_plan_many_dft of 9" + rest + who + "\n"
                  : "");
}

}  // namespace
}  // namespace shardfft::testing
