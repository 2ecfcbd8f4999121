// Batched transforms on an emulated device, with the habits of the vendors' libraries: scratch that is written, inputs
// of c2r that are lost, and results of c2r that are wrong where no array of reals has such an input.
#include <algorithm>
#include <atomic>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/emulated/dft.hpp"
#include "device/emulated/queue.hpp"
#include "device/kernels/half_spectra.hpp"
#include "device/kernels/launch.hpp"
#include "shardfft/error.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft::emulated {
namespace {

/// One end of a transform: how many scalars an element has, and where the elements of an array are.
struct ArrayEnd {
  Index parts = 2, count = 1, stride = 1, distance = 1;  ///< elements
  [[nodiscard]] std::size_t reach(Index batch, std::size_t scalar_bytes) const {
    return static_cast<std::size_t>(((count - 1) * stride + (batch - 1) * distance + 1) * parts) * scalar_bytes;
  }
};

[[nodiscard]] ArrayEnd end_of(const FftSpec& spec, bool in) {
  const bool real = spec.transform == (in ? DeviceTransform::r2c : DeviceTransform::c2r);
  const bool half = spec.transform == (in ? DeviceTransform::c2r : DeviceTransform::r2c);
  ArrayEnd end{.parts = real ? 1 : 2};
  for (std::size_t axis = 0; axis < spec.n.size(); ++axis)
    end.count *= half && axis + 1 == spec.n.size() ? spec.n[axis] / 2 + 1 : spec.n[axis];
  end.distance = end.count;
  if (spec.n.size() > 1) return end;
  end.stride = in ? spec.in_stride : spec.out_stride;
  if (const Index distance = in ? spec.in_distance : spec.out_distance) end.distance = distance;
  return end;
}

void check(const FftSpec& spec) {
  const auto wrong = [](const std::string& text) {
    return Error(Status::unsupported, "transforms of emulated devices: " + text);
  };
  if (spec.n.empty() || spec.n.size() > 3) throw wrong(fmt::format("1 to 3 axes; got {}", spec.n.size()));
  if (std::ranges::any_of(spec.n, [](Index n) { return n < 1; }) || spec.batch < 1)
    throw wrong(fmt::format("lengths and batch are at least 1; got {} and {}", fmt::join(spec.n, " x "), spec.batch));
  if (spec.in_stride < 1 || spec.out_stride < 1 || spec.in_distance < 0 || spec.out_distance < 0)
    throw wrong("strides are at least 1 and distances at least 0; got one that is less");
}

/// One array at a time: loaded into numbers with more bits than it has, transformed along one axis after the other, and
/// stored.
template <class T>
class Arrays {
 public:
  using Real = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  using Complex = std::complex<Real>;

  explicit Arrays(const FftSpec& spec) : spec_(spec), in_(end_of(spec, true)), out_(end_of(spec, false)) {
    for (const Index n : spec.n) lines_.emplace_back(n);
  }

  void run(const std::byte* in, std::byte* out) const {
    const Index last = spec_.n.back(), half = last / 2 + 1,
                lines = in_.count / (spec_.transform == DeviceTransform::c2r ? half : last);
    std::vector<Complex> array(static_cast<std::size_t>(lines * last));
    for (Index b = 0; b < spec_.batch; ++b) {
      if (spec_.transform == DeviceTransform::c2r) {
        load(in, b, array);
        along_slow_axes(array, half);
        widen(array, lines);
      } else {
        load(in, b, array);
      }
      along_last_axis(array, lines);
      const Index kept = spec_.transform == DeviceTransform::r2c ? half : last;
      if (kept < last) narrow(array, lines, kept);
      if (spec_.transform != DeviceTransform::c2r) along_slow_axes(array, kept);
      store(out, b, array);
    }
  }

 private:
  [[nodiscard]] bool backward() const {
    return spec_.transform == DeviceTransform::backward || spec_.transform == DeviceTransform::c2r;
  }

