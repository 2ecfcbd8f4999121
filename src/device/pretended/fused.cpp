// Fused transforms on a pretended device: the gather and the scatter that GPUs run, around a plain transform.
#include <memory>

#include <fmt/format.h>

#include "device/fused.hpp"
#include "device/kernels/fused_pencils.hpp"
#include "device/kernels/launch.hpp"
#include "device/pretended/dft.hpp"
#include "device/pretended/queue.hpp"
#include "shardfft/error.hpp"

namespace shardfft::pretended {
namespace {

constexpr Index most_n = 2048;

template <class T>
struct FusedKernel {
  static constexpr int threads = 48, phases = 3, at_once = fused_at_once<T>;
  using Pencils = FusedPencils<T, at_once, threads>;
  using Element = typename Pencils::Element;
  using Real = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  struct Shared {
    Element tile[at_once * (most_n + 1)];
  };

  Pencils pencils{};
  const Dft<Real>* dft = nullptr;

  [[nodiscard]] Index blocks() const { return pencils.blocks(); }
  void operator()(int phase, Index block, int thread, Shared& shared) const {
    if (phase == 0) return pencils.gather(block, thread, shared.tile);
    if (phase == 2) return pencils.scatter(block, thread, shared.tile);
    if (thread < at_once) transform(shared.tile + thread * pencils.row());
  }

 private:
  // Rows beyond the last pencil are transformed, too, as on a GPU.
  void transform(Element* row) const {
    const T sign = pencils.spec.backward ? T(-1) : T(1);  // backward is forward of the conjugate
    std::vector<std::complex<Real>> x(static_cast<std::size_t>(dft->n())), y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = {row[k].of[0], sign * row[k].of[1]};
    dft->run(x.data(), y.data());
    for (std::size_t k = 0; k < y.size(); ++k) row[k] = {{static_cast<T>(y[k].real()), sign * static_cast<T>(y[k].imag())}};
  }
};

struct PretendedFused final : FusedKernels {
  [[nodiscard]] std::string_view space() const override { return "pretended"; }
  [[nodiscard]] bool supports(Index n, Scalar scalar) const override { return n >= 1 && n <= most_n && scalar != Scalar::f80; }
  void run(Queue& queue, const FusedSpec& spec, const std::byte* from, std::byte* to) const override {
    check(spec, from, to);
    if (!supports(spec.k.extent, spec.scalar)) throw Error(Status::unsupported, fmt::format("fused transforms of pretended devices have 1 to {} elements of f32 or f64; got {}", most_n, spec.k.extent));
    spec.scalar == Scalar::f32 ? add<float>(queue, spec, from, to) : add<double>(queue, spec, from, to);
  }

 private:
  template <class T>
  static void add(Queue& queue, const FusedSpec& spec, const std::byte* from, std::byte* to) {
    pretended_queue(queue).add([spec, from, to] {
      const Dft<typename FusedKernel<T>::Real> dft(spec.k.extent);
      FusedKernel<T> kernel;
      kernel.pencils = {spec, from, to};
      kernel.dft = &dft;
      run_on_host(kernel);
    });
  }
};

}  // namespace
}  // namespace shardfft::pretended

const shardfft::FusedKernels& shardfft::pretended_fused() {
  static const pretended::PretendedFused kernels;
  return kernels;
}
