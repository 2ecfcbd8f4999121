// Fused transforms on an emulated device: the gather and the scatter that GPUs run, around a plain transform.
#include <memory>

#include <fmt/format.h>

#include "device/emulated/dft.hpp"
#include "device/emulated/moves.hpp"
#include "device/emulated/queue.hpp"
#include "device/fused.hpp"
#include "device/kernels/fused_pencils.hpp"
#include "device/kernels/launch.hpp"
#include "shardfft/error.hpp"

namespace shardfft::emulated {
namespace {

constexpr Index most_n = 2048;

template <class T>
struct FusedKernel {
  static constexpr int threads = 48, phases = 5, at_once = fused_at_once<T>;
  using Pencils = FusedPencils<T, at_once, threads>;
  using Element = typename Pencils::Element;
  using Real = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  struct Shared {
    Element tile[at_once * (most_n + 1)];
  };

  Pencils pencils{};
  const Dft<Real>* dft = nullptr;
  bool backward = false;

  [[nodiscard]] Index blocks() const { return pencils.blocks(); }
  void operator()(int phase, Index block, int thread, Shared& shared) const {
    switch (phase) {
      case 0:
        return pencils.gather(block, thread, shared.tile);
      case 1:
        return pencils.before(thread, shared.tile);
      case 2:
        return thread < at_once ? transform(shared.tile + thread * pencils.row()) : void();
      case 3:
        return pencils.after(thread, shared.tile);
      default:
        return pencils.scatter(block, thread, shared.tile);
    }
  }

 private:
  // Rows beyond the last pencil are transformed, too, as on a GPU.
  void transform(Element* row) const {
    const T sign = backward ? T(-1) : T(1);  // backward is forward of the conjugate
    std::vector<std::complex<Real>> x(static_cast<std::size_t>(dft->n())), y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = {row[k].of[0], sign * row[k].of[1]};
    dft->run(x.data(), y.data());
    for (std::size_t k = 0; k < y.size(); ++k)
      row[k] = {{static_cast<T>(y[k].real()), sign * static_cast<T>(y[k].imag())}};
  }
};

/// What must live until the queues have done with it.
struct Job {
  FusedSpec spec;
  FusedTable table;
  std::vector<MoveReach> reaches{};

  Job(const FusedSpec& s, std::span<const PencilFamily> families) : spec(s), table(make_fused_table(s, families)) {
    for (const PencilFamily& family : families) {
      add(family, family.from, spec.element_bytes(spec.complex_in()));
      add(family, family.to, spec.element_bytes(spec.complex_out()));
    }
  }
  void check(const EmulatedDevice& device, const MoveBases& bases) const {
    emulated::check(device, reaches, bases, size_of(spec.scalar), "fused transform");
  }
  template <class T>
  void run(const MoveBases& bases) const {
    const Dft<typename FusedKernel<T>::Real> dft(spec.complex_n());
    FusedKernel<T> kernel;
    kernel.pencils = {spec, table.view(table.memory.data()), bases};
    kernel.dft = &dft;
    kernel.backward = spec.backward();
    run_on_host(kernel);
  }

 private:
  void add(const PencilFamily& family, const std::vector<PencilStretch>& stretches, Index element) {
    for (const PencilStretch& s : stretches) {
      std::vector<Index> extent{s.count, family.pencils}, step{s.step, s.pencil_step};
      extent.insert(extent.end(), family.outer, family.outer + family.outer_axes);
      step.insert(step.end(), s.outer_step, s.outer_step + family.outer_axes);
      if (s.count > 0) reaches.push_back(reach_of(s.base, s.at, extent, step, element));
    }
  }
};

class EmulatedFusedList final : public FusedList {
 public:
  explicit EmulatedFusedList(std::shared_ptr<const Job> job) : job_(std::move(job)) {}
  void run(Queue& queue, const MoveBases& bases) const override {
    auto& q = emulated_queue(queue);
    check_places(job_->spec, bases);
    job_->check(q.device(), bases);
    q.add([device = &q.device(), job = std::weak_ptr(job_), bases] {
      const auto live = job.lock();
      if (!live)
        throw Error(
            Status::device_failed,
            "a list of fused transforms lives until the queues have done with it; got one that was destroyed before");
      live->check(*device, bases);
      live->spec.scalar == Scalar::f32 ? live->run<float>(bases) : live->run<double>(bases);
    });
  }

 private:
  std::shared_ptr<const Job> job_;
};

struct EmulatedFused final : FusedKernels {
  [[nodiscard]] std::string_view space() const override { return "emulated"; }
  [[nodiscard]] bool supports(const FusedSpec& spec) const override {
    return spec.scalar != Scalar::f80 && spec.n >= 1 && (!spec.real() || spec.n % 2 == 0) && spec.complex_n() <= most_n;
  }
  [[nodiscard]] std::unique_ptr<FusedList> make(Device&, const FusedSpec& spec,
                                                std::span<const PencilFamily> families) const override {
    if (!supports(spec))
      throw Error(Status::unsupported, fmt::format("fused transforms of emulated devices have 1 to {} complex numbers "
                                                   "of f32 or f64, or an even number up to {} of reals; got {}",
                                                   most_n, 2 * most_n, spec.n));
    return std::make_unique<EmulatedFusedList>(std::make_shared<const Job>(spec, families));
  }
};

}  // namespace
}  // namespace shardfft::emulated

const shardfft::FusedKernels& shardfft::emulated_fused() {
  static const emulated::EmulatedFused kernels;
  return kernels;
}
