#include "planner/measure/measure_machine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "planner/measure/measure_exchanges.hpp"
#include "planner/model/machine_sense.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/team.hpp"
#include "support/comm/agree.hpp"
#include "support/memory/buffer.hpp"
#include "support/memory/copy_box.hpp"
#include "support/text/notice.hpp"
#include "sweep/host/tile_moves.hpp"

namespace shardfft {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds of the best of `times` calls.
double best_of(int times, const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

/// Two arrays and their copy.
class Copy {
 public:
  /// Each thread touches first, and so has near its core, what it copies.
  Copy(Index bytes, int threads)
      : bytes_(bytes),
        threads_(threads),
        from_(allocate(static_cast<std::size_t>(bytes), "measuring the memory")),
        to_(allocate(static_cast<std::size_t>(bytes), "measuring the memory")) {
    for_parts([this](Index first, Index last) {
      for (const Memory* memory : {&from_, &to_})
        std::memset(memory->get() + first * row, 1, static_cast<std::size_t>((last - first) * row));
    });
  }
  void run(bool non_temporal) {
    for_parts([this, non_temporal](Index first, Index last) {
      const Coord strides{row, 16};
      copy_box(from_.get() + first * row, strides, to_.get() + first * row, strides, {last - first, row / 16}, 16,
               non_temporal);
      if (non_temporal) non_temporal_fence();
    });
  }

 private:
  static constexpr Index row = 4096;
  /// work(first row, last row), by as many threads as there can be.
  template <class Work>
  void for_parts(Work work) {
    const Index rows = bytes_ / row;
    on_team(threads_, [&](TeamMember me) { work(me.begin(rows), me.end(rows)); });
  }

  Index bytes_;
  int threads_;
  Memory from_, to_;
};

constexpr Index large = Index{32} << 20;

double bandwidth_of_one_core() {
  Copy copy(large, 1);
  return 2.0 * large / best_of(12, [&] { copy.run(true); });
}

double bandwidth_in_cache(Index l2_bytes) {
  const Index bytes = std::max<Index>(l2_bytes / 4, 64 << 10) / 4096 * 4096;
  Copy copy(bytes, 1);
  constexpr int rounds = 50;
  return 2.0 * static_cast<double>(bytes) * rounds / best_of(5, [&] {
           for (int i = 0; i < rounds; ++i) copy.run(false);
         });
}

// All ranks of node 0 with all its cores, however many threads a transform has that is planned now: what is measured is
// kept for others.
double bandwidth_of_node(const Comm& comm, int threads) {
  Copy copy(large, threads);
  double best = 0;
  for (int i = 0; i < 8; ++i) {
    comm.barrier();
    const double mine = best_of(2, [&] { copy.run(true); });
    best = std::max(best, 2.0 * large / all_max(comm, mine));
  }
  const auto here = all_sum(comm, std::int64_t{comm.node(comm.rank()) == comm.node(0)});
  return best * static_cast<double>(here);
}

double seconds_to_wake(int threads) {
  constexpr int rounds = 200;
  return best_of(5,
                 [&] {
                   for (int i = 0; i < rounds; ++i) on_team(threads, [](TeamMember) { asm volatile("" ::: "memory"); });
                 }) /
         rounds;
}

/// Nominal operations per second; 0 when the engine refuses the length.
double rate_of(const Engine& engine, Index n, Scalar scalar) {
  const KernelRequest request{.n = n, .transform = Transform1d::forward, .scalar = scalar};
  if (!engine.refuses(request).empty()) return 0;
  const auto kernel = engine.make(request);
  const Memory a(allocate(kernel->buffer_bytes(), "measuring an engine")),
      b(allocate(kernel->buffer_bytes(), "measuring an engine"));
  std::memset(a.get(), 0, kernel->buffer_bytes());
  std::memset(b.get(), 0, kernel->buffer_bytes());
  const int times = 1 + static_cast<int>(4e6 / kernel->nominal_flops());  // 0.1 ms or so
  const double seconds = best_of(5, [&] {
    for (int i = 0; i < times; ++i) (void)kernel->run(a.get(), b.get());
  });
  return times * kernel->nominal_flops() / seconds;
}

Rates rates_of(const Engine& engine, Scalar scalar, Rates r) {
  for (std::size_t i = 0; i < Rates::lengths.size(); ++i)
    if (const double rate = rate_of(engine, Rates::lengths[i], scalar); rate > 0) r.of_power[i] = rate;
  constexpr Index mixed = 240, prime = 211;  // both below 256
  if (const double rate = rate_of(engine, mixed, scalar); rate > 0) r.of_mixed = rate / r.of_power[2];
  if (const double rate = rate_of(engine, prime, scalar); rate > 0) r.of_prime = rate / r.of_power[2];
  return r;
}

void measure_core(Machine& m, int share) {
  m.memory_bytes_per_s = bandwidth_of_one_core();
  m.cache_bytes_per_s = bandwidth_in_cache(m.l2_bytes);
  if (share > 1) m.team_s = seconds_to_wake(share);  // ranks that have one core each cannot know: the default stays
  for (std::size_t e = 0; e < std::min<std::size_t>(engines().size(), Machine::most_engines); ++e) {
    m.f64[e] = rates_of(*engines()[e], Scalar::f64, m.f64[e]);
    m.f32[e] = rates_of(*engines()[e], Scalar::f32, m.f32[e]);
  }
}

/// Collective: as rank 0 sees them.
int cores_of_node_0(const Comm& comm) {
  int cores = cores_of_node();
  comm.broadcast(std::as_writable_bytes(std::span(&cores, 1)), 0);
  return cores;
}

}  // namespace

Machine measure_once(const Comm& comm, const Machine& known) {
  Machine m = known;
  const int share = team_of(core_share(comm, known, comm.rank()));
  collectively(comm, [&] {
    if (comm.rank() == 0 && !known.measured) measure_core(m, share);
  });
  if (!known.measured) m.node_bytes_per_s = std::max(bandwidth_of_node(comm, share), m.memory_bytes_per_s);
  if (!known.exchanges_measured && comm.size() > 1) measure_exchanges(comm, m);
  m.measured = m.exchanges_measured = true;
  comm.broadcast(std::as_writable_bytes(std::span(&m, 1)), 0);
  return m;
}

Machine measure_machine(const Comm& comm, const Machine& known) {
  constexpr int most = 4;  // times
  Machine m = known;
  const std::string contradiction =
      measure_until_sensible(m, cores_of_node_0(comm), most, [&] { return measure_once(comm, known); });
  if (contradiction.empty()) return m;
  if (comm.rank() == 0)
    notice(
        fmt::format("the machine was busy while it was measured {} times, and nothing of it is kept: {}; measure "
                    "again: shardfft info --measure",
                    most, contradiction));
  return known;
}

}  // namespace shardfft
