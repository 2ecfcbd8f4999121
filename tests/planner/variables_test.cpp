// Variables of the environment that nothing reads are named, and every one that the sources read is known.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "shardfft/environment.hpp"

namespace shardfft::testing {
namespace {

// Names between quotes, as getenv takes them, in all sources.
std::set<std::string> names_in_sources() {
  std::set<std::string> names;
  const std::regex quoted("\"(SHARDFFT_[A-Z0-9_]*[A-Z0-9])\"");
  for (const char* folder : {"src", "apps", "benchmarks"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(SHARDFFT_SOURCES) / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (std::sregex_iterator at(text.begin(), text.end(), quoted), end; at != end; ++at) names.insert((*at)[1]);
    }
  return names;
}

struct Variable {
  std::string name;
  explicit Variable(const std::string& n, const char* value = "1") : name(n) { ::setenv(name.c_str(), value, 0); }
  Variable(Variable&& other) noexcept : name(std::exchange(other.name, {})) {}
  ~Variable() {
    if (!name.empty()) ::unsetenv(name.c_str());
  }
};

std::set<std::string> strange() {
  const auto all = strange_variables();
  return {all.begin(), all.end()};
}

TEST(Variables, ThatTheSourcesReadAreAllKnown) {
  const std::set<std::string> names = names_in_sources();
  EXPECT_GT(names.size(), 25u) << "the sources were not found in " << SHARDFFT_SOURCES;
  std::vector<Variable> set;
  for (const std::string& name : names)
    if (!std::getenv(name.c_str())) set.emplace_back(name);
  for (const std::string& name : strange())
    EXPECT_FALSE(names.contains(name)) << name << " is read; name it in src/planner/options/variables.cpp";
}

TEST(Variables, ThatNothingReadsAreNamedUnlessTheyAreEmptyOrOfAnInstallation) {
  const Variable typo("SHARDFFT_THREAD"), other("SHARDFFT_TEAPOT"), empty("SHARDFFT_NOTHING", ""),
      root("SHARDFFT_ROOT"), alien("OTHER_THREAD");
  const std::set<std::string> got = strange();
  EXPECT_TRUE(got.contains("SHARDFFT_THREAD") && got.contains("SHARDFFT_TEAPOT"));
  EXPECT_FALSE(got.contains("SHARDFFT_NOTHING") || got.contains("SHARDFFT_ROOT") || got.contains("OTHER_THREAD"));
}

TEST(Variables, AreWarnedOfOnceWithTheNameThatWasMeant) {
  const Variable typo("SHARDFFT_TRANSPROT");
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(warn_of_strange_variables().empty());
  EXPECT_TRUE(warn_of_strange_variables().empty());
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("SHARDFFT_TRANSPROT"), std::string::npos) << said;
  EXPECT_NE(said.find("did you mean 'SHARDFFT_TRANSPORT'?"), std::string::npos) << said;
  EXPECT_EQ(said.find("SHARDFFT_TRANSPROT"), said.rfind("SHARDFFT_TRANSPROT")) << said;
}

}  // namespace
}  // namespace shardfft::testing
