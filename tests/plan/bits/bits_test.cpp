// Exact mode gives the listed bits on every instruction set, with several ranks and threads. This writes the list anew:
//   SHARDFFT_TEST_NEW_BITS=src/plan/bits/list.inc build/release/bin/plan_bits_test --gtest_filter=*EveryInstructionSet
// A new list is a new version of the bits and needs a line in CHANGELOG.md.
// SHARDFFT_TEST_RANDOM_BITS=FILE compares random problems with FILE, or writes it where there is none:
// tools/check_bits.
#include "shardfft/programs/bits.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/targets.hpp"
#include "shardfft/error.hpp"
#include "support/chosen.hpp"
#include "support/problems/random_problem.hpp"

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

/// " name=1x2x3", or nothing of an empty list.
template <class List>
std::string named(const char* name, const List& list, const char* mark) {
  return list.begin() == list.end() ? "" : fmt::format(" {}{}", name, fmt::join(list.begin(), list.end(), mark));
}

/// A random problem in the words of the list.
std::string random_words(std::uint64_t seed) {
  constexpr Index most_elements = 2000;
  std::mt19937_64 random(seed);
  Case c = seed % 3 == 0 ? random_case_of_kinds(seed, most_elements, 1) : random_case(seed, most_elements, 1);
  if (seed % 5 == 0) take_fewer(c, random);
  const Problem& p = c.problem;
  std::vector<std::string> kinds;
  for (const AxisKind kind : p.kinds) kinds.emplace_back(to_string(kind));
  const bool splits = c.options.expert.split == SplitAxis::always && p.modes.dims() == 0 && p.support.dims() == 0;
  return fmt::format("{} {}{}{}{}{}{}{}", to_string(p.kind), to_string(p.precision), named("", p.shape, "x"),
                     named("axes=", p.axes, ","), named("modes=", p.modes, "x"), named("support=", p.support, "x"),
                     named("kinds=", kinds, ","), splits ? " split" : "");
}

std::vector<std::string> lines_of(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(RandomBits, AreThoseOfOtherRanksAndBuilds) {
  const char* path = std::getenv("SHARDFFT_TEST_RANDOM_BITS");
  const std::vector<std::string> there = path ? lines_of(path) : std::vector<std::string>{};
  const int usually = path ? 10000 : 30,
            count = there.empty() ? chosen_problems(usually) : static_cast<int>(there.size());
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string words = random_words(static_cast<std::uint64_t>(i));
    const ListedBits here = bits_here(local(), words, 1);
    if (!there.empty()) { EXPECT_EQ(line_of(here), there[static_cast<std::size_t>(i)]); }
    if (!path) on_ranks(3, [&](const Comm& comm) { expect_listed(comm, here, 2); });
    text += line_of(here) + "\n";
  }
  if (path && there.empty()) std::ofstream(path) << text;
}

TEST(ListedBits, AreNamedByWordsThatTheProblemHas) {
  for (const char* words :
       {"c2c f64", "c2d f64 8", "c2c f16 8", "c2c f64 8y8", "c2c f64 8 kinds=tangent", "c2c f64 8 x"})
    EXPECT_THROW(static_cast<void>(bits_here(local(), words)), Error) << words;
}

}  // namespace
}  // namespace shardfft::testing
