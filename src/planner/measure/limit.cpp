#include "shardfft/programs/limit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "engine/engine.hpp"
#include "grid/axis_split.hpp"
#include "planner/problem/problem.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/team.hpp"
#include "support/comm/agree.hpp"
#include "support/memory/buffer.hpp"
#include "support/memory/copy_box.hpp"
#include "sweep/host/tile_moves.hpp"

namespace shardfft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index largest_copy = Index{256} << 20;
constexpr double never = std::numeric_limits<double>::infinity();

template <class Work>
void on_threads(int threads, const Work& work) {
  on_team(threads, [&](TeamMember me) { work(me.thread, me.threads); });
}

double thread_cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The time that there is, by the slowest rank's clock.
class MeasuringTime {
 public:
  MeasuringTime(const Comm& comm, double seconds) : comm_(comm), seconds_(seconds) {}
  /// Collective.
  void require() const {
    const double spent = all_max(comm_, std::chrono::duration<double>(Clock::now() - start_).count());
    if (spent > seconds_)
      throw Error(Status::unsupported, fmt::format("the limit must be measured within {:g} s; it took {:.1f} s, since "
                                                   "ranks and threads wait for cores; start fewer",
                                                   seconds_, spent));
  }

 private:
  const Comm& comm_;
  double seconds_;
  Clock::time_point start_ = Clock::now();
};

/// Repeats of `run(1, repeats)`, on this thread alone, that take two milliseconds of its own time: where others use the
/// cores too, time on the wall says nothing about how much work there is. The same on every rank, so that all go on
/// alike.
template <class Run>
int enough_repeats(const Comm& comm, const Run& run) {
  constexpr double enough_s = 2e-3;
  for (int repeats = 1;; repeats *= 2) {
    const double before = thread_cpu_seconds();
    run(1, repeats);
    if (all_max(comm, thread_cpu_seconds() - before) >= enough_s || repeats >= (1 << 24)) return repeats;
  }
}

/// Throws Error(unsupported) if there are fewer cores than threads. A barrier then waits for the last thread's turn:
/// `enough` repeats may take minutes, and the scheduler is measured instead.
template <class Run>
void require_cores(const Comm& comm, int threads, int enough, const Run& run) {
  constexpr double most_s = 0.25;
  double spent = 0;
  for (int repeats = 1; repeats < enough; repeats *= 2) {
    comm.barrier();
    const auto start = Clock::now();
    run(threads, repeats);
    spent += all_max(comm, std::chrono::duration<double>(Clock::now() - start).count());
    if (spent > most_s)
      throw Error(
          Status::unsupported,
          fmt::format("measuring it needs a core for each thread; {} ranks of {} threads wait for cores; start fewer",
                      comm.size(), threads));
  }
}

/// Seconds of one repeat of `run(threads, repeats)` from the first rank's start to the last one's end, so that ranks
/// that share a core count as such; best of as many as fit into a tenth of a second, at least 5: what else the machine
/// does must not hide the limit. `parts`: into which the threads cut the work of a repeat.
template <class Run>
double seconds_of_one(const Comm& comm, const MeasuringTime& budget, int threads, int parts, const Run& run) {
  budget.require();
  const int repeats = parts * enough_repeats(comm, run);
  require_cores(comm, threads, repeats, run);
  double best = never, spent = 0;
  budget.require();
  for (int i = 0; i < 5 || (spent < 0.1 && i < 50); ++i) {
    comm.barrier();
    const auto start = Clock::now();
    run(threads, repeats);
    comm.barrier();
    const double all = all_max(comm, std::chrono::duration<double>(Clock::now() - start).count());
    best = std::min(best, all);
    spent += all;
  }
  return best / repeats;
}

struct CopiedArray {
  static constexpr Index element = sizeof(double);
  Memory from, to;
  Index bytes;

  void part(int thread, int threads, bool back) const {
    const Index lines = bytes / 64, first = lines * thread / threads * 64, last = lines * (thread + 1) / threads * 64;
    if (last <= first) return;
    const std::byte* const source = (back ? to : from).get() + first;
    copy_box(source, {element}, (back ? from : to).get() + first, {element}, {(last - first) / element}, element, true);
    non_temporal_fence();
  }
  void touch(int thread, int threads) const {
    const Index first = bytes / 64 * thread / threads * 64, last = bytes / 64 * (thread + 1) / threads * 64;
    std::memset(from.get() + first, 0, static_cast<std::size_t>(last - first));
    std::memset(to.get() + first, 0, static_cast<std::size_t>(last - first));
  }
};

/// Seconds per byte of this rank's share, there and back: each byte read once and written once.
double copy_seconds_per_byte(const Comm& comm, const MeasuringTime& budget, double share, int threads) {
  constexpr Index least = 64;
  const Index bytes = std::clamp(static_cast<Index>(share), least, largest_copy) / 64 * 64;
  CopiedArray copy{nullptr, nullptr, bytes};
  collectively(comm, [&] {
    for (Memory* memory : {&copy.from, &copy.to})
      memory->reset(allocate(static_cast<std::size_t>(bytes), "the copy that sets the limit"));
  });
  on_threads(threads, [&](int t, int n) { copy.touch(t, n); });
  const double both = seconds_of_one(comm, budget, threads, threads, [&](int used, int repeats) {
    on_threads(used, [&](int t, int n) {
      for (int i = 0; i < repeats; ++i) {
        copy.part(t, n, false);
        team_barrier();
        copy.part(t, n, true);
      }
    });
  });
  return both / 2 / static_cast<double>(bytes);
}

