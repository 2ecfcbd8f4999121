// Memory as plans see it.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace shardfft {

/// The memory that holds an array; `emulated` is a device in host memory, for tests.
enum class Space { unknown, host, cuda, hip, emulated, sycl };
[[nodiscard]] std::string_view name(Space space);  ///< "cuda"

/// float, double, std::complex of them, or none of these (size 0).
template <class T>
struct ScalarOf {
  static constexpr std::size_t size = std::is_same_v<T, float> || std::is_same_v<T, double> ? sizeof(T) : 0;
  static constexpr bool complex = false;
};
template <class T>
struct ScalarOf<std::complex<T>> {
  static constexpr std::size_t size = ScalarOf<T>::size;
  static constexpr bool complex = true;
};

/// Numbers one after the other that stay where they are: a std::vector, std::array or C array with a name, a std::span.
template <class Range>
concept Numbers = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>;
template <class Range>
concept TransformNumbers =
    Numbers<Range> && std::ranges::borrowed_range<Range> && ScalarOf<std::ranges::range_value_t<Range>>::size != 0;

/// The caller's memory: start and length. A rank that owns nothing passes View{}.
struct View {
  const void* data = nullptr;
  std::size_t bytes = 0;
  std::size_t scalar = 0;  ///< size of the real type behind it (4 or 8), checked against the plan; 0 means unknown
  bool complex = false;    ///< meaningful when `scalar` is not 0
  Space space =
      Space::unknown;  ///< checked against the plan where it is known; pointers of devices are asked for besides
  int device = -1;     ///< number of the device that holds it; -1: unknown

  /// Instead of a length: `data` is then a text that says what is wrong with a caller's array. The call fails with it,
  /// on all ranks if it is collective. For bindings, which know more of an array than its address.
  static constexpr std::size_t refused = ~std::size_t{0};

  View() = default;
  View(const void* start, std::size_t length_in_bytes) : data(start), bytes(length_in_bytes) {}
  View(const void* start, std::size_t length_in_bytes, Space where, int device_number = -1)
      : data(start), bytes(length_in_bytes), space(where), device(device_number) {}
  /// Implicit, so that `plan.forward(in, out)` takes vectors, arrays and spans as they are.
  template <TransformNumbers Range>
  View(Range&& numbers)
      : data(std::ranges::data(numbers)),
        bytes(std::ranges::size(numbers) * sizeof(*std::ranges::data(numbers))),
        scalar(ScalarOf<std::ranges::range_value_t<Range>>::size),
        complex(ScalarOf<std::ranges::range_value_t<Range>>::complex) {}
  template <Numbers Range>
    requires(!TransformNumbers<Range>)
  View(Range&&) = delete;  // a View is of float, double or std::complex of them, in a variable and not a temporary
};

/// Memory that a plan made for its input or output: this rank's part, aligned to a page, zero; of a device where the
/// plan's arrays are. It may outlive the plan.
class Array {
 public:
  Array() = default;
  /// Throws Error(out_of_memory).
  explicit Array(std::size_t bytes);
  /// Memory that the caller allocated, and that is freed with its last owner.
  Array(std::shared_ptr<std::byte> memory, std::size_t bytes, Space space = Space::host, int device = -1)
      : data_(std::move(memory)), bytes_(bytes), space_(space), device_(device) {}
  /// What was moved from is empty, as Array() is.
  Array(Array&& other) noexcept
      : data_(std::move(other.data_)),
        bytes_(std::exchange(other.bytes_, 0)),
        space_(other.space_),
        device_(other.device_) {}
  Array& operator=(Array&& other) noexcept {
    data_ = std::move(other.data_);
    bytes_ = std::exchange(other.bytes_, 0);
    space_ = other.space_;
    device_ = other.device_;
    return *this;
  }

  [[nodiscard]] std::byte* data() { return data_.get(); }
  [[nodiscard]] const std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] Space space() const { return space_; }
  /// The elements as T (not to be touched by the host where they are on a device): float, double or std::complex of
  /// them.
  template <class T>
  [[nodiscard]] std::span<T> as() {
    return {reinterpret_cast<T*>(data_.get()), bytes_ / sizeof(T)};
  }
  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data_.get()), bytes_ / sizeof(T)};
  }
  operator View() const { return {data_.get(), bytes_, space_, device_}; }

 private:
  std::shared_ptr<std::byte> data_;
  std::size_t bytes_ = 0;
  Space space_ = Space::host;
  int device_ = -1;
};

}  // namespace shardfft
