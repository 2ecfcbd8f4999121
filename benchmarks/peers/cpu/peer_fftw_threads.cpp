// FFTW in one process, with OpenMP threads.
#include <limits>

#include <fmt/format.h>

#include "fftw_api.hpp"
#include "peers/common/dense.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

template <class T>
struct FftwThreads;
template <>
struct FftwThreads<float> {
  static constexpr auto init = fftwf_init_threads;
  static constexpr auto use = fftwf_plan_with_nthreads;
};
template <>
struct FftwThreads<double> {
  static constexpr auto init = fftw_init_threads;
  static constexpr auto use = fftw_plan_with_nthreads;
};

template <class T>
class Local final : public Transform {
 public:
  Local(const Task& task, const FftwWay& way) : task_(task), way_(way), padded_(task.kind == r2c && way.in_place) {
    const auto complexes = static_cast<std::size_t>(product(task.spectrum_array()));
    in_ = FftwMemory<T>(task.kind == c2c || way.in_place ? 2 * complexes
                                                         : static_cast<std::size_t>(product(task.input_array())));
    if (!way.in_place) out_ = FftwMemory<T>(2 * complexes);
    make_plans();
    if (!task.scratch.empty() && (way.flags & FFTW_ESTIMATE) == 0) Fftw<T>::save(wisdom_file(task).c_str());
  }

  static std::string wisdom_file(const Task& task) {
    return fmt::format("{}/fftw_threads-{}.wisdom", task.scratch, name_of(task, 1));
  }

  std::vector<LocalPart> input() override {
    const Shape global = task_.input_array();
    Shape memory = global;
    if (padded_) memory[memory.dims() - 1] = 2 * task_.spectrum()[task_.shape.dims() - 1];
    return {dense(whole(global), memory, in_.bytes(), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(whole(task_.spectrum_array()), task_.spectrum_array(), out().bytes(), task_.spectrum_element())};
  }
  void forward() override { forward_.run(); }
  void backward() override { backward_.run(); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {fmt::format("{}, {} OpenMP threads", text_of(way_), task_.threads), in_one_process, in_one_process};
  }

 private:
  /// One plan for all fields, which lie one after the other. No extents of the memory: FFTW takes those of the plain
  /// calls, rows of reals padded in place.
  void make_plans() {
    const auto n = extents_of<int>(task_.shape);
    const int rank = static_cast<int>(n.size()), fields = distance(task_.batch);
    const int complexes = distance(product(task_.spectrum())),
              reals = distance(padded_ ? 2 * product(task_.spectrum()) : task_.points());
    const auto x = in_.as_complex(), y = out().as_complex();
    const unsigned flags = way_.flags, back = flags & ~FFTW_PRESERVE_INPUT;
    if (task_.kind == c2c) {
      forward_ = FftwPlan<T>(
          Fftw<T>::plan_dft(rank, n.data(), fields, x, {}, 1, complexes, y, {}, 1, complexes, FFTW_FORWARD, flags));
      backward_ = FftwPlan<T>(
          Fftw<T>::plan_dft(rank, n.data(), fields, y, {}, 1, complexes, x, {}, 1, complexes, FFTW_BACKWARD, flags));
    } else {
      forward_ = FftwPlan<T>(
          Fftw<T>::plan_dft_r2c(rank, n.data(), fields, in_.get(), {}, 1, reals, y, {}, 1, complexes, flags));
      backward_ = FftwPlan<T>(
          Fftw<T>::plan_dft_c2r(rank, n.data(), fields, y, {}, 1, complexes, in_.get(), {}, 1, reals, back));
    }
  }
  /// Elements from one field to the next as FFTW counts them; they matter only if there are several.
  [[nodiscard]] int distance(Index elements) const {
    if (task_.batch == 1) return 1;
    if (elements > std::numeric_limits<int>::max())
      throw Unsupported("FFTW counts the elements between fields with 32 bits");
    return static_cast<int>(elements);
  }
  const FftwMemory<T>& out() const { return way_.in_place ? in_ : out_; }

  Task task_;
  FftwWay way_;
  bool padded_;
  FftwMemory<T> in_, out_;
  FftwPlan<T> forward_, backward_;
};

template <class T>
std::unique_ptr<Transform> plan_as(const Comm& comm, const Task& task) {
  FftwThreads<T>::init();
  FftwThreads<T>::use(task.threads);
  // The manual's first example: out of place, FFTW_ESTIMATE.
  if (task.call == Call::standard)
    return std::make_unique<Local<T>>(task, FftwWay{"out of place", false, FFTW_ESTIMATE});
  if (!task.scratch.empty()) Fftw<T>::load(Local<T>::wisdom_file(task).c_str());
  Fftw<T>::set_timelimit(task.plan_seconds / static_cast<double>(2 * std::size(fftw_best)));
  std::vector<Way> ways;
  for (const FftwWay& way : fftw_best)
    ways.push_back({way.name, [&] { return std::make_unique<Local<T>>(task, way); }});
  return fastest(comm, "fftw_threads", task, ways);
}

class FftwThreadsLibrary final : public Library {
 public:
  About about() const override {
    return {.library = "fftw_threads",
            .version = std::string(fftw_version).substr(5),
            .threads = true,
            .batch = true,
            .layouts = every_layout,
            .dims = {1, 2, 3, 4}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    return task.precision == f32 ? plan_as<float>(comm, task) : plan_as<double>(comm, task);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<FftwThreadsLibrary>(); }

}  // namespace shardfft::peers
