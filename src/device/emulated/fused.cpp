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

/// `size` pencils at once, each of `parts` transforms; how many threads there are is of no matter.
template <class T, int size, int parts>
struct EmulatedFusedKernel {
  static constexpr int rows = 32, phases = 6;
  using Shape = FusedShape<size, size * rows, most_n / rows, parts>;
  using Pencils = FusedPencils<T, Shape>;
  using Element = typename Pencils::Element;
  using Real = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  static constexpr int threads = Shape::threads;
  struct PencilTile {
    Element tile[FusedTile<T, Shape>{size == fused_at_once(sizeof(T), most_n) ? most_n : most_n / 2}.elements()];
  };
  using Shared = PencilTile;

  Pencils pencils{};
  const Dft<Real>* dft = nullptr;

  [[nodiscard]] Index blocks() const { return pencils.blocks(); }
  void operator()(int phase, Index block, int thread, Shared& shared) const {
    switch (phase) {
      case 0:
        return pencils.table.from.straight ? load(block, thread, shared.tile)
                                           : pencils.gather(block, thread, shared.tile);
      case 1:
        return pencils.real_out ? pencils.from_half_spectra(thread, shared.tile) : void();
      case 2:
        return thread < size * parts ? transform(shared.tile + pencils.place.start(thread)) : void();
      case 3:
        return pencils.join_parts(thread, shared.tile);
      case 4:
        return pencils.real_in ? pencils.to_half_spectra(thread, shared.tile) : void();
      default:
        return pencils.table.to.straight ? store(block, thread, shared.tile)
                                         : pencils.scatter(block, thread, shared.tile);
    }
  }

 private:
  // What a GPU has in registers is in the tile, for no register survives a phase here.
  void load(Index block, int thread, Element* tile) const {
    Element x[Shape::per_thread];
    pencils.load(block, thread, x);
    pencils.give(thread, tile, x);
  }
  void store(Index block, int thread, const Element* tile) const {
    Element x[Shape::per_thread];
    pencils.take(thread, tile, x);
    pencils.store(block, thread, x);
  }
  // Rows beyond the last pencil are transformed, too, as on a GPU.
  void transform(Element* row) const {
    std::vector<std::complex<Real>> x(static_cast<std::size_t>(dft->n())), y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      pencils.enter(row[k]);
      x[k] = {row[k].of[0], row[k].of[1]};
    }
    dft->run(x.data(), y.data());
    for (std::size_t k = 0; k < y.size(); ++k) {
      row[k] = {{static_cast<T>(y[k].real()), static_cast<T>(y[k].imag())}};
      if (parts == 1) pencils.leave(row[k]);
    }
  }
};

/// What must live until the queues have done with it.
struct FusedJob {
  FusedSpec spec;
  FusedTable table;
  std::vector<MoveReach> reaches{};

  FusedJob(const FusedSpec& s, std::span<const PencilFamily> families) : spec(s), table(make_fused_table(s, families)) {
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
    constexpr int many = fused_at_once(sizeof(T), 1), few = fused_at_once(sizeof(T), most_n);
    const bool of_many = fused_at_once(sizeof(T), spec.complex_n()) == many;
    if (fused_parts(spec.complex_n()) > 1)
      of_many ? run_as<T, many, 4>(bases) : run_as<T, few, 4>(bases);
    else
      of_many ? run_as<T, many, 1>(bases) : run_as<T, few, 1>(bases);
  }

 private:
  template <class T, int at_once, int parts>
  void run_as(const MoveBases& bases) const {
    const Dft<typename EmulatedFusedKernel<T, at_once, parts>::Real> dft(spec.complex_n() / parts);
    EmulatedFusedKernel<T, at_once, parts> kernel;
    kernel.pencils = {spec, table.view(table.memory.data()), bases};
    kernel.dft = &dft;
    run_on_host(kernel);
  }
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
  explicit EmulatedFusedList(std::shared_ptr<const FusedJob> job) : job_(std::move(job)) {}
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
  std::shared_ptr<const FusedJob> job_;
};

struct EmulatedFused final : FusedKernels {
  [[nodiscard]] std::string_view space() const override { return "emulated"; }
  [[nodiscard]] bool supports(const FusedSpec& spec) const override {
    return spec.n >= 1 && (!spec.real() || spec.n % 2 == 0) && spec.complex_n() <= most_n;
  }
  [[nodiscard]] std::unique_ptr<FusedList> make(Device&, const FusedSpec& spec,
                                                std::span<const PencilFamily> families) const override {
    if (!supports(spec))
      throw Error(Status::unsupported, fmt::format("fused transforms of emulated devices have 1 to {} complex numbers "
                                                   "of f32 or f64, or an even number up to {} of reals; got {}",
                                                   most_n, 2 * most_n, spec.n));
    return std::make_unique<EmulatedFusedList>(std::make_shared<const FusedJob>(spec, families));
  }
};

}  // namespace
}  // namespace shardfft::emulated

const shardfft::FusedKernels& shardfft::emulated_fused() {
  static const emulated::EmulatedFused kernels;
  return kernels;
}
