// What a run costs beside its kernels: forward and backward of small arrays, and the kernels of the same pencils alone,
// turn by turn on one core. Prints the least microseconds of many short rounds, which other programs disturb least.
//
//   call_cost [--threads N] [--r2c] [--f32] [--rounds N] [SHAPE ...]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "shardfft/shardfft.hpp"
#include "support/memory/buffer.hpp"

namespace {

using namespace shardfft;
using Clock = std::chrono::steady_clock;

struct Arguments {
  std::vector<Shape> shapes{};
  int threads = 1, rounds = 4000;
  bool reals = false, single = false;
};

/// The least time of a call so far, in rounds of some ten microseconds.
class Least {
 public:
  template <class Call>
  void measure(const Call& call) {
    const auto begin = Clock::now();
    for (int i = 0; i < calls_; ++i) call();
    const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    if (us < round_us / 2 && calls_ < 1000)
      calls_ *= 2;
    else
      least_ = std::min(least_, us / calls_);
  }
  [[nodiscard]] double us() const { return least_; }

 private:
  static constexpr double round_us = 20;
  int calls_ = 1;
  double least_ = 1e300;
};

/// The transforms of one axis: pencils of a lone row as they lie, others in tiles that are in cache. All numbers are
/// zero.
class Kernels {
 public:
  Kernels(const KernelRequest& request, Index pencils, bool lone)
      : kernel_(engines().front()->make(request)),
        a_(allocate(kernel_->buffer_bytes(), "a tile")),
        b_(allocate(kernel_->buffer_bytes(), "a tile")),
        contiguous_(lone && kernel_->takes_contiguous()),
        tiles_((pencils + kernel_->in().pencils - 1) / kernel_->in().pencils),
        rows_(static_cast<std::size_t>(request.n + 1) * 2) {
    std::memset(a_.get(), 0, kernel_->buffer_bytes());
    std::memset(b_.get(), 0, kernel_->buffer_bytes());
  }
  void run() {
    if (contiguous_) {
      auto* const row = reinterpret_cast<std::byte*>(rows_.data());
      const ContiguousPencil pencil{.from = row, .to = row};
      return kernel_->run_contiguous({&pencil, 1}, a_.get());
    }
    for (Index tile = 0; tile < tiles_; ++tile) (void)kernel_->run(a_.get(), b_.get());
  }

 private:
  std::shared_ptr<const Kernel> kernel_;
  Memory a_, b_;
  bool contiguous_;
  Index tiles_;
  std::vector<double> rows_;
};

Shape shape_of(const std::string& word) {
  std::vector<Index> extents;
  for (const char* at = word.c_str(); *at;) {
    char* end = nullptr;
    extents.push_back(std::strtoll(at, &end, 10));
    if (end == at || extents.back() < 1) throw std::runtime_error(fmt::format("call_cost: '{}' is no shape", word));
    at = *end == 'x' ? end + 1 : end;
  }
  return Shape(extents);
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--r2c")
      arguments.reals = true;
    else if (word == "--f32")
      arguments.single = true;
    else if (word == "--threads" && i + 1 < argc)
      arguments.threads = std::atoi(argv[++i]);
    else if (word == "--rounds" && i + 1 < argc)
      arguments.rounds = std::atoi(argv[++i]);
    else
      arguments.shapes.push_back(shape_of(word));
  }
  if (arguments.shapes.empty())
    for (const char* word : {"64", "256", "1024", "4096", "8x8x8", "16x16x16", "32x32", "32x32x32"})
      arguments.shapes.push_back(shape_of(word));
  return arguments;
}

std::vector<std::unique_ptr<Kernels>> kernels_of(const Shape& shape, const Arguments& arguments) {
  std::vector<std::unique_ptr<Kernels>> all;
  const int last = shape.dims() - 1;
  const Index half = arguments.reals ? shape[last] / 2 + 1 : shape[last];
  for (int axis = 0; axis <= last; ++axis) {
    const bool real = arguments.reals && axis == last;
    const Index points = product(shape) / shape[last] * (real ? shape[last] : half);
    all.push_back(std::make_unique<Kernels>(KernelRequest{.n = shape[axis],
                                                          .transform = real ? Transform1d::r2c : Transform1d::forward,
                                                          .scalar = arguments.single ? Scalar::f32 : Scalar::f64},
                                            points / shape[axis], last == 0));
  }
  return all;
}

void print_row(const Shape& shape, const Arguments& arguments) {
  Problem problem{.shape = shape, .kind = arguments.reals ? Kind::r2c : Kind::c2c};
  problem.precision = arguments.single ? Precision::f32 : Precision::f64;
  Options options;
  options.threads = arguments.threads;
  Plan plan(local(), problem, options);
  Array in = plan.make_input(), out = plan.make_output();
  const View a(in.data(), in.bytes()), b(out.data(), out.bytes());
  for (std::size_t i = 0; i < in.bytes(); i += arguments.single ? 4 : 8)
    arguments.single ? *reinterpret_cast<float*>(in.data() + i) = 1 : *reinterpret_cast<double*>(in.data() + i) = 1;
  auto kernels = kernels_of(shape, arguments);
  Least forward, backward, alone;
  for (int round = 0; round < arguments.rounds; ++round) {
    forward.measure([&] { plan.forward(a, b); });
    backward.measure([&] { plan.backward(b, a); });
    alone.measure([&] {
      for (const auto& of_axis : kernels) of_axis->run();
    });
  }
  std::string name;
  for (int axis = 0; axis < shape.dims(); ++axis) name += fmt::format("{}{}", axis ? "x" : "", shape[axis]);
  fmt::print("{:>10}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}\n", name, alone.us(), forward.us(), backward.us(),
             forward.us() - alone.us());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments = parse(argc, argv);
  fmt::print("{:>10}{:>10}{:>10}{:>10}{:>10}\n", "us", "kernels", "forward", "backward", "over");
  for (const Shape& shape : arguments.shapes) print_row(shape, arguments);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
