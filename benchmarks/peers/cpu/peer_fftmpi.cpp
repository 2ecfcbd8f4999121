// fftMPI: complex transforms in place, from any bricks to any bricks. Its first index is the fastest: our last axis.
#include <cstdint>  // its header needs it

#include <fft3d.h>

#include <algorithm>

#include <fmt/format.h>

#include "options/words.hpp"
#include "peers/common/dense.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

/// lo and hi (inclusive) of the fast, middle and slow index; hi = lo - 1 where the rank owns nothing.
struct Bounds {
  int lo[3], hi[3];
  explicit Bounds(const Box& box) {
    for (int d = 0; d < 3; ++d) {
      lo[d] = static_cast<int>(box.lo[2 - d]);
      hi[d] = static_cast<int>(box.hi[2 - d]) - 1;
    }
  }
};

/// Settings of the redistributions: point-to-point or collective (2: as it finds best), between pencils or bricks, and
/// how data are packed.
struct FftMpiWay {
  int collective, exchange;
  [[nodiscard]] std::string name() const { return fmt::format("collective {}, exchange {}", collective, exchange); }
};
constexpr FftMpiWay standard{2, 0};  // what it begins with
constexpr FftMpiWay best_ways[] = {standard, {0, 0}, {1, 0}, {0, 1}, {1, 1}};

/// Goes from the input's boxes to the output's forward, and the other way backward. fftMPI's own scaling is off: it
/// scales as many numbers as the output has on this rank, whatever the input has (seen in commit 3c2b939).
class FftMpiPlan {
 public:
  FftMpiPlan(const Task& task, const Box& from, const Box& to, const FftMpiWay& way)
      : fft_(MPI_COMM_WORLD, sizeof(FFT_SCALAR) == 8 ? 2 : 1) {
    const Bounds in(from), out(to);
    const auto n = [&](int axis) { return static_cast<int>(task.shape[axis]); };
    int send = 0, receive = 0;
    fft_.scaled = 0;
    fft_.collective = way.collective;
    fft_.exchange = way.exchange;
    fft_.setup(n(2), n(1), n(0), in.lo[0], in.hi[0], in.lo[1], in.hi[1], in.lo[2], in.hi[2], out.lo[0], out.hi[0],
               out.lo[1], out.hi[1], out.lo[2], out.hi[2], 0, size_, send, receive);
  }
  /// Complex numbers that the array must have room for.
  [[nodiscard]] Index size() const { return size_; }
  void run(FFT_SCALAR* data, int direction) { fft_.compute(data, data, direction); }
  [[nodiscard]] std::string text() const {
    return fmt::format("{}, collective {}, exchange {}, pack {}", fft_.fft1d, fft_.collective, fft_.exchange,
                       fft_.packflag);
  }

 private:
  FFTMPI_NS::FFT3d fft_;
  int size_ = 0;
};

class Bricks final : public Transform {
 public:
  Bricks(const Comm& comm, const Task& task, const Layout& from, const Layout& to, const FftMpiWay& way)
      : task_(task),
        from_(from),
        to_(to),
        in_box_(box_of(from, comm.rank())),
        out_box_(box_of(to, comm.rank())),
        plan_(task, in_box_, out_box_, way),
        data_(static_cast<std::size_t>(2 * std::max({plan_.size(), in_box_.count(), out_box_.count()}))) {}

  std::vector<LocalPart> input() override { return {dense(in_box_, bytes(), task_.input_element())}; }
  std::vector<LocalPart> spectrum() override { return {dense(out_box_, bytes(), task_.input_element())}; }
  void forward() override { plan_.run(data_.data(), 1); }
  void backward() override { plan_.run(data_.data(), -1); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {fmt::format("{}, in place", plan_.text()), from_.describe(), to_.describe()};
  }

 private:
  static Box box_of(const Layout& layout, int rank) {
    const std::vector<Box> boxes = layout.boxes(rank);
    return boxes.empty() ? Box{Coord::filled(3, 0), Coord::filled(3, 0)} : boxes.front();
  }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(data_.data()); }

  Task task_;
  Layout from_, to_;
  Box in_box_, out_box_;
  FftMpiPlan plan_;
  std::vector<FFT_SCALAR> data_;
};

bool has_small_factors(Index n) {
  if (n < 2) return false;
  for (const Index p : {2, 3, 5})
    while (n % p == 0) n /= p;
  return n == 1;
}

class FftMpi final : public Library {
 public:
  About about() const override {
    return {.library = "fftmpi",
            .version = "1.1",
            .mpi = true,
            .kinds = {"c2c"},
            .precisions = {sizeof(FFT_SCALAR) == 8 ? "f64" : "f32"},
            .layouts = {"natural", "pencils", "bricks"},
            .dims = {3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.shape.dims() != 3) throw Unsupported("this adapter knows fftMPI's 3 dimensions");
    if (task.kind != c2c) throw Unsupported("fftMPI has complex transforms only");
    if (task.real_bytes() != sizeof(FFT_SCALAR)) throw Unsupported("fftMPI was built for the other precision");
    if (task.layout == "transposed" && comm.size() > 1)
      throw Unsupported("fftMPI's permuted output is another order than the transposed one");
    for (const Index n : task.shape)  // it would end the program
      if (!has_small_factors(n))
        throw Unsupported("fftMPI needs lengths of at least 2 without prime factors other than 2, 3, 5");
    const cli::LayoutPair layouts = cli::parse_layout_pair(task.layout, 3);
    const Layout from(layouts.input, task.shape, comm.size()), to(layouts.output, task.shape, comm.size());
    if (task.call == Call::standard) return std::make_unique<Bricks>(comm, task, from, to, standard);
    // Not its own tune(): there each rank decides by its own clock, and ranks that decide differently wait for each
    // other for ever.
    std::vector<Way> ways;
    for (const FftMpiWay& way : best_ways)
      ways.push_back({way.name(), [&] { return std::make_unique<Bricks>(comm, task, from, to, way); }});
    return fastest(comm, "fftmpi", task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<FftMpi>(); }

}  // namespace shardfft::peers
