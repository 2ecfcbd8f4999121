// What comes back, and whether the codec knows it.
#include "codec/round_trip.hpp"

#include "engine/targets.hpp"

namespace shardfft::testing {
namespace {

constexpr int n = 3 * 4096;
constexpr double shares[] = {1e-1, 1e-2, 1e-4, 1e-6, 1e-9};

GroupBudget group_budget_for(const Numbers& x, double share, bool a_priori) {
  const auto norm = static_cast<double>(norm_of(x) * (1 + 1e-15L));
  return {.error = share * norm, .norm = norm, .values = static_cast<Index>(x.size()), .a_priori = a_priori};
}

/// body(kind, parameter, allowance) for all that the codec does not refuse.
template <class Body>
void for_every_kind(const Codec& codec, Scalar scalar, Body body) {
  for (const Kind& kind : kinds_of_data(scalar, n, 1))
    for (const double share : shares)
      for (const bool a_priori : {true, false}) {
        SCOPED_TRACE(kind.name + ", share " + std::to_string(share) + (a_priori ? ", a priori" : ", usual"));
        const GroupBudget group_budget = group_budget_for(kind.numbers, share, a_priori);
        if (!std::isfinite(group_budget.norm)) continue;
        const double parameter = codec.parameter(scalar, group_budget);
        if (!std::isnan(parameter)) body(kind, parameter, group_budget);
      }
}

TEST(Codecs, KnowWhatWasLostOfEveryKindOfData) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    for_every_rounding(codec, [&](Rounding rounding) {
      for_every_kind(codec, scalar, [&](const Kind& kind, double parameter, const GroupBudget& group_budget) {
        const Trip trip = round_trip(codec, scalar, kind.numbers, parameter, rounding, unit_near(group_budget.norm));
        const long double lost = trip.lost(), told = trip.told();
        EXPECT_NEAR(
            static_cast<double>(told / unit_near(group_budget.norm)),
            static_cast<double>(lost / unit_near(group_budget.norm)),
            static_cast<double>((1e-6L * lost + 3e-7L * group_budget.error) / unit_near(group_budget.norm)) + 1e-16);
      });
    });
  });
}

TEST(Codecs, LoseNoMoreThanTheAPrioriAllowanceOfAnyKindOfData) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    for_every_rounding(codec, [&](Rounding rounding) {
      for_every_kind(codec, scalar, [&](const Kind& kind, double parameter, const GroupBudget& group_budget) {
        if (group_budget.a_priori) {
          EXPECT_LE(round_trip(codec, scalar, kind.numbers, parameter, rounding).lost(),
                    static_cast<long double>(group_budget.error));
        }
      });
    });
  });
}

/// Numbers that a quantiser with this step, and the casts with this roundoff, treat as badly as they can.
std::vector<Kind> worst_kinds(Scalar scalar, double step) {
  const auto alternating = [](int i) { return i % 2 == 0 ? 1.0 : -1.0; };
  std::vector<Kind> kinds{
      {"half steps", filled(scalar, n, [&](int i) { return alternating(i) * (i % 7 + 0.5) * step; })},
      {"half steps from below", filled(scalar, n, [&](int i) { return std::nextafter((i % 7 + 0.5) * step, 0.0); })},
      {"half steps far away", filled(scalar, n, [&](int i) { return (1e5 + i % 7 + 0.5) * step; })}};
  for (const int bits : {7, 10, 20, 23})
    kinds.push_back({"halfway with " + std::to_string(bits) + " bits",
                     filled(scalar, n, [&](int) { return 1 + std::ldexp(1.0, -bits - 1); })});
  return kinds;
}

TEST(Codecs, LoseNoMoreThanTheAPrioriAllowanceOfTheWorstNumbers) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    for (const double share : shares) {
      // The step depends on norm and number alone: numbers for it can be made before it is used on them, when their
      // norm is below the one that was said.
      GroupBudget group_budget{.error = share * 1000, .norm = 1000, .values = n, .a_priori = true};
      for (const Kind& kind : worst_kinds(scalar, codec.parameter(scalar, group_budget))) {
        SCOPED_TRACE(kind.name + ", share " + std::to_string(share));
        const auto norm = static_cast<double>(norm_of(kind.numbers));
        if (!std::isfinite(norm)) continue;
        GroupBudget own = group_budget;
        if (norm > group_budget.norm || kind.name.starts_with("halfway"))
          own = group_budget_for(kind.numbers, share, true);
        const double parameter = codec.parameter(scalar, own);
        if (std::isnan(parameter)) continue;
        EXPECT_LE(round_trip(codec, scalar, kind.numbers, parameter).lost(), static_cast<long double>(own.error));
      }
    }
  });
}

