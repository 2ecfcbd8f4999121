#include "support/text/text.hpp"

#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "support/text/number.hpp"

namespace shardfft {
namespace {

TEST(Numbers, AreReadWholeOrNot) {
  int whole = 0;
  double real = 0;
  EXPECT_TRUE(read_number("-37", whole) && whole == -37);
  EXPECT_TRUE(read_number("-37", real) && real == -37);
  EXPECT_TRUE(read_number("2.5e-3", real) && real == 2.5e-3);
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1x", "0x10", "1,5", "1e", "1e999", "one", "--1"}) {
    EXPECT_FALSE(read_number(text, real)) << text;
    EXPECT_FALSE(read_number(text, whole)) << text;
  }
  for (const char* text : {"1.5", "2147483648"}) EXPECT_FALSE(read_number(text, whole)) << text;
}

TEST(BytesText, HasOneUnitSystemFromNothingToMoreThanAnIndexHolds) {
  EXPECT_EQ(bytes_text(Index{0}), "0 B");
  EXPECT_EQ(bytes_text(Index{1}), "1 B");
  EXPECT_EQ(bytes_text(Index{1023}), "1023 B");
  EXPECT_EQ(bytes_text(Index{1024}), "1.0 KiB");
  EXPECT_EQ(bytes_text(Index{1} << 30), "1.0 GiB");
  EXPECT_EQ(bytes_text(static_cast<double>(std::numeric_limits<Index>::max())), "8.0 EiB");
  EXPECT_EQ(bytes_text(0x1p66), "64.0 EiB");
  EXPECT_EQ(bytes_text(0x1p84), "16.0 YiB");
}

TEST(BytesText, NeverShows1024OfAUnit) {
  for (int exponent = 10; exponent <= 60; exponent += 10) {
    const std::string below = bytes_text((Index{1} << exponent) - 1), there = bytes_text(Index{1} << exponent);
    EXPECT_EQ(below, exponent == 10 ? "1023 B" : there) << exponent;
    EXPECT_TRUE(there.starts_with("1.0 ")) << there;
  }
}

TEST(SecondsText, FitsItsUnitFromANanosecondToDays) {
  EXPECT_EQ(seconds_text(0), "0 s");
  EXPECT_EQ(seconds_text(1e-9), "1.0 ns");
  EXPECT_EQ(seconds_text(999.96e-9), "1.0 us");
  EXPECT_EQ(seconds_text(12.34e-6), "12.3 us");
  EXPECT_EQ(seconds_text(999.96e-6), "1.00 ms");
  EXPECT_EQ(seconds_text(0.0125), "12.50 ms");
  EXPECT_EQ(seconds_text(0.999996), "1.000 s");
  EXPECT_EQ(seconds_text(172800), "172800.000 s");
}

TEST(Paragraph, BreaksBetweenWordsAndHangsUnderTheText) {
  EXPECT_EQ(paragraph("input   ", "short"), "input   short\n");
  EXPECT_EQ(paragraph("head ", "one two three four", 14), "head one two\n     three\n     four\n");
  EXPECT_EQ(paragraph("h ", "exactly fits", 14), "h exactly fits\n");
  EXPECT_EQ(paragraph("head ", ""), "head\n");
}

TEST(Paragraph, LeavesANumberBesideItsUnit) {
  EXPECT_EQ(paragraph("", "all of the 12.5 MiB here", 16), "all of the\n12.5 MiB here\n");
  EXPECT_EQ(paragraph("", "123456789 seconds", 12), "123456789\nseconds\n") << "where there is no other space";
}

TEST(Paragraph, KeepsEveryWordAndTheWidthWhateverTheText) {
  std::string words;
  for (int i = 1; i < 160; ++i)
    words += std::string(static_cast<std::size_t>(i % 23), static_cast<char>('a' + i % 26)) + " ";
  words += std::string(300, 'z');  // fits in no line
  for (const std::size_t columns : {20U, 57U, 100U}) {
    std::istringstream lines(paragraph("  sweep     ", words, columns));
    std::string all;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), columns);
      EXPECT_FALSE(line.ends_with(' '));
      EXPECT_EQ(line.substr(0, 12), all.empty() ? "  sweep     " : std::string(12, ' '));
      all += line.substr(12);
    }
    const auto letters = [](std::string text) { return std::erase(text, ' '), text; };
    EXPECT_EQ(letters(all), letters(words));
  }
}

TEST(Lower, LeavesWhatIsNoLetterOfAsciiAlone) {
  EXPECT_EQ(lower("MPI_P2P:1 x"), "mpi_p2p:1 x");
  EXPECT_EQ(lower("\xc3\x84"), "\xc3\x84");
}

}  // namespace
}  // namespace shardfft
