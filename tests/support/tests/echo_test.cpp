// What errors repeat of what they were given: readable, and not longer than anybody reads.
#include "support/text/echo.hpp"

#include <gtest/gtest.h>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"

namespace shardfft::testing {
namespace {

TEST(Echo, OfWhatIsShortAndPrintableIsItself) {
  for (const std::string text : {"", "foo", "Größe 3×4 — 数", "it's 5", "a b  c"}) EXPECT_EQ(echoed(text), text);
}

TEST(Echo, EndsAfterTwoHundredCharactersAndSaysHowManyBytesThereWere) {
  EXPECT_EQ(echoed(std::string(200, 'a')), std::string(200, 'a'));
  EXPECT_EQ(echoed(std::string(5000, 'a')), std::string(200, 'a') + "... (5000 bytes)");
}

TEST(Echo, CutsNoCharacterInTheMiddle) {
  for (const std::string c : {"é", "数", "🙂"}) {
    std::string text, first;
    for (int i = 0; i < 300; ++i) text += c;
    for (int i = 0; i < 200; ++i) first += c;
    EXPECT_EQ(echoed(text), first + "... (" + std::to_string(text.size()) + " bytes)");
  }
}

TEST(Echo, EscapesWhatSteersTerminalsAndWhatIsNoUtf8) {
  EXPECT_EQ(echoed("a\x1b[2Jb\r\n\t\x7f"), "a\\x1b[2Jb\\x0d\\n\\t\\x7f");
  EXPECT_EQ(echoed(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(echoed("Gr\xf6\xdf"
                   "e"),
            "Gr\\xf6\\xdfe");
  EXPECT_EQ(echoed("\xc2\x9b"), "\\xc2\\x9b") << "C1 control";
  EXPECT_EQ(echoed("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe6\x95"),
            "\\xc0\\xaf \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80 \\xe6\\x95");
}

TEST(Echo, OfControlCharactersCountsWhatIsShown) {
  EXPECT_LE(echoed(std::string(5000, '\x1b')).size(), longest_echo + 20);
}

TEST(Echo, IsShortWhereverItStandsInAMessage) {
  const std::string a(5000, 'a'), first(200, 'a'), words = [] {
    std::string text;
    for (int i = 0; i < 900; ++i) text += "ab, ";
    return text;
  }();
  EXPECT_EQ(with_short_echoes("kind must be c2c; got '" + a + "'; write c2c"),
            "kind must be c2c; got '" + first + "... (5000 bytes)'; write c2c");
  EXPECT_EQ(with_short_echoes(a + ": is no file"), first + "... (5000 bytes): is no file");
  EXPECT_LT(with_short_echoes("axes are numbers; got '" + words + "'; write 0,1").size(), 300u);
  EXPECT_LT(with_short_echoes("got '" + a + "' b" + a + "'; see").size(), 600u) << "a quote within";
  EXPECT_EQ(with_short_echoes("the node's 3 GB/s\nare 'few' of\x01"), "the node's 3 GB/s\nare 'few' of\\x01");
}

TEST(Echo, IsShortInTheErrorsOfAllRanks) {
  on_ranks(3, [](Comm comm) {
    try {
      collectively(comm, [&] {
        if (comm.rank() == 1)
          throw Error(Status::invalid_argument, "got '" + std::string(1 << 20, 'x') + "'; take less");
      });
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_LT(std::string(e.what()).size(), 300u);
      EXPECT_EQ(e.status(), Status::invalid_argument);
    }
  });
}

}  // namespace
}  // namespace shardfft::testing
