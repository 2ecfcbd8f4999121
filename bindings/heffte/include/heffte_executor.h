// Transforms of one rank along some axes of a box, in place: what heFFTe calls the backend of one dimension.
#pragma once

#include <initializer_list>

#include "detail/transform.hpp"
#include "heffte_common.h"

namespace heffte {
namespace detail {

class Executor {
 public:
  template <typename index>
  Executor(const box3d<index>& box, std::initializer_list<int> axes)
      : count_(static_cast<std::size_t>(box.count())),
        run_(shardfft::local(), {.shape = {box.size[0], box.size[1], box.size[2]}, .axes = axes}, whole(box),
             whole(box)) {}

  int box_size() const { return static_cast<int>(count_); }
  std::size_t workspace_size() const { return 0; }

  template <typename complex_type>
    requires(is_complex<complex_type>)
  void forward(complex_type data[], complex_type* /*workspace*/) const {
    run(shardfft::Direction::forward, data);
  }
  template <typename complex_type>
    requires(is_complex<complex_type>)
  void backward(complex_type data[], complex_type* /*workspace*/) const {
    run(shardfft::Direction::backward, data);
  }
  template <typename complex_type>
  void forward(const real_of<complex_type> in[], complex_type out[], complex_type* /*workspace*/) const {
    std::copy_n(in, count_, convert_to_standard(out));
    run(shardfft::Direction::forward, out);
  }
  /// `in` becomes its transform; `out` gets the real parts.
  template <typename complex_type>
  void backward(complex_type in[], real_of<complex_type> out[], complex_type* /*workspace*/) const {
    run(shardfft::Direction::backward, in);
    std::transform(convert_to_standard(in), convert_to_standard(in) + count_, out, [](auto z) { return z.real(); });
  }

 private:
  template <typename index>
  static Side whole(const box3d<index>& box) {
    Side side = side_of(std::vector<box3d<index>>{box});
    side.boxes[0] = shardfft::whole(side.boxes[0].shape());
    return side;
  }
  template <typename complex_type>
  void run(shardfft::Direction direction, complex_type data[]) const {
    run_.run({direction, is_single<complex_type> ? shardfft::f32 : shardfft::f64, 1, data, data, 1});
  }

  std::size_t count_;
  mutable Transform run_;
};

}  // namespace detail

template <typename backend_tag>
struct one_dim_backend {
  using executor = detail::Executor;
};

/// Along one axis, two axes, or all; nullptr for an empty box. Of backends on the processor.
template <typename backend_tag, typename index, typename... axis>
std::unique_ptr<detail::Executor> make_executor(void* /*stream*/, const box3d<index>& box, axis... axes) {
  static_assert(!backend::uses_gpu<backend_tag>::value && backend::uses_fft_types<backend_tag>::value,
                "executors are complex transforms on the processor");
  if (box.empty()) return nullptr;
  if constexpr (sizeof...(axes) == 0)
    return std::make_unique<detail::Executor>(box, std::initializer_list<int>{0, 1, 2});
  else
    return std::make_unique<detail::Executor>(box, std::initializer_list<int>{axes...});
}

template <std::size_t count>
std::size_t get_max_work_size(const std::array<detail::Executor*, count>&) {
  return 0;
}

}  // namespace heffte
