// How the errors of quantisers are distributed, and how many bits they take.
#include <complex>

#include "codec/round_trip.hpp"

namespace shardfft::testing {
namespace {

constexpr int values = 1 << 16;

const Codec& quantiser() { return *find_codec("block_float"); }

/// Errors in steps.
Numbers errors_of(const Trip& trip, double step) {
  Numbers errors(trip.given.size());
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = (trip.decoded[i] - trip.given[i]) / step;
  return errors;
}

double mean(const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size()); }
double product(const Numbers& x, const Numbers& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0) / static_cast<double>(x.size());
}

using Signal = std::vector<std::complex<double>>;

/// Discrete Fourier transform of a power of two of numbers, by halving.
Signal spectrum(const Signal& x) {
  const std::size_t half = x.size() / 2;
  if (half == 0) return x;
  Signal even(half), odd(half), y(x.size());
  for (std::size_t i = 0; i < half; ++i) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
  even = spectrum(even), odd = spectrum(odd);
  for (std::size_t k = 0; k < half; ++k) {
    const auto turned =
        odd[k] * std::polar(1.0, -std::numbers::pi * static_cast<double>(k) / static_cast<double>(half));
    y[k] = even[k] + turned;
    y[k + half] = even[k] - turned;
  }
  return y;
}

TEST(Codecs, LoseAboutTheUsualAllowanceOfWhiteNoise) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    if (!codec.dithers()) return;  // the others have parameters far apart
    for_every_rounding(codec, [&](Rounding rounding) {
      for (const double share : {1e-1, 1e-3, 1e-5}) {
        const Numbers x = white_noise(scalar, values, 5);
        const auto norm = static_cast<double>(norm_of(x));
        const double parameter = codec.parameter(scalar, {.error = share * norm, .norm = norm, .values = values});
        const auto lost = static_cast<double>(round_trip(codec, scalar, x, parameter, rounding).lost());
        EXPECT_LE(lost, share * norm) << share;
        EXPECT_GE(lost, 0.97 * share * norm) << share;
      }
    });
  });
}

TEST(Quantisers, RoundToTheNearestMultipleAndNeverCutOff) {
  for (const Scalar scalar : {Scalar::f32, Scalar::f64}) {
    const double step = 0.001953125 * 1.25;  // of few bits, so that multiples are numbers
    const Numbers x = white_noise(scalar, values, 6);
    const Trip trip = round_trip(quantiser(), scalar, x, step);
    const Numbers errors = errors_of(trip, step);
    EXPECT_NEAR(mean(errors), 0, 5 / std::sqrt(12.0 * values));
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(std::abs(errors[i]), 0.5 * (1 + 1e-3)) << x[i];
      const double multiple = trip.decoded[i] / step;
      ASSERT_EQ(multiple, std::rint(multiple)) << x[i];
    }
  }
}

TEST(Quantisers, RoundHalfStepsToEven) {
  for (const Scalar scalar : {Scalar::f32, Scalar::f64}) {
    Numbers x(64);
    for (int i = 0; i < 64; ++i) x[static_cast<std::size_t>(i)] = (i - 32 + 0.5) * 0.25;
    const Trip trip = round_trip(quantiser(), scalar, x, 0.25);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(trip.decoded[i], 0.25 * std::rint(x[i] / 0.25)) << x[i];
  }
}

