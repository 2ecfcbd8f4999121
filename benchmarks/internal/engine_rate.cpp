// How fast are the engines in cache? One core, one tile, out of place, no gather and no scatter. Prints Gflop/s by the
// nominal count (5 n log2 n for a complex pencil, half for a real one), best of several short runs that alternate
// between the engines.
//
//   engine_rate [--f32] [--f64] [--forward] [--backward] [--r2c] [--c2r] [--cosine2 ...] [--few] [--make] [LENGTH ...]
//
// --few: pencils of which an array has few. --make: not how fast they run, but in how many milliseconds the first
// engine's kernel is made, best and median of five. One table for every precision and transform that is asked for (f64
// and forward if none is). `ratio`: how much faster the first engine is than the second.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "support/memory/buffer.hpp"

namespace {

using namespace shardfft;
using Clock = std::chrono::steady_clock;

constexpr double seconds_per_run = 2e-3;
constexpr int runs = 15;
constexpr auto all_transforms = [] {
  std::array<Transform1d, static_cast<std::size_t>(Transform1d::hartley) + 1> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Transform1d>(i);
  return all;
}();

struct Arguments {
  std::vector<Scalar> scalars{};
  std::vector<Transform1d> transforms{};
  std::vector<Index> lengths{};
  bool few_pencils = false, make = false;
};

/// One kernel with its buffers. All numbers are zero, since others would grow from run to run without end.
class Contestant {
 public:
  Contestant(const Engine& engine, const KernelRequest& request)
      : kernel_(engine.make(request)),
        bytes_(kernel_->buffer_bytes()),
        a_(allocate(bytes_, "a tile")),
        b_(allocate(bytes_, "a tile")) {
    std::memset(a_.get(), 0, bytes_);
    std::memset(b_.get(), 0, bytes_);
    while (seconds(repeats_) < seconds_per_run && repeats_ < (1 << 24)) repeats_ *= 2;
  }

  void measure() { best_ = std::min(best_, seconds(repeats_) / repeats_); }
  [[nodiscard]] double gflops() const { return kernel_->nominal_flops() / best_ * 1e-9; }
  [[nodiscard]] std::string describe() const { return kernel_->describe(); }

 private:
  double seconds(int repeats) const {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) (void)kernel_->run(a_.get(), b_.get());
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::shared_ptr<const Kernel> kernel_;
  std::size_t bytes_;
  Memory a_, b_;
  int repeats_ = 1;
  double best_ = 1e300;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto transform =
        std::ranges::find_if(all_transforms, [&](Transform1d t) { return word == fmt::format("--{}", name(t)); });
    if (word == "--f32")
      arguments.scalars.push_back(Scalar::f32);
    else if (word == "--f64")
      arguments.scalars.push_back(Scalar::f64);
    else if (transform != std::end(all_transforms))
      arguments.transforms.push_back(*transform);
    else if (word == "--few")
      arguments.few_pencils = true;
    else if (word == "--make")
      arguments.make = true;
    else if (const Index n = std::atoll(word.c_str()); n > 0)
      arguments.lengths.push_back(n);
    else
      throw std::runtime_error(fmt::format(
          "engine_rate: '{}' is neither an option (--f32 --f64 --forward --backward --r2c --c2r --cosine2 ... --few "
          "--make) nor a length",
          word));
  }
  if (arguments.scalars.empty()) arguments.scalars = {Scalar::f64};
  if (arguments.transforms.empty()) arguments.transforms = {Transform1d::forward};
  if (arguments.lengths.empty())
    arguments.lengths = {16, 32, 64, 100, 128, 197, 233, 256, 360, 500, 512, 1000, 1024, 2048, 4096, 8192, 16384};
  return arguments;
}

void print_row(KernelRequest request, Index n) {
  request.n = n;
  std::vector<Contestant> contestants;
  for (const Engine* engine : engines())
    if (engine->refuses(request).empty()) contestants.emplace_back(*engine, request);
  for (int run = 0; run < runs; ++run)
    for (auto& contestant : contestants) contestant.measure();
  fmt::print("{:>8}", n);
  for (const auto& contestant : contestants) fmt::print("{:>10.1f}", contestant.gflops());
  if (contestants.size() > 1) fmt::print("{:>8.2f}", contestants[0].gflops() / contestants[1].gflops());
  fmt::print("  {}\n", contestants.front().describe());
}

void print_table(const KernelRequest& request, const std::vector<Index>& lengths) {
  fmt::print("{} {}, Gflop/s\n{:>8}", request.scalar == Scalar::f32 ? "f32" : "f64", name(request.transform), "length");
  for (const Engine* engine : engines()) fmt::print("{:>10}", engine->name());
  fmt::print("{}\n", engines().size() > 1 ? "   ratio" : "");
  for (const Index n : lengths) print_row(request, n);
}

/// Seconds to make a kernel while there is no other that it could share tables with.
double seconds_to_make(const KernelRequest& request) {
  const auto start = Clock::now();
  const auto kernel = engines().front()->make(request);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void print_making(const KernelRequest& request, const std::vector<Index>& lengths) {
  constexpr int times = 5;
  fmt::print("{} {}, ms to make a kernel\n{:>10}{:>10}{:>10}\n", request.scalar == Scalar::f32 ? "f32" : "f64",
             name(request.transform), "length", "best", "median");
  for (const Index n : lengths) {
    KernelRequest one = request;
    one.n = n;
    std::vector<double> seconds;
    for (int i = 0; i < times; ++i) seconds.push_back(seconds_to_make(one));
    std::ranges::sort(seconds);
    fmt::print("{:>10}{:>10.2f}{:>10.2f}\n", n, 1e3 * seconds.front(), 1e3 * seconds[times / 2]);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments = parse(argc, argv);
  for (const Scalar scalar : arguments.scalars)
    for (const Transform1d transform : arguments.transforms)
      (arguments.make ? print_making : print_table)(
          {.transform = transform, .scalar = scalar, .few_pencils = arguments.few_pencils, .complex = false},
          arguments.lengths);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