  void load(const std::byte* from, Index b, std::vector<Complex>& array) const {
    for (Index k = 0; k < in_.count; ++k) {
      T scalars[2] = {};
      std::memcpy(scalars, from + static_cast<std::size_t>((k * in_.stride + b * in_.distance) * in_.parts) * sizeof(T),
                  static_cast<std::size_t>(in_.parts) * sizeof(T));
      array[static_cast<std::size_t>(k)] = {scalars[0], scalars[1]};
    }
  }
  void store(std::byte* to, Index b, const std::vector<Complex>& array) const {
    for (Index k = 0; k < out_.count; ++k) {
      const Complex& value = array[static_cast<std::size_t>(k)];
      const T scalars[2] = {static_cast<T>(value.real()), static_cast<T>(value.imag())};
      std::memcpy(to + static_cast<std::size_t>((k * out_.stride + b * out_.distance) * out_.parts) * sizeof(T),
                  scalars, static_cast<std::size_t>(out_.parts) * sizeof(T));
    }
  }

  // A line of `dft.n()` elements `stride` apart; backward is forward of the conjugate.
  void line(const Dft<Real>& dft, Complex* start, Index stride) const {
    std::vector<Complex> x(static_cast<std::size_t>(dft.n())), y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = backward() ? std::conj(start[static_cast<Index>(k) * stride]) : start[static_cast<Index>(k) * stride];
    dft.run(x.data(), y.data());
    for (std::size_t k = 0; k < y.size(); ++k)
      start[static_cast<Index>(k) * stride] = backward() ? std::conj(y[k]) : y[k];
  }
  void along_last_axis(std::vector<Complex>& array, Index lines) const {
    for (Index l = 0; l < lines; ++l) line(lines_.back(), array.data() + l * lines_.back().n(), 1);
  }
  /// Along all axes but the last, which has `last` elements.
  void along_slow_axes(std::vector<Complex>& array, Index last) const {
    Index inner = last, before = 1;
    for (std::size_t axis = 0; axis + 1 < lines_.size(); ++axis) before *= lines_[axis].n();
    for (std::size_t axis = lines_.size() - 1; axis-- > 0; inner *= lines_[axis].n()) {
      before /= lines_[axis].n();
      for (Index o = 0; o < before; ++o)
        for (Index i = 0; i < inner; ++i) line(lines_[axis], array.data() + o * inner * lines_[axis].n() + i, inner);
    }
  }
  // Half spectra of every line become whole ones: element n - k is the conjugate of element k. What has to be real and
  // is not goes into the result.
  void widen(std::vector<Complex>& array, Index lines) const {
    const Index n = lines_.back().n(), half = n / 2 + 1;
    for (Index l = lines; l-- > 0;) {
      Complex* to = array.data() + l * n;
      std::copy_backward(array.data() + l * half, array.data() + (l + 1) * half, to + half);
      to[0] = to[0].real() + to[0].imag();
      if (n % 2 == 0) to[n / 2] = to[n / 2].real() + to[n / 2].imag();
      for (Index k = half; k < n; ++k) to[k] = std::conj(to[n - k]);
    }
  }
  void narrow(std::vector<Complex>& array, Index lines, Index kept) const {
    for (Index l = 1; l < lines; ++l) std::copy_n(array.data() + l * lines_.back().n(), kept, array.data() + l * kept);
  }

  FftSpec spec_;
  ArrayEnd in_, out_;
  std::vector<Dft<Real>> lines_{};
};

/// What must live until the queues have done with it.
struct FftJob {
  FftSpec spec;
  std::function<void(const std::byte*, std::byte*)> run;
  ArrayEnd in, out;
  std::size_t in_bytes, out_bytes, work_bytes;

  void check(const EmulatedDevice& device, const std::byte* from, const std::byte* to, const std::byte* work) const {
    device.check(from, in_bytes, "input of a transform");
    device.check(to, out_bytes, "output of a transform");
    device.check(work, work_bytes, "scratch of a transform");
  }
};

/// Marks the scratch with the number of a run while it lasts. This finds other work that writes there meanwhile.
class ScratchMark {
 public:
  void begin(std::byte* work) const { std::memcpy(work, &number_, sizeof number_); }
  void end(const std::byte* work) const {
    if (std::memcmp(work, &number_, sizeof number_) != 0)
      throw Error(Status::device_failed,
                  "scratch of a transform is its own until it is done; got what others wrote there meanwhile");
  }

