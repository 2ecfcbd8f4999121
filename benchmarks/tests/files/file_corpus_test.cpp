// The fuzzer's corpora of files, and mutations of them, without a fuzzer: part of every run of the tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "one_file.hpp"
#include "support/problems/damaged_text.hpp"

namespace shardfft::testing {
namespace {

std::vector<std::filesystem::path> corpus_of(const FileReader& reader) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(SHARDFFT_CORPUS) / reader.name))
    files.push_back(file.path());
  return files;
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(FuzzingFiles, EveryInputOfTheCorpusIsReadOrRefused) {
  for (const FileReader& reader : file_readers()) {
    const auto files = corpus_of(reader);
    EXPECT_GE(files.size(), 3u) << reader.name;
    for (const auto& file : files) {
      int found = 0;
      EXPECT_EQ(reader.try_text(read(file), found), "") << file;
      EXPECT_TRUE(file.filename() != "whole" || found > 0) << file << " must be read";
    }
  }
}

TEST(FuzzingFiles, DamagedOnesAreReadOrRefused) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const FileReader& reader : file_readers())
    for (const auto& file : corpus_of(reader)) {
      const std::string text = read(file);
      for (int i = 0, found = 0; i < 100; ++i)
        EXPECT_EQ(reader.try_text(damaged(text, random), found), "") << file << ", " << i;
    }
}

}  // namespace
}  // namespace shardfft::testing
