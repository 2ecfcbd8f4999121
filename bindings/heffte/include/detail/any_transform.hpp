// The calls that all classes of transforms share.
#pragma once

#include "detail/group.hpp"
#include "detail/transform.hpp"
#include "heffte_plan_logic.h"

namespace heffte::detail {

template <typename backend_tag, typename index, bool half>
class any_transform : public backend::device_instance<typename backend::buffer_traits<backend_tag>::location> {
  static_assert(std::is_same_v<index, int> || std::is_same_v<index, long long>, "indices are int or long long");
  static_assert(backend::is_enabled<backend_tag>::value,
                "this backend was not asked for; define Heffte_ENABLE_CUDA or Heffte_ENABLE_ROCM, and have shardfft "
                "built for it");
  using device_instance = backend::device_instance<typename backend::buffer_traits<backend_tag>::location>;
  static constexpr bool complex_spectrum = backend::uses_fft_types<backend_tag>::value;

 public:
  using location_tag = typename backend::buffer_traits<backend_tag>::location;
  using typename device_instance::stream_type;
  template <typename T>
  using buffer_container = typename backend::buffer_traits<backend_tag>::template container<T>;
  template <typename T>
  using real_buffer_container = buffer_container<real_of<T>>;
  template <typename T>
  using output_buffer_container = buffer_container<typename transform_output<T, backend_tag>::type>;

  long long size_inbox() const { return state_->in.count(); }
  long long size_outbox() const { return state_->out.count(); }
  box3d<index> inbox() const { return state_->in; }
  box3d<index> outbox() const { return state_->out; }
  /// Plans have their memory: a workspace may be passed, and is left alone.
  std::size_t size_workspace() const { return 0; }
  std::size_t size_comm_buffers() const { return 0; }
  /// That of scale::full, also for scale::none.
  double get_scale_factor(scale scaling) const {
    return scaling == scale::symmetric ? std::sqrt(state_->full) : state_->full;
  }

  /// Collective, as all that follows. Input and output are different arrays or the same one.
  template <typename input_type, typename output_type>
  void forward(const input_type input[], output_type output[], scale scaling = scale::none) const {
    go_forward(1, input, output, scaling);
  }
  template <typename input_type, typename output_type>
  void forward(const input_type input[], output_type output[], output_type* /*workspace*/,
               scale scaling = scale::none) const {
    go_forward(1, input, output, scaling);
  }
  /// `batch_size` arrays, one after the other.
  template <typename input_type, typename output_type>
  void forward(int batch_size, const input_type input[], output_type output[], output_type* /*workspace*/,
               scale scaling = scale::none) const {
    go_forward(batch_size, input, output, scaling);
  }
  template <typename input_type, typename output_type>
  void forward(int batch_size, const input_type input[], output_type output[], scale scaling = scale::none) const {
    go_forward(batch_size, input, output, scaling);
  }
  template <typename input_type>
  output_buffer_container<input_type> forward(const buffer_container<input_type>& input,
                                              scale scaling = scale::none) const {
    require(input.size(), size_inbox(), "forward", "inbox");
    output_buffer_container<input_type> output(static_cast<std::size_t>(size_outbox()));
    go_forward(1, input.data(), output.data(), scaling);
    return output;
  }

  template <typename input_type, typename output_type>
  void backward(const input_type input[], output_type output[], scale scaling = scale::none) const {
    go_backward(1, input, output, scaling);
  }
  template <typename input_type, typename output_type>
  void backward(const input_type input[], output_type output[], input_type* /*workspace*/,
                scale scaling = scale::none) const {
    go_backward(1, input, output, scaling);
  }
  template <typename input_type, typename output_type>
  void backward(int batch_size, const input_type input[], output_type output[], input_type* /*workspace*/,
                scale scaling = scale::none) const {
    go_backward(batch_size, input, output, scaling);
  }
  template <typename input_type, typename output_type>
  void backward(int batch_size, const input_type input[], output_type output[], scale scaling = scale::none) const {
    go_backward(batch_size, input, output, scaling);
  }
  template <typename scalar_type>
  auto backward(const buffer_container<scalar_type>& input, scale scaling = scale::none) const {
    return backward_to<std::conditional_t<half, real_of<scalar_type>, scalar_type>>(input, scaling);
  }

 protected:
  any_transform(stream_type stream, const ioboxes<index>& boxes, int r2c_direction, MPI_Comm comm)
      : device_instance(stream), state_(std::make_unique<State>(boxes, asked(boxes, r2c_direction, stream), comm)) {}

  template <typename output_type, typename scalar_type>
  buffer_container<output_type> backward_to(const buffer_container<scalar_type>& input, scale scaling) const {
    require(input.size(), size_outbox(), "backward", "outbox");
    buffer_container<output_type> output(static_cast<std::size_t>(size_inbox()));
    go_backward(1, input.data(), output.data(), scaling);
    return output;
  }