/// The best time of one pencil, all threads of all ranks computing their own tiles in cache.
double seconds_per_pencil(const Comm& comm, const MeasuringTime& budget, const Engine& engine,
                          const KernelRequest& request, int threads) {
  std::shared_ptr<const Kernel> kernel;
  std::vector<Memory> memory(2 * static_cast<std::size_t>(threads));
  collectively(comm, [&] {
    kernel = engine.make(request);
    for (Memory& m : memory) {
      m.reset(allocate(kernel->buffer_bytes(), "a tile"));
      std::memset(m.get(), 0, kernel->buffer_bytes());  // zeros: other numbers would grow without end
    }
  });
  const auto run = [&](int used, int repeats) {
    on_threads(used, [&](int t, int) {
      std::byte *a = memory[2 * static_cast<std::size_t>(t)].get(),
                *b = memory[2 * static_cast<std::size_t>(t) + 1].get();
      for (int i = 0; i < repeats; ++i) (void)kernel->run(a, b);
    });
  };
  return seconds_of_one(comm, budget, threads, 1, run) / kernel->in().pencils;
}

double fastest_pencil(const Comm& comm, const MeasuringTime& budget, const KernelRequest& request, int threads) {
  double best = never;
  for (const Engine* engine : engines())
    if (!engine->measures() && engine->refuses(request).empty())
      best = std::min(best, seconds_per_pencil(comm, budget, *engine, request, threads));
  return best;
}

/// One axis that is transformed.
struct MeasuredAxis {
  KernelRequest request{};
  double pencils = 0;  ///< of the whole array
  [[nodiscard]] double flops() const {
    const auto n = static_cast<double>(request.n);
    const bool complex = is_r2r(request.transform) ? request.complex : request.transform == Transform1d::forward;
    return (complex ? 5 : 2.5) * n * std::log2(n) * pencils;
  }
};

// Lengths of transforms in cache that make up one of length n: itself, or, where a tile of its pencils would not stay
// there, two factors.
std::vector<Index> in_cache(Index n) {
  constexpr Index longest = 1 << 14, least = 8;
  if (n > longest)
    if (const auto halves = balanced_split(0, n, least)) return {halves->slow, halves->fast};
  return {n};
}

Coord fewer(Coord all, const Coord& asked) {
  for (int a = 0; a < asked.dims(); ++a)
    if (asked[a] > 0) all[a] = asked[a];
  return all;
}
Coord points_of(const Problem& problem) { return fewer(problem.shape, problem.support); }
Coord modes_of(const Problem& problem) { return fewer(problem.shape, problem.modes); }

// Each with the pencils that are left when its turn comes, the last one first.
std::vector<MeasuredAxis> axes_of(const Problem& problem) {
  const CheckedProblem p = check(problem);
  std::vector<int> numbers(p.axes.rbegin(), p.axes.rend());
  std::stable_partition(numbers.begin(), numbers.end(), [&](int axis) { return axis == p.real_axis; });
  Shape stored = p.space;
  std::vector<MeasuredAxis> axes;
  for (const int number : numbers) {
    const AxisTransform axis = p.analysis(number);
    const double pencils = static_cast<double>(product(stored)) / static_cast<double>(stored[number]);
    stored[number] = p.spectrum[number];
    const bool halves = axis.transform == Transform1d::forward;
    for (const Index n : halves ? in_cache(axis.n) : std::vector{axis.n})
      axes.push_back({{.n = n, .transform = axis.transform, .scalar = p.scalar, .complex = axis.complex},
                      pencils * static_cast<double>(axis.n / n)});
  }
  return axes;
}

}  // namespace

double array_bytes(const Problem& problem) {
  const double reals = problem.kind == c2c ? 2 : 1, scalar = problem.precision == Precision::f32 ? 4 : 8;
  return reals * scalar * (static_cast<double>(product(points_of(problem)) + product(modes_of(problem)))) / 2;
}

double measure_copy_bandwidth(int threads) {
  const Comm alone = local();
  return 2 /
         copy_seconds_per_byte(alone, MeasuringTime(alone, never), static_cast<double>(largest_copy), team_of(threads));
}

Limit measure_limit(const Comm& comm, const Problem& problem, int threads, int nodes, double most_s) {
  const MeasuringTime budget(comm, most_s);
  const double ranks = static_cast<double>(comm.size()) * nodes, share = array_bytes(problem) / ranks;
  Limit limit;
  const double byte_s = copy_seconds_per_byte(comm, budget, share, threads);
  limit.copy_s = 2 * share * byte_s;
  limit.copy_bytes_per_s = 2 * ranks / byte_s;
  double flops = 0;
  std::vector<std::pair<KernelRequest, double>> measured;  // equal lengths once
  for (const MeasuredAxis& axis : axes_of(problem)) {
    auto known = std::ranges::find(measured, axis.request, &std::pair<KernelRequest, double>::first);
    if (known == measured.end())
      known = measured.insert(known, {axis.request, fastest_pencil(comm, budget, axis.request, threads)});
    limit.arithmetic_s += known->second * axis.pencils / (ranks * threads);
    flops += axis.flops();
  }
  limit.arithmetic_flops_per_s = flops / limit.arithmetic_s;
  return limit;
}

}  // namespace shardfft
