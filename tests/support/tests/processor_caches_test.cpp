#include "support/processor/processor_caches.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace shardfft {
namespace {

TEST(ProcessorCaches, AreReadAsTheSystemWritesThem) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "processor_caches_test";
  std::filesystem::remove_all(folder);
  auto add = [&, number = 0](const char* level, const char* type, const char* size) mutable {
    const auto index = folder / ("index" + std::to_string(number++));
    std::filesystem::create_directories(index);
    std::ofstream(index / "level") << level << '\n';
    std::ofstream(index / "type") << type << '\n';
    std::ofstream(index / "size") << size << '\n';
  };
  add("1", "Data", "32K");
  add("1", "Instruction", "48K");
  add("2", "Unified", "1M");
  add("3", "Unified", "32768K");
  add("4", "Unified", "4096");
  const auto caches = processor_caches(folder.string());
  std::filesystem::remove_all(folder);
  ASSERT_EQ(caches.size(), 4U);
  const Index bytes[] = {Index{32} << 10, Index{1} << 20, Index{32} << 20, 4096};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(caches[static_cast<std::size_t>(i)].level, i + 1);
    EXPECT_EQ(caches[static_cast<std::size_t>(i)].data_only, i == 0);
    EXPECT_EQ(caches[static_cast<std::size_t>(i)].bytes, bytes[i]);
  }
}

TEST(ProcessorCaches, AreNoneWhereTheSystemDoesNotTell) {
  EXPECT_TRUE(processor_caches("/no/such/folder").empty());
  EXPECT_EQ(cache_bytes(9, 5), 5);
}

}  // namespace
}  // namespace shardfft