 private:
  struct State {
    State(const ioboxes<index>& boxes, const Asked& asked, MPI_Comm comm)
        : in(boxes.in[static_cast<std::size_t>(mpi::comm_rank(comm))]),
          out(boxes.out[static_cast<std::size_t>(mpi::comm_rank(comm))]),
          transform(group_of(comm), asked, side_of(boxes.in), side_of(boxes.out)) {
      for (int axis = 0; axis < 3; ++axis)
        full *= 1.0 / static_cast<double>(shardfft::logical_length(backend_tag::kind, asked.shape[axis]));
      full /= backend_tag::gain;
    }
    box3d<index> in, out;  ///< of this rank
    double full = 1;       ///< the factor of scale::full
    Transform transform;
  };

  static Asked asked(const ioboxes<index>& boxes, int r2c_direction, stream_type stream) {
    const box3d<index> world = find_world(boxes.in);
    if (world.low != std::array<index, 3>{0, 0, 0})
      throw std::invalid_argument("inboxes begin at index 0 0 0; got a world that begins at " +
                                  std::to_string(world.low[0]) + " " + std::to_string(world.low[1]) + " " +
                                  std::to_string(world.low[2]) + "; subtract that from all boxes");
    if (half && (r2c_direction < 0 || r2c_direction > 2))
      throw std::invalid_argument("r2c_direction is 0, 1 or 2; got " + std::to_string(r2c_direction));
    Asked asked{.shape = {world.size[0], world.size[1], world.size[2]}};
    asked.kind = half ? shardfft::r2c : complex_spectrum ? shardfft::c2c : shardfft::r2r;
    // Axis 0 first, which is the fastest by default. Of an axis of one index a transform changes nothing.
    for (int axis = 2; axis >= 0; --axis)
      if (axis != r2c_direction && (asked.shape[axis] > 1 || !complex_spectrum)) asked.axes.push_back(axis);
    if (half) asked.axes.push_back(r2c_direction);
    if (asked.axes.empty()) asked.axes = {0};
    asked.axis_kind = backend_tag::kind;
    asked.device = backend_tag::device;
    asked.stream = stream;
    return asked;
  }

  static void require(std::size_t got, long long least, const char* call, const char* box) {
    if (got < static_cast<std::size_t>(least))
      throw std::invalid_argument(std::string(call) + " takes a container with the elements of the " + box + ", " +
                                  std::to_string(least) + "; got " + std::to_string(got));
  }

  /// What lies in the inbox and in the outbox.
  template <typename inside, typename outside>
  static constexpr bool fit() {
    if (!is_number<inside> || !is_number<outside> || is_single<inside> != is_single<outside>) return false;
    if (!complex_spectrum) return std::is_same_v<inside, outside> && !is_complex<inside>;
    return is_complex<outside> && !(half && is_complex<inside>);
  }

  double factor(shardfft::Direction direction, scale scaling) const {
    const double here = scaling == scale::none ? 1 : get_scale_factor(scaling);
    return direction == shardfft::Direction::backward ? here * backend_tag::gain : here;
  }

  template <typename T>
  void run(shardfft::Direction direction, int signals, const void* in, void* out, scale scaling) const {
    state_->transform.run(
        {direction, is_single<T> ? shardfft::f32 : shardfft::f64, signals, in, out, factor(direction, scaling)});
  }

  template <typename input_type, typename output_type>
  void go_forward(int signals, const input_type* input, output_type* output, scale scaling) const {
    static_assert(fit<input_type, output_type>(), "no transform takes these two types to each other");
    if constexpr (complex_spectrum && !half && !is_complex<input_type>) {
      static_assert(!backend::uses_gpu<backend_tag>::value, "reals on a GPU: take fft3d_r2c");
      const std::vector<std::complex<input_type>> complexes(input, input + elements(signals));
      run<input_type>(shardfft::Direction::forward, signals, complexes.data(), output, scaling);
    } else {
      run<input_type>(shardfft::Direction::forward, signals, input, output, scaling);
    }
  }
  template <typename input_type, typename output_type>
  void go_backward(int signals, const input_type* input, output_type* output, scale scaling) const {
    static_assert(fit<output_type, input_type>(), "no transform takes these two types to each other");
    if constexpr (complex_spectrum && !half && !is_complex<output_type>) {
      static_assert(!backend::uses_gpu<backend_tag>::value, "reals on a GPU: take fft3d_r2c");
      std::vector<std::complex<output_type>> complexes(elements(signals));
      run<input_type>(shardfft::Direction::backward, signals, input, complexes.data(), scaling);
      std::transform(complexes.begin(), complexes.end(), output, [](auto z) { return z.real(); });
    } else {
      run<input_type>(shardfft::Direction::backward, signals, input, output, scaling);
    }
  }
  /// Elements of an inbox for `signals` arrays. All ranks refuse a batch that is no number of arrays together, later.
  std::size_t elements(int signals) const {
    return static_cast<std::size_t>(std::max(signals, 0)) * static_cast<std::size_t>(size_inbox());
  }

  std::unique_ptr<State> state_;
};

}  // namespace heffte::detail