 private:
  static inline std::atomic<std::uint64_t> last_{0};
  std::uint64_t number_ = ++last_;
};

// Overwrites the elements of the input, not what lies between them.
void lose(const FftJob& job, std::byte* in) {
  const auto element = static_cast<std::size_t>(job.in.parts) * size_of(job.spec.scalar);
  for (Index b = 0; b < job.spec.batch; ++b)
    for (Index k = 0; k < job.in.count; ++k)
      std::memset(in + static_cast<std::size_t>(k * job.in.stride + b * job.in.distance) * element, 0xff, element);
}

[[nodiscard]] bool meet(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

class EmulatedFft final : public Fft {
 public:
  explicit EmulatedFft(std::shared_ptr<const FftJob> job) : job_(std::move(job)) {}
  [[nodiscard]] std::size_t work_bytes() const override { return job_->work_bytes; }

  void run(Queue& queue, std::byte* in, std::byte* out, std::byte* work) const override {
    auto& q = emulated_queue(queue);
    check_places(in, out, work);
    job_->check(q.device(), in, out, work);
    const ScratchMark turn;
    q.add(
        [device = &q.device(), turn, work, bytes = job_->work_bytes] {
          device->check(work, bytes, "scratch of a transform");
          turn.begin(work);
        },
        false);
    q.add([device = &q.device(), job = std::weak_ptr(job_), in, out, work, turn] {
      const auto live = job.lock();
      if (!live)
        throw Error(Status::device_failed,
                    "a transform lives until the queues have done with it; got one that was destroyed before");
      live->check(*device, in, out, work);
      turn.end(work);
      if (live->spec.transform == DeviceTransform::c2r)
        with_half_spectra(live->spec, in, [](const auto& kernel) { run_on_host(kernel); });
      live->run(in, out);
      std::memset(work, 0xff, live->work_bytes);
      if (live->spec.transform == DeviceTransform::c2r) lose(*live, in);
    });
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("emulated: {}, batch {}", fmt::join(job_->spec.n, " x "), job_->spec.batch);
  }

 private:
  void check_places(const std::byte* in, const std::byte* out, const std::byte* work) const {
    const FftSpec& spec = job_->spec;
    const bool same_strides = job_->in.stride == job_->out.stride && job_->in.distance == job_->out.distance;
    const bool in_place = in == out && same_strides &&
                          (spec.transform == DeviceTransform::forward || spec.transform == DeviceTransform::backward);
    if (!in_place && meet(in, job_->in_bytes, out, job_->out_bytes))
      throw Error(Status::device_failed,
                  "input and output of a transform are apart, or the same for forward and backward with equal strides; "
                  "got memory that overlaps");
    if (meet(work, job_->work_bytes, in, job_->in_bytes) || meet(work, job_->work_bytes, out, job_->out_bytes))
      throw Error(Status::device_failed,
                  "scratch of a transform is neither its input nor its output; got memory that overlaps");
    if (reinterpret_cast<std::uintptr_t>(work) % 256 != 0)
      throw Error(Status::device_failed,
                  fmt::format("scratch of a transform is aligned to 256 bytes; got {}", fmt::ptr(work)));
  }
  std::shared_ptr<const FftJob> job_;
};

template <class T>
[[nodiscard]] std::function<void(const std::byte*, std::byte*)> runner(const FftSpec& spec) {
  return
      [arrays = std::make_shared<const Arrays<T>>(spec)](const std::byte* in, std::byte* out) { arrays->run(in, out); };
}

}  // namespace

std::unique_ptr<Fft> fft_of(const FftSpec& spec) {
  check(spec);
  const ArrayEnd in = end_of(spec, true), out = end_of(spec, false);
  const std::size_t scalar = size_of(spec.scalar);
  // Scratch of one array's size: as much as a library may ask for.
  const std::size_t work = round_up(static_cast<std::size_t>(std::max(in.count, out.count)) * 2 * scalar, device_line);
  return std::make_unique<EmulatedFft>(std::make_shared<const FftJob>(
      FftJob{spec, spec.scalar == Scalar::f32 ? runner<float>(spec) : runner<double>(spec), in, out,
             in.reach(spec.batch, scalar), out.reach(spec.batch, scalar), work}));
}

}  // namespace shardfft::emulated