TEST(Dither, MakesErrorsUniformAndIndependentOfTheData) {
  const auto expect_all = [](const Kind& kind, const Trip& trip, double step) {
    const Numbers e = errors_of(trip, step);
    const double root = std::sqrt(static_cast<double>(e.size()));
    EXPECT_NEAR(mean(e), 0, 5 * std::sqrt(1 / 12.0) / root) << kind.name;
    EXPECT_NEAR(product(e, e), 1 / 12.0, 5 * std::sqrt(1 / 180.0) / root)
        << kind.name;  // variance of a square: 1/80 - 1/144
    const double size = std::sqrt(product(kind.numbers, kind.numbers));
    if (size > 0) { EXPECT_NEAR(product(e, kind.numbers) / size, 0, 5 * std::sqrt(1 / 12.0) / root) << kind.name; }
    for (std::size_t lag = 1; lag <= 4; ++lag) {
      const Numbers a(e.begin(), e.end() - static_cast<std::ptrdiff_t>(lag)),
          b(e.begin() + static_cast<std::ptrdiff_t>(lag), e.end());
      EXPECT_NEAR(product(a, b), 0, 5 / 12.0 / root) << kind.name << ", neighbours at " << lag;
    }
    for (const double x : e) ASSERT_LE(std::abs(x), 0.5 * (1 + 1e-3)) << kind.name;
  };
  for (const Scalar scalar : {Scalar::f32, Scalar::f64}) {
    const double step = 0.01;
    const std::vector<Kind> kinds{
        {"white noise", white_noise(scalar, values, 7)},
        {"constant", filled(scalar, values, [](int) { return 0.25; })},
        {"small constant", filled(scalar, values, [](int) { return 1e-5; })},
        {"ramp", filled(scalar, values, [](int i) { return i * 1e-4; })},
        {"cosine", filled(scalar, values, [](int i) { return std::cos(2 * std::numbers::pi * i / values); })},
        {"half steps", filled(scalar, values, [&](int i) { return (i % 5 + 0.5) * step; })}};
    const double own = as(scalar, step);
    for (const Kind& kind : kinds)
      expect_all(kind, round_trip(quantiser(), scalar, kind.numbers, own, Rounding::dither), own);
  }
}

TEST(Dither, LeavesNoLinesInTheSpectrumOfTheErrors) {
  constexpr int length = 1 << 13;  // complex
  for (const double value : {0.25, 1e-5, 0.003}) {
    const Numbers x = filled(Scalar::f64, 2 * length, [&](int) { return value; });
    const double step = 0.01;
    const Numbers e = errors_of(round_trip(quantiser(), Scalar::f64, x, step, Rounding::dither), step);
    // The largest of N coefficients of complex noise with mean square s is s sqrt(ln N) = 3.0 s; 5 s has a probability
    // of N exp(-25) = 1e-7.
    const double size = std::sqrt(2 * length / 12.0);
    double largest = 0;
    Signal signal(length);
    for (std::size_t i = 0; i < signal.size(); ++i) signal[i] = {e[2 * i], e[2 * i + 1]};
    for (const auto& c : spectrum(signal)) largest = std::max(largest, std::abs(c));
    EXPECT_LT(largest, 5 * size) << value;
  }
}

TEST(Dither, LeavesBlocksOfZerosAlone) {
  for (const Scalar scalar : {Scalar::f32, Scalar::f64}) {
    Numbers x(256, 0.0);
    x[70] = 1;
    const Trip trip = round_trip(quantiser(), scalar, x, 0.125, Rounding::dither);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i / 64 != 1) { EXPECT_EQ(trip.decoded[i], 0) << i; }
    EXPECT_EQ(trip.made.encoded.bytes, trip.made.bytes.payload.size());
  }
}

TEST(Codecs, SpendNothingOnBlocksOfZerosWhereTheySaySo) {
  for (const Codec* codec : codecs()) {
    if (codec->index_bytes() == 0) continue;
    for_every_rounding(*codec, [&](Rounding rounding) {
      const Trip trip = round_trip(*codec, Scalar::f64, Numbers(4096 * 4, 0.0),
                                   codec->parameter(Scalar::f64, {.error = 1e-3, .norm = 1, .values = 4096}), rounding);
      EXPECT_EQ(trip.made.encoded.bytes, 0u) << codec->name();
      EXPECT_EQ(trip.decoded, trip.given) << codec->name();
    });
  }
}

TEST(Codecs, TakeTheBitsThatThePlannerIsTold) {
  for_every_codec([&](const Codec& codec, Scalar scalar) {
    const Numbers x = white_noise(scalar, values, 8);
    const auto norm = static_cast<double>(norm_of(x));
    for (const double share : {1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10})
      for (const bool a_priori : {false, true}) {
        const double parameter =
            codec.parameter(scalar, {.error = share * norm, .norm = norm, .values = values, .a_priori = a_priori});
        if (std::isnan(parameter)) continue;
        const Made made = encode(codec, Group(codec, scalar, x), parameter);
        const double bits = 8.0 * static_cast<double>(made.encoded.bytes + made.bytes.index.size()) / values;
        EXPECT_NEAR(codec.usual_bits(scalar, share, a_priori), bits, codec.dithers() ? 0.1 : 1) << share;
      }
  });
}

}  // namespace
}  // namespace shardfft::testing