TEST(Codecs, KeepInfAndNaNOrSayThatTheyDidNot) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    for_every_rounding(codec, [&](Rounding rounding) {
      for (const Kind& kind : kinds_that_are_not_finite(scalar, n, 2)) {
        SCOPED_TRACE(kind.name);
        const double parameter = codec.parameter(scalar, {.error = 10, .norm = 1000, .values = n});
        ASSERT_FALSE(std::isnan(parameter));
        const Trip trip = round_trip(codec, scalar, kind.numbers, parameter, rounding);
        if (!std::isfinite(trip.made.encoded.lost2)) continue;
        for (std::size_t i = 0; i < kind.numbers.size(); ++i)
          if (!std::isfinite(kind.numbers[i])) {
            EXPECT_EQ(std::isnan(trip.decoded[i]), std::isnan(kind.numbers[i])) << i;
            if (!std::isnan(kind.numbers[i])) { EXPECT_EQ(trip.decoded[i], kind.numbers[i]) << i; }
          }
      }
    });
  });
}

TEST(Codecs, DecodeAPartOfAGroupAsTheyDecodeAllOfIt) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    for_every_rounding(codec, [&](Rounding rounding) {
      for (const Kind& kind : kinds_of_data(scalar, n, 3)) {
        SCOPED_TRACE(kind.name);
        const double parameter = codec.parameter(scalar, {.error = 1e-2, .norm = 1, .values = n});
        ASSERT_FALSE(std::isnan(parameter));
        const Trip whole = round_trip(codec, scalar, kind.numbers, parameter, rounding);
        const Group all(codec, scalar, whole.decoded), part(codec, scalar, kind.numbers.size());
        const int count = all.count(), first = count / 3, some = count / 2;
        ASSERT_TRUE(codec.decode(whole.made.bytes.index, whole.made.bytes.payload, first, parameter, rounding,
                                 part.blocks<std::byte>(first, some)));
        const std::size_t block = all.bytes() / static_cast<std::size_t>(count);
        EXPECT_EQ(
            std::memcmp(part.data() + block * static_cast<std::size_t>(first),
                        all.data() + block * static_cast<std::size_t>(first), block * static_cast<std::size_t>(some)),
            0);
      }
    });
  });
}

TEST(Codecs, WriteAndReadTheSameBitsOnEveryInstructionSet) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    for_every_rounding(codec, [&](Rounding rounding) {
      for_every_kind(codec, scalar, [&](const Kind& kind, double parameter, const GroupBudget& group_budget) {
        std::optional<Trip> first;
        on_every_target([&] {
          const Trip trip = round_trip(codec, scalar, kind.numbers, parameter, rounding, unit_near(group_budget.norm));
          if (!first) first = trip;
          EXPECT_EQ(trip.made.bytes, first->made.bytes);
          EXPECT_EQ(std::memcmp(trip.decoded.data(), first->decoded.data(), 8 * trip.decoded.size()), 0);
          const double lost = std::sqrt(first->made.encoded.lost2),
                       last_bits = 0x1p-50;  // of the norm, in units: what is lost of numbers that lie next to
                                             // multiples of a step depends on how their quotient is rounded
          EXPECT_NEAR(std::sqrt(trip.made.encoded.lost2), lost, 1e-6 * lost + last_bits);
        });
      });
    });
  });
}

TEST(Codecs, TakeAnEmptyGroup) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    const double parameter = codec.parameter(scalar, {.error = 1, .norm = 1, .values = 1});
    const Trip trip = round_trip(codec, scalar, {}, parameter);
    EXPECT_EQ(trip.made.encoded.bytes, 0u);
    EXPECT_EQ(trip.made.encoded.lost2, 0);
  });
}

}  // namespace
}  // namespace shardfft::testing
