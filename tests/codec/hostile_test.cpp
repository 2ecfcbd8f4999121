// Bytes that no encoder made. The sanitizers' builds see what is read or written outside; here nothing may crash, and
// what cannot be right must not be taken for right.
#include <random>

#include "codec/round_trip.hpp"

namespace shardfft::testing {
namespace {

constexpr int few_values = 2 * 4096;

Made some_group(const Codec& codec, Scalar scalar, Rounding rounding, double parameter) {
  Numbers x = white_noise(scalar, few_values, 11);
  for (std::size_t i = 0; i < 640; ++i) x[i + 1000] = 0;
  x[3000] = std::numeric_limits<double>::infinity();
  return encode(codec, Group(codec, scalar, x), parameter, rounding);
}

template <class Body>
void for_every_encoded_group(Body body) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    for_every_rounding(codec, [&](Rounding rounding) {
      const double parameter = codec.parameter(scalar, {.error = 1, .norm = 91, .values = few_values});
      body(codec, scalar, rounding, parameter, some_group(codec, scalar, rounding, parameter).bytes);
    });
  });
}

TEST(Decoders, RefuseWhatIsTooShort) {
  for_every_encoded_group([](const Codec& codec, Scalar scalar, Rounding rounding, double parameter,
                             const Bytes& right) {
    ASSERT_TRUE(decode(codec, scalar, few_values, right, parameter, rounding).has_value());
    for (const std::size_t missing : {std::size_t{1}, std::size_t{8}, right.payload.size() / 2, right.payload.size()}) {
      Bytes wrong = right;
      wrong.payload.resize(right.payload.size() - missing);
      EXPECT_FALSE(decode(codec, scalar, few_values, wrong, parameter, rounding).has_value())
          << missing << " bytes of payload missing";
    }
    if (right.index.empty()) return;
    for (const std::size_t missing : {std::size_t{1}, right.index.size()}) {
      Bytes wrong = right;
      wrong.index.resize(right.index.size() - missing);
      EXPECT_FALSE(decode(codec, scalar, few_values, wrong, parameter, rounding).has_value())
          << missing << " bytes of the index missing";
    }
  });
}

TEST(Decoders, RefuseAParameterThatMeansNothing) {
  for_every_encoded_group([](const Codec& codec, Scalar scalar, Rounding rounding, double, const Bytes& right) {
    if (codec.name() == "none" || codec.name().starts_with("lossless")) return;  // they have none
    for (const double wrong :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0, 1e-320})
      EXPECT_FALSE(decode(codec, scalar, few_values, right, wrong, rounding).has_value()) << wrong;
  });
}

TEST(Decoders, SurviveBytesThatWereChanged) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for_every_encoded_group(
      [&](const Codec& codec, Scalar scalar, Rounding rounding, double parameter, const Bytes& right) {
        for (int round = 0; round < 200; ++round) {
          Bytes wrong = right;
          const auto change = [&](std::vector<std::byte>& bytes) {
            if (!bytes.empty()) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
          };
          for (int i = 0; i < 1 << round % 6; ++i) change(round % 2 == 0 ? wrong.index : wrong.payload);
          if (round % 3 == 0) wrong.payload.resize(random() % (wrong.payload.size() + 1));
          (void)decode(codec, scalar, few_values, wrong, parameter, rounding);
        }
      });
}

TEST(Decoders, SurviveNoise) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for_every_encoded_group(
      [&](const Codec& codec, Scalar scalar, Rounding rounding, double parameter, const Bytes& right) {
        for (int round = 0; round < 100; ++round) {
          Bytes wrong = right;
          for (auto* bytes : {&wrong.index, &wrong.payload})
            for (std::byte& b : *bytes) b = static_cast<std::byte>(random());
          EXPECT_LE(codec.payload_bytes(scalar, wrong.index.data(), few_values / codec.block_values()),
                    codec.most_bytes(scalar, few_values / codec.block_values()));
          (void)decode(codec, scalar, few_values, wrong, parameter, rounding);
        }
      });
}

}  // namespace
}  // namespace shardfft::testing
