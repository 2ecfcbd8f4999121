#include "codec/round_trip.hpp"
#include "support/stand_ins/counted_malloc.hpp"

namespace shardfft::testing {
namespace {

TEST(Codecs, AllocateNothingAfterTheirFirstUseOnAThread) {
  constexpr int n = 4096 * 2;
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    for_every_rounding(codec, [&](Rounding rounding) {
      const Group given(codec, scalar, white_noise(scalar, n, 1)), back(codec, scalar, n);
      const double parameter = codec.parameter(scalar, {.error = 1, .norm = 91, .values = n});
      std::vector<std::byte> index(static_cast<std::size_t>(codec.index_bytes() * given.count())),
          payload(codec.most_bytes(scalar, given.count()));
      const auto once = [&] {
        const Encoded encoded =
            codec.encode(given.blocks<const std::byte>(), parameter, rounding, index.data(), payload.data());
        EXPECT_TRUE(codec.decode(index, std::span(payload).first(encoded.bytes), 0, parameter, rounding,
                                 back.blocks<std::byte>()));
      };
      once();
      const CountAllocations counter;
      once();
      EXPECT_EQ(counter.count(), 0);
    });
  });
}

}  // namespace
}  // namespace shardfft::testing
