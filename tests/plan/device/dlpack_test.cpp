// Tensors of other libraries as views.
#include "shardfft/dlpack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <limits>
#include <vector>

#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

// DLPack's C header declares them so.
struct Device {
  int device_type = 1;
  std::int32_t device_id = 0;
};
struct DataType {
  std::uint8_t code = 5, bits = 128;
  std::uint16_t lanes = 1;
};
struct Tensor {
  void* data = nullptr;
  Device device{};
  std::int32_t ndim = 0;
  DataType dtype{};
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;
  std::uint64_t byte_offset = 0;
};

struct Example {
  std::vector<std::complex<double>> numbers = std::vector<std::complex<double>>(26);
  std::array<std::int64_t, 3> shape{2, 3, 4}, strides{12, 4, 1};
  Tensor tensor{.data = numbers.data(), .ndim = 3, .shape = shape.data(), .strides = strides.data()};
};

TEST(DLPack, TensorsBecomeViewsWithTypePlaceAndLength) {
  Example e;
  e.tensor.byte_offset = 32;
  e.tensor.device = {2, 3};
  const View view = view_of(e.tensor);
  EXPECT_EQ(view.data, e.numbers.data() + 2);
  EXPECT_EQ(view.bytes, 24 * sizeof(std::complex<double>));
  EXPECT_EQ(view.scalar, 8u);
  EXPECT_TRUE(view.complex);
  EXPECT_EQ(view.space, Space::cuda);
  EXPECT_EQ(view.device, 3);
  e.tensor.dtype = {2, 32, 1};
  e.tensor.device = {10, 0};
  EXPECT_EQ(view_of(e.tensor).bytes, 24 * sizeof(float));
  EXPECT_EQ(view_of(e.tensor).scalar, 4u);
  EXPECT_FALSE(view_of(e.tensor).complex);
  EXPECT_EQ(view_of(e.tensor).space, Space::hip);
  e.tensor.device = {14, 1};
  EXPECT_EQ(view_of(e.tensor).space, Space::sycl);
  EXPECT_EQ(view_of(e.tensor).device, 1);
}

TEST(DLPack, StridesMayBeAbsentOrAnythingWhereAnAxisHasOneElement) {
  Example e;
  e.tensor.strides = nullptr;
  EXPECT_EQ(view_of(e.tensor).bytes, 24 * sizeof(std::complex<double>));
  e.tensor.strides = e.strides.data();
  e.shape[0] = 1;
  e.strides[0] = 77;
  EXPECT_EQ(view_of(e.tensor).bytes, 12 * sizeof(std::complex<double>));
  EXPECT_EQ(view_of(e.tensor).space, Space::host);
}

TEST(DLPack, ATensorWithoutMemoryIsNullWhateverItsOffset) {
  Example e;
  e.tensor.data = nullptr;
  e.tensor.byte_offset = 32;
  EXPECT_EQ(view_of(e.tensor).data, nullptr);
  e.shape[1] = 0;
  EXPECT_EQ(view_of(e.tensor).bytes, 0u);
}

TEST(DLPack, ExtentsThatNobodyCanCountAreRefused) {
  constexpr std::int64_t huge = std::int64_t{1} << 32, least = std::numeric_limits<std::int64_t>::min();
  for (const auto& shape : {std::array<std::int64_t, 3>{-2, 3, 4}, {-2, -3, 4}, {huge, huge, 1}, {1, least, 2}}) {
    Example e;
    e.shape = shape;
    e.tensor.strides = nullptr;
    EXPECT_NE(thrown([&] { (void)view_of(e.tensor); }).find("at most 2^58 elements; got extent"), std::string::npos);
  }
}

TEST(DLPack, OtherTensorsAreRefusedWithTheRuleAndTheRemedy) {
  Example gap, type, place;
  gap.strides[1] = 5;
  EXPECT_NE(thrown([&] { (void)view_of(gap.tensor); }).find("got stride 5 along axis 1 instead of 4"),
            std::string::npos);
  type.tensor.dtype = {0, 32, 1};
  EXPECT_NE(thrown([&] { (void)view_of(type.tensor); }).find("float32, float64, complex64 or complex128"),
            std::string::npos);
  type.tensor.dtype = {5, 128, 2};
  EXPECT_NE(thrown([&] { (void)view_of(type.tensor); }).find("128 bits in 2 lanes"), std::string::npos);
  place.tensor.device.device_type = 8;
  EXPECT_NE(thrown([&] { (void)view_of(place.tensor); }).find("device type 8"), std::string::npos);
}

}  // namespace
}  // namespace shardfft::testing
