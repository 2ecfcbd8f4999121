// Numbers that are cast on a device, on every device that is here, against the definition of rounding to nearest.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "device/cast.hpp"
#include "device/on_device.hpp"

namespace shardfft::testing {
namespace {

// The half-precision number of these bits, by IEEE 754.
double half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size =
      exponent == 0    ? std::ldexp(fraction, -24)
      : exponent == 31 ? (fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity())
                       : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

double stored(const std::vector<std::byte>& memory, StorageFormat format, std::size_t i) {
  if (format == StorageFormat::f32) {
    float x = 0;
    std::memcpy(&x, memory.data() + 4 * i, sizeof x);
    return x;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, memory.data() + 2 * i, sizeof bits);
  return half(bits);
}

// Largest finite number, and digits after the leading one; least power of two that is normal.
struct Facts {
  double largest;
  int digits, least;
};
Facts facts(StorageFormat format) {
  return format == StorageFormat::f32 ? Facts{std::numeric_limits<float>::max(), 23, -126} : Facts{65504, 10, -14};
}

// Half a unit of the last place that x has in the format.
double half_unit(double x, StorageFormat format) {
  const Facts f = facts(format);
  return std::ldexp(0.5, std::max(x == 0 ? f.least : std::ilogb(x), f.least) - f.digits);
}

template <class T>
std::vector<T> numbers_around(double size) {
  std::mt19937_64 random(17);
  std::vector<T> x;
  for (int i = 0; i < 5000; ++i)
    x.push_back(static_cast<T>(size * std::uniform_real_distribution<>(-1, 1)(random) * std::exp2(-40 * (i % 3))));
  for (const double special : {0.0, -0.0, std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    x.push_back(static_cast<T>(special));
  return x;
}

class AnyDeviceNarrow : public ::testing::TestWithParam<std::string> {
 protected:
  template <class T>
  void check(StorageFormat format, double size, double scale) {
    const std::vector<T> x = numbers_around<T>(size);
    const auto count = static_cast<Index>(x.size());
    const Scalar scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;
    const DeviceMemory wide = on_device(device, *queue, x),
                       narrow(device, x.size() * static_cast<std::size_t>(facts_of(format).bytes), "a test"),
                       back(device, wide.bytes(), "a test");
    queue->run(CastNumbers{.way = CastNumbers::Cast::narrow,
                           .scalar = scalar,
                           .format = format,
                           .numbers = count,
                           .from = wide.data(),
                           .to = narrow.data(),
                           .scale = scale});
    queue->run(CastNumbers{.way = CastNumbers::Cast::widen,
                           .scalar = scalar,
                           .format = format,
                           .numbers = count,
                           .from = narrow.data(),
                           .to = back.data(),
                           .scale = 1 / scale});
    const auto kept = on_host<std::byte>(*queue, narrow);
    const auto y = on_host<T>(*queue, back);
    double lost2 = 0, norm2 = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double given = static_cast<double>(x[i]) * scale, got = stored(kept, format, i);
      if (!std::isfinite(given)) {
        ASSERT_EQ(std::isnan(given), std::isnan(got)) << i;
        if (!std::isnan(given)) { ASSERT_EQ(given, got) << i; }
      } else {
        ASSERT_LE(std::abs(got - given), half_unit(given, format) * (1 + 1e-3)) << given;  // two roundings in a row
        lost2 += (got - given) * (got - given);
        norm2 += given * given;
      }
      ASSERT_EQ(std::isnan(got), std::isnan(y[i])) << i;
      if (!std::isnan(got)) { ASSERT_EQ(static_cast<T>(got / scale), y[i]) << i; }
    }
    EXPECT_LE(std::sqrt(lost2 / norm2), facts_of(format).roundoff);
    EXPECT_GT(lost2, 0);
  }
  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  std::unique_ptr<Queue> queue = device->make_queue();
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AnyDeviceNarrow);
INSTANTIATE_TEST_SUITE_P(Here, AnyDeviceNarrow, ::testing::ValuesIn(device_names()), as_word);

TEST_P(AnyDeviceNarrow, NumbersAreRoundedToTheNearestAndComeBack) {
  check<double>(StorageFormat::f32, 1, 1);
  check<double>(StorageFormat::f32, 1e200, std::exp2(-600));
  check<double>(StorageFormat::f32, 1e-200, std::exp2(700));
  check<double>(StorageFormat::f16, 1, 1024);
  check<double>(StorageFormat::f16, 1e100, std::exp2(-320));
  check<float>(StorageFormat::f16, 1e30, std::exp2(-86));
  check<float>(StorageFormat::f16, 1e-30, std::exp2(112));
}

}  // namespace
}  // namespace shardfft::testing
