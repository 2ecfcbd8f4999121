// Exact mode gives the listed bits on every instruction set, with several ranks and threads. This writes the list anew:
//   SHARDFFT_TEST_NEW_BITS=src/plan/bits/list.inc build/release/bin/plan_bits_test --gtest_filter=*EveryInstructionSet
// A new list is a new version of the bits and needs a line in CHANGELOG.md.
#include "shardfft/programs/bits.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/targets.hpp"
#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

std::string line_of(const ListedBits& bits) {
  return fmt::format("{{\"{}\", 0x{:016x}, 0x{:016x}}},", bits.problem, bits.forward, bits.backward);
}

void expect_listed(const Comm& comm, const ListedBits& listed, int threads = 1) {
  const ListedBits here = bits_here(comm, listed.problem, threads);
  if (comm.rank() == 0) { EXPECT_EQ(line_of(here), line_of(listed)); }
}

/// The problems that are compared: with fused operations in software a tenth of those that are not long.
std::vector<ListedBits> compared() {
  std::vector<ListedBits> list(listed_bits().begin(), listed_bits().end());
#ifdef SHARDFFT_EMULATE_FMA
  constexpr Index longest = 40000;
  int number = 0;
  std::erase_if(list, [&](const ListedBits& bits) { return elements_of(bits) > longest || number++ % 10 != 0; });
#endif
  return list;
}

void write_list(const char* path) {
  std::string text;
  for (const ListedBits& listed : listed_bits()) text += line_of(bits_here(local(), listed.problem, 1)) + "\n";
  std::ofstream(path) << text;
}

TEST(ListedBits, AreThoseOfEveryInstructionSet) {
  if (const char* path = std::getenv("SHARDFFT_TEST_NEW_BITS")) return write_list(path);
  int targets = 0;
  on_every_target([&] {
    if (!has_listed_bits()) return;
    ++targets;
    for (const ListedBits& listed : compared()) expect_listed(local(), listed);
  });
  if (targets == 0) GTEST_SKIP() << "no instruction set here has fused multiply-adds";
}

TEST(ListedBits, AreThoseOfSeveralRanksAndThreads) {
  if (!has_listed_bits()) GTEST_SKIP() << "this processor has no fused multiply-adds";
  for (const int ranks : {2, 5})
    on_ranks(ranks, [](const Comm& comm) {
      for (const ListedBits& listed : compared()) expect_listed(comm, listed, 2);
    });
}

TEST(ListedBits, AreNamedByWordsThatTheProblemHas) {
  for (const char* words :
       {"c2c f64", "c2d f64 8", "c2c f16 8", "c2c f64 8y8", "c2c f64 8 kinds=tangent", "c2c f64 8 x"})
    EXPECT_THROW(static_cast<void>(bits_here(local(), words)), Error) << words;
}

}  // namespace
}  // namespace shardfft::testing
