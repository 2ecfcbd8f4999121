// heFFTe: from any boxes to any boxes. Its first index is the fastest, so our axis a is its dimension 2 - a. Takes the
// CPU backend that it prefers of those that it was built with.
#include <heffte.h>

#include <array>
#include <complex>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "peers/common/dense.hpp"
#include "peers/common/grids.hpp"
#include "peers/common/layouts.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"
#include "shardfft/noise.hpp"

namespace shardfft::peers {
namespace {

using Backend = heffte::backend::default_backend<heffte::tag::cpu>::type;
using HeffteBox = heffte::box3d<long long>;

/// This rank's box and memory order in heFFTe's words; an empty box where the rank owns nothing.
HeffteBox heffte_box(const Layout& layout, int rank) {
  const std::vector<Box> boxes = layout.boxes(rank);
  const int dims = layout.global().dims();
  std::array<long long, 3> low{0, 0, 0}, high{0, 0, 0};
  std::array<int, 3> order{0, 1, 2};
  for (int a = 0; a < dims; ++a) {
    const auto d = static_cast<std::size_t>(dims - 1 - a);
    low[d] = boxes.empty() ? 0 : boxes.front().lo[a];
    high[d] = boxes.empty() ? -1 : boxes.front().hi[a] - 1;
    if (!layout.order().empty()) order[d] = dims - 1 - layout.order()[static_cast<std::size_t>(a)];  // fastest first
  }
  return {low, high, order};
}

struct HeffteWay {
  std::string name;
  bool workspace;
  heffte::plan_options options;
};

template <class T, bool real>
class Boxes final : public Transform {
  using Complex = std::complex<T>;
  using Input = std::conditional_t<real, T, Complex>;
  using Fft = std::conditional_t<real, heffte::fft3d_r2c<Backend, long long>, heffte::fft3d<Backend, long long>>;

 public:
  Boxes(const Comm& comm, const Task& task, const HeffteWay& way) : task_(task), way_(way), rank_(comm.rank()) {
    const cli::LayoutPair layouts = layouts_of_a_field(task);
    from_ = Layout(layouts.input, task.shape, comm.size());
    to_ = Layout(layouts.output, task.spectrum(), comm.size());
    const HeffteBox in = heffte_box(from_, rank_), out = heffte_box(to_, rank_);
    if constexpr (real)
      fft_ = std::make_unique<Fft>(in, out, 0, MPI_COMM_WORLD, way.options);
    else
      fft_ = std::make_unique<Fft>(in, out, MPI_COMM_WORLD, way.options);
    in_.resize(static_cast<std::size_t>(task.batch * fft_->size_inbox()));
    out_.resize(static_cast<std::size_t>(task.batch * fft_->size_outbox()));
    if (way.workspace) workspace_.resize(static_cast<std::size_t>(task.batch * fft_->size_workspace()));
  }

  std::vector<LocalPart> input() override {
    return parts(from_, reinterpret_cast<std::byte*>(in_.data()), sizeof(Input), fft_->size_inbox());
  }
  std::vector<LocalPart> spectrum() override {
    return parts(to_, reinterpret_cast<std::byte*>(out_.data()), sizeof(Complex), fft_->size_outbox());
  }
  void forward() override {
    const int fields = static_cast<int>(task_.batch);
    way_.workspace ? fft_->forward(fields, in_.data(), out_.data(), workspace_.data())
                   : fft_->forward(fields, in_.data(), out_.data());
  }
  void backward() override {
    const int fields = static_cast<int>(task_.batch);
    way_.workspace ? fft_->backward(fields, out_.data(), in_.data(), workspace_.data())
                   : fft_->backward(fields, out_.data(), in_.data());
  }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    const auto grid = named_grid(task_);
    return {fmt::format("{}, {}{}", heffte::backend::name<Backend>(), way_.name, grid ? ", " + grid->text() : ""),
            from_.describe(), to_.describe()};
  }

 private:
  [[nodiscard]] std::vector<LocalPart> parts(const Layout& layout, std::byte* data, Index element, Index field) const {
    std::vector<LocalPart> parts = parts_in_a_row(layout, rank_, data, element);
    for (LocalPart& p : parts) p = all_fields(p, task_, field * element);
    return parts;
  }

  Task task_;
  HeffteWay way_;
  int rank_;
  Layout from_, to_;
  std::unique_ptr<Fft> fft_;
  std::vector<Input> in_;
  std::vector<Complex> out_, workspace_;
};

std::unique_ptr<Transform> make(const Comm& comm, const Task& task, const HeffteWay& way) {
  if (task.kind == r2c) {
    if (task.precision == f32) return std::make_unique<Boxes<float, true>>(comm, task, way);
    return std::make_unique<Boxes<double, true>>(comm, task, way);
  }
  if (task.precision == f32) return std::make_unique<Boxes<float, false>>(comm, task, way);
  return std::make_unique<Boxes<double, false>>(comm, task, way);
}

/// Options that its documentation offers, with a workspace.
std::vector<HeffteWay> best_ways() {
  std::vector<HeffteWay> ways;
  const std::pair<heffte::reshape_algorithm, const char*> algorithms[] = {
      {heffte::reshape_algorithm::alltoallv, "alltoallv"},
      {heffte::reshape_algorithm::alltoall, "alltoall"},
      {heffte::reshape_algorithm::p2p_plined, "p2p_plined"},
      {heffte::reshape_algorithm::p2p, "p2p"}};
  for (const auto& [algorithm, word] : algorithms)
    for (const bool reorder : {true, false})
      for (const bool pencils : {false, true}) {
        heffte::plan_options options = heffte::default_options<Backend>();
        options.use_reorder = reorder;
        options.algorithm = algorithm;
        options.use_pencils = pencils;
        ways.push_back({fmt::format("{}, {}, {}, workspace", word, reorder ? "reordered" : "strided",
                                    pencils ? "pencils" : "slabs"),
                        true, options});
      }
  return ways;
}

class Heffte final : public Library {
 public:
  About about() const override {
    return {.library = "heffte",
            .version = fmt::format("{}.{}.{}", Heffte_VERSION_MAJOR, Heffte_VERSION_MINOR, Heffte_VERSION_PATCH),
            .mpi = true,
            .batch = true,
            .grid = true,
            .layouts = {"natural", "transposed", "pencils", "bricks"}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 2 && task.shape.dims() != 3) throw Unsupported("heFFTe has 2 and 3 dimensions");
    (void)named_grid(task);
    if (task.batch > std::numeric_limits<int>::max())
      throw Unsupported("heFFTe counts the fields of a batch with 32 bits");
    if (task.call == Call::standard)
      return make(comm, task, {"default options, no workspace", false, heffte::default_options<Backend>()});
    std::vector<Way> ways;
    for (const HeffteWay& way : best_ways()) {
      // Several fields on one rank are wrong, or end the program, without reordering (seen in commit 4d8d459).
      if (task.batch > 1 && comm.size() == 1 && !way.options.use_reorder) continue;
      ways.push_back({way.name, [&comm, &task, way] { return make(comm, task, way); }});
    }
    return fastest(comm, "heffte", task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<Heffte>(); }

}  // namespace shardfft::peers
