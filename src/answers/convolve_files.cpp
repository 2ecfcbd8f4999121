// Convolutions of arrays in files.
#include <algorithm>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "answers/placed.hpp"
#include "files/file_impl.hpp"
#include "shardfft/answers/convolution.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/team.hpp"
#include "shardfft/text.hpp"
#include "support/refuse.hpp"

namespace shardfft::files {
namespace {

/// Throws Error unless files hold what is convolved.
void require_arrays(const File& in, const File& kernel, const Convolution& what) {
  for (const auto& [file, shape] : {std::pair(&in, &what.array), std::pair(&kernel, &what.kernel)}) {
    require_c_order(*file);
    if (file->info().shape != *shape)
      refuse_argument(fmt::format("the convolution takes an array of {}; '{}' has {}; give it its extents",
                                  to_string(*shape), file->name(), to_string(file->info().shape)));
    if (file->info().type.complex() && !what.complex)
      refuse_argument(fmt::format("the convolution is of real arrays; '{}' has {}; take the complex one", file->name(),
                                  to_string(file->info().type)));
  }
}

/// Throws Error(mismatch) on all ranks if they ask for others.
void require_same_convolution(const Comm& comm, const Convolution& what) {
  require_same(
      comm, "the convolution that is asked for",
      fmt::format("array {}\nkernel {}\nmode {}\nprecision {}\ncomplex {}\n", to_string(what.array),
                  to_string(what.kernel), static_cast<int>(what.mode), to_string(what.precision), what.complex));
}

/// How many of the `wanted` threads fit into the memory. Throws Error(out_of_memory) if none does.
int threads_in(const Comm& comm, const Convolution& what, const ConvolutionWay& way, int wanted, Index bytes) {
  while (wanted > 1 && bytes_of_tiles(what, way, wanted) > bytes) --wanted;
  if (const Index least = bytes_of_tiles(what, way, wanted); least > bytes)
    throw Error(Status::out_of_memory,
                fmt::format("the memory for a convolution in tiles must hold some tiles, about {} for each of {}; got "
                            "{}; raise it, or go through the spectrum",
                            bytes_text(static_cast<double>(least)), counted(comm.size(), "rank"),
                            bytes_text(static_cast<double>(bytes))));
  return wanted;
}

/// One thread at a time, unless any stretch of the file can be read or written.
class Turns {
 public:
  explicit Turns(const File& file) : free_(file.impl().is_flat()) {}
  template <class Work>
  void take(Work&& work) {
    std::unique_lock<std::mutex> held(mutex_, std::defer_lock);
    if (!free_) held.lock();
    work();
  }

 private:
  std::mutex mutex_{};
  bool free_;
};

}  // namespace

void convolve(const Comm& comm, const File& in, const File& kernel, const File& out, const Convolution& what,
              const Options& options, const OutOfCore& how) {
  Problem problem{.kind = what.complex ? c2c : r2c, .precision = what.precision};
  require_same_convolution(comm, what);
  collectively(comm, [&] {
    problem.shape = way_of(what).whole;
    require_arrays(in, kernel, what);
  });
  const BoxIo io(problem, memory_of(comm, how));
  const Coord none = Coord::filled(what.array.dims(), 0);
  const File placed(comm, std::make_shared<Placed>(in, problem.shape, none, io));
  const File factors(comm, std::make_shared<Placed>(kernel, problem.shape, what.kept_from(), io));
  const File result(comm, std::make_shared<Cropped>(out, problem.shape, io));
  TwoPasses passes(comm, placed, factors, problem, last_axis_first(options, problem), scratch_beside(comm, out, how));
  const bool single = what.precision == f32;
  passes.run(placed, result, [single](const Modes& m, const std::byte* second) {
    single ? multiply_modes<float>(m, second) : multiply_modes<double>(m, second);
  });
  check_unchanged(comm, {in, kernel});
}

void convolve_tiles(const Comm& comm, const File& in, const File& kernel, const File& out, const Convolution& what,
                    const Options& options, const OutOfCore& how) {
  require_same_convolution(comm, what);
  const Index bytes = memory_of(comm, how);
  const int wanted = team_of(options.threads > 0 ? options.threads : usual_threads(comm));
  const std::vector<int> order = c_order(what.array.dims());
  const auto part_of = [&](const Shape& all, const Box& box) {
    return FilePart(all, order, {box}, what.precision, what.complex, 1);
  };
  Watcher silent, &watcher = how.watcher ? *how.watcher : silent;
  collectively(comm, [&] {
    const ConvolutionWay way = way_of(what);
    require_arrays(in, kernel, what);
    const int threads = threads_in(comm, what, way, wanted, bytes);
    Array small(static_cast<std::size_t>(product(what.kernel) * plan_dtype(what.precision, what.complex).size));
    kernel.read(part_of(what.kernel, whole(what.kernel)), small.data());
    Turns reading(in), writing(out);
    watcher.expect(product(what.result()) / comm.size());
    shardfft::convolve_tiles(
        what, way, small, comm.rank(), comm.size(), threads,
        [&](const Box& box, std::byte* to) { reading.take([&] { in.read(part_of(what.array, box), to); }); },
        [&](const Box& box, const std::byte* from) {
          writing.take([&] { out.write(part_of(what.result(), box), from); });
          watcher.advance(box.count());
        });
  });
  check_unchanged(comm, {in, kernel});
}

}  // namespace shardfft::files
