// A program with a C++ library of its own beside libshardfft.so: each calls its own functions and has its own state,
// although the program shows its symbols to those that it loads.
#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <vector>

#include "shardfft.h"
#include "shardfft/environment.hpp"
#include "shardfft/shardfft.hpp"

namespace {

using Numbers = std::vector<std::complex<double>>;

Numbers numbers() {
  Numbers all(60);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = {static_cast<double>(i % 7), static_cast<double>(i % 11)};
  return all;
}

Numbers forward_in_c(const Numbers& in) {
  const int64_t shape[] = {3, 4, 5};
  shardfft_comm comm = nullptr;
  shardfft_problem problem = nullptr;
  shardfft_plan plan = nullptr;
  Numbers out(in.size());
  EXPECT_EQ(shardfft_comm_local(&comm), 0);
  EXPECT_EQ(shardfft_problem_create(3, shape, SHARDFFT_C2C, SHARDFFT_F64, &problem), 0);
  EXPECT_EQ(shardfft_plan_create(comm, problem, nullptr, &plan), 0) << shardfft_error();
  EXPECT_EQ(shardfft_forward(plan, in.data(), in.size() * 16, out.data(), out.size() * 16), 0) << shardfft_error();
  shardfft_plan_destroy(plan);
  shardfft_problem_destroy(problem);
  shardfft_comm_destroy(comm);
  return out;
}

TEST(BothLibraries, GiveTheSameBits) {
  const Numbers in = numbers();
  Numbers out(in.size());
  shardfft::Plan plan(shardfft::local(), {.shape = {3, 4, 5}});
  plan.forward(in, out);
  EXPECT_EQ(forward_in_c(in), out);
}

TEST(BothLibraries, CatchTheirOwnErrors) {
  EXPECT_EQ(shardfft_comm_dry_run(2, 7, 1, nullptr), SHARDFFT_INVALID_ARGUMENT);
  EXPECT_THROW((void)shardfft::Plan(shardfft::local(), {.shape = {0}}), shardfft::Error);
  shardfft_spec spec = nullptr;
  EXPECT_EQ(shardfft_spec_words("slabs:5", 2, &spec), SHARDFFT_INVALID_LAYOUT);
}

TEST(BothLibraries, HaveTheirOwnState) {
  std::string in_c, in_cpp;
  shardfft_on_notice([](const char* line, void* user) { *static_cast<std::string*>(user) += line; }, &in_c);
  shardfft::on_notice([&](const std::string& line) { in_cpp += line; });
  setenv("SHARDFFT_CHUNK", "2", 1);
  (void)forward_in_c(numbers());
  EXPECT_NE(in_c, "");
  EXPECT_EQ(in_cpp, "") << "the C library told the program's C++ library";
  unsetenv("SHARDFFT_CHUNK");
  shardfft_on_notice(nullptr, nullptr);
  shardfft::on_notice({});
}

}  // namespace
