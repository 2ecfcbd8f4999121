// The corpus of the fuzzer, and mutations of what encoders make, without a fuzzer: part of every run of the tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz/one_input.hpp"

namespace shardfft::testing {
namespace {

using Input = std::vector<std::uint8_t>;

std::filesystem::path corpus_of(const Codec& codec) { return std::filesystem::path(SHARDFFT_CORPUS) / codec.name(); }

Input read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return Input(std::istreambuf_iterator<char>(stream), {});
}

TEST(Fuzzing, EveryInputOfTheCorpusIsSurvived) {
  for (const Codec* codec : codecs()) {
    int inputs = 0;
    for (const auto& file : std::filesystem::directory_iterator(corpus_of(*codec))) {
      EXPECT_EQ(try_input(*codec, read(file.path())), "") << file.path();
      ++inputs;
    }
    EXPECT_GT(inputs, 0) << "no corpus of " << codec->name();
  }
}

TEST(Fuzzing, MutationsAreSurvived) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const Codec* codec : codecs())
    for (const Scalar scalar : {Scalar::f32, Scalar::f64}) {
      if (!codec->refuses(scalar).empty()) continue;
      for (const Rounding rounding : {Rounding::nearest, Rounding::dither})
        for (int round = 0; round < 150; ++round) {
          if (rounding == Rounding::dither && !codec->dithers()) continue;
          Input input = round % 2 == 0 ? encoded_input(*codec, scalar, rounding, static_cast<unsigned>(round))
                                       : numbers_input(scalar, rounding, static_cast<unsigned>(round));
          for (int i = 0; i <= round % 8; ++i)
            input[(round % 3 == 0 ? 0 : 12) + random() % (input.size() - 12)] = static_cast<std::uint8_t>(random());
          if (round % 5 == 0) input.resize(12 + random() % (input.size() - 12));
          EXPECT_EQ(try_input(*codec, input), "") << codec->name() << ", round " << round;
        }
    }
}

TEST(Fuzzing, ACodecThatLiesAboutItsLossIsFound) {
  /// block_float, but for what it says.
  class Liar final : public Codec {
   public:
    std::string_view name() const override { return "liar"; }
    std::uint8_t number() const override { return 254; }
    std::string_view about() const override { return "a codec that says it loses nothing"; }
    std::string refuses(Scalar) const override { return ""; }
    int index_bytes() const override { return true_.index_bytes(); }
    std::size_t most_bytes(Scalar scalar, int blocks) const override { return true_.most_bytes(scalar, blocks); }
    double usual_bits(Scalar scalar, double share, bool a_priori) const override {
      return true_.usual_bits(scalar, share, a_priori);
    }
    double parameter(Scalar scalar, const GroupBudget& group_budget) const override {
      return true_.parameter(scalar, group_budget);
    }
    Encoded encode(const Blocks<const std::byte>& blocks, double parameter, Rounding rounding, std::byte* index,
                   std::byte* payload) const override {
      return {.bytes = true_.encode(blocks, parameter, rounding, index, payload).bytes, .lost2 = 0};
    }
    bool decode(std::span<const std::byte> index, std::span<const std::byte> payload, int first, double parameter,
                Rounding rounding, const Blocks<std::byte>& blocks) const override {
      return true_.decode(index, payload, first, parameter, rounding, blocks);
    }

   private:
    const Codec& true_ = *find_codec("block_float");
  };
  EXPECT_NE(try_input(Liar(), numbers_input(Scalar::f64, Rounding::nearest, 1)), "");
}

}  // namespace
}  // namespace shardfft::testing
