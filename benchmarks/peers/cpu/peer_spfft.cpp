// SpFFT, given the whole spectrum: in space slabs along z (our axis 0), in the spectrum columns along z, which are
// dealt so that each rank owns slabs along y (our axis 1). f64 only: Debian builds it so.
#include <spfft/spfft.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "peers/common/dense.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

struct SpfftWay {
  const char* name;
  SpfftExchangeType exchange;
};
constexpr SpfftWay best_ways[] = {{"compact buffered exchange", SPFFT_EXCH_COMPACT_BUFFERED},
                                  {"buffered exchange", SPFFT_EXCH_BUFFERED},
                                  {"unbuffered exchange", SPFFT_EXCH_UNBUFFERED}};

/// Part `rank` of [0, n) cut over `ranks`, as even as can be.
std::pair<Index, Index> share(Index n, int rank, int ranks) {
  const Index least = n / ranks, more = n % ranks, lo = rank * least + std::min<Index>(rank, more);
  return {lo, lo + least + (rank < more ? 1 : 0)};
}

class Columns final : public Transform {
 public:
  Columns(const Comm& comm, const Task& task, const SpfftWay& way)
      : task_(task), way_(way), space_(whole(task.shape)), frequency_(whole(task.spectrum())) {
    std::tie(space_.lo[0], space_.hi[0]) = share(task.shape[0], comm.rank(), comm.size());
    std::tie(frequency_.lo[1], frequency_.hi[1]) = share(task.shape[1], comm.rank(), comm.size());
    const std::vector<int> indices = triplets();
    transform_ = std::make_unique<spfft::Transform>(
        task.threads, MPI_COMM_WORLD, way.exchange, SPFFT_PU_HOST, task.kind == c2c ? SPFFT_TRANS_C2C : SPFFT_TRANS_R2C,
        as_int(task.shape[2]), as_int(task.shape[1]), as_int(task.shape[0]), as_int(space_.extent(0)),
        as_int(frequency_.count()), SPFFT_INDEX_TRIPLETS, indices.data());
    spectrum_.resize(static_cast<std::size_t>(2 * frequency_.count()));
  }

  std::vector<LocalPart> input() override {
    return {dense(space_, reinterpret_cast<std::byte*>(transform_->space_domain_data(SPFFT_PU_HOST)),
                  task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(frequency_, reinterpret_cast<std::byte*>(spectrum_.data()), task_.spectrum_element(), {1, 2, 0})};
  }
  void forward() override { transform_->forward(SPFFT_PU_HOST, spectrum_.data(), SPFFT_NO_SCALING); }
  void backward() override { transform_->backward(spectrum_.data(), SPFFT_PU_HOST); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {fmt::format("{}, data in SpFFT's own space array, {} threads a rank", way_.name, task_.threads),
            "slabs along axis 0", "slabs along axis 1, axis 0 fastest in memory"};
  }

 private:
  static int as_int(Index n) {
    if (n > std::numeric_limits<int>::max()) throw Unsupported("SpFFT counts with 32 bits");
    return static_cast<int>(n);
  }
  /// x, y, z of each element of this rank's spectrum, in the order of its memory.
  [[nodiscard]] std::vector<int> triplets() const {
    std::vector<int> indices;
    indices.reserve(static_cast<std::size_t>(3 * frequency_.count()));
    for (Index y = frequency_.lo[1]; y < frequency_.hi[1]; ++y)
      for (Index x = 0; x < frequency_.hi[2]; ++x)
        for (Index z = 0; z < frequency_.hi[0]; ++z)
          for (const Index i : {x, y, z}) indices.push_back(static_cast<int>(i));
    return indices;
  }

  Task task_;
  SpfftWay way_;
  Box space_, frequency_;
  std::unique_ptr<spfft::Transform> transform_;
  std::vector<double> spectrum_;
};

class Spfft final : public Library {
 public:
  About about() const override {
    return {.library = "spfft",
            .version = SHARDFFT_SPFFT_VERSION,
            .mpi = true,
            .threads = true,
            .precisions = {"f64"},
            .layouts = {"transposed"},
            .dims = {3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("SpFFT has 3 dimensions");
    if (task.precision != f64) throw Unsupported("this build of SpFFT knows f64 only");
    if (task.layout != "transposed" && comm.size() > 1)
      throw Unsupported("SpFFT cuts space along axis 0 and the spectrum in columns (transposed)");
    if (task.call == Call::standard)
      return std::make_unique<Columns>(comm, task, SpfftWay{"default exchange", SPFFT_EXCH_DEFAULT});
    std::vector<Way> ways;
    for (const SpfftWay& way : best_ways)
      ways.push_back({way.name, [&] { return std::make_unique<Columns>(comm, task, way); }});
    return fastest(comm, "spfft", task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<Spfft>(); }

}  // namespace shardfft::peers
