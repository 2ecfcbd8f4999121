// Sums over modes. A mode off the plane k = 0 of a half spectrum counts twice, for its conjugate.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <span>

#include "navier_stokes/modes.hpp"
#include "navier_stokes/rows.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/exact_sum.hpp"

namespace shardfft::solvers {
namespace {

/// A mode's part of the energy, and what it is counted by.
struct ModeEnergy {
  double energy, wave_squared, divergence;
};

template <class T>
ModeEnergy energy_of(const ModeGrid& grid, const ModeRow& row, const T* state, Index i) {
  const double kz = grid.wave[2][static_cast<std::size_t>(i)], k[] = {row.x, row.y, kz};
  double square = 0, re = 0, im = 0;
  for (int c = 0; c < 3; ++c) {
    const T* const u = state + 2 * (c * grid.component() + row.first + i);
    const double a = u[0], b = u[1];
    square += a * a + b * b;
    re += k[c] * a, im += k[c] * b;
  }
  return {kz == 0 ? square / 2 : square, row.x * row.x + row.y * row.y + kz * kz, std::sqrt(re * re + im * im)};
}

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace

template <class T>
FlowSums sums_of(const ModeGrid& grid, const Comm& comm, const T* state) {
  ExactSum energy, enstrophy;
  double divergence = 0;
  std::mutex lock;
  on_team(grid.threads, [&](TeamMember me) {
    ExactSum some_energy, some_enstrophy;
    double most = 0;
    for_rows_of(me, grid, [&](const ModeRow& row) {
      for (Index i = 0; i < row.count; ++i) {
        const ModeEnergy mode = energy_of(grid, row, state, i);
        some_energy.add(mode.energy);
        some_enstrophy.add(mode.wave_squared * mode.energy);
        most = std::max(most, mode.divergence);
      }
    });
    const std::lock_guard guard(lock);
    energy.add(some_energy);
    enstrophy.add(some_enstrophy);
    divergence = std::max(divergence, most);
  });
  return {energy.value(comm), enstrophy.value(comm), all_max(comm, divergence)};
}

template <class T>
std::vector<double> spectrum_of(const ModeGrid& grid, const Comm& comm, const T* state, double longest) {
  const auto shell_of = [&](double wave) { return static_cast<std::size_t>(wave * grid.shell + 0.5); };
  std::vector<ExactSum> shells(shell_of(longest) + 1);
  std::mutex lock;
  on_team(grid.threads, [&](TeamMember me) {
    std::vector<ExactSum> some(shells.size());
    for_rows_of(me, grid, [&](const ModeRow& row) {
      for (Index i = 0; i < row.count; ++i) {
        const ModeEnergy mode = energy_of(grid, row, state, i);
        some[std::min(shell_of(std::sqrt(mode.wave_squared)), some.size() - 1)].add(mode.energy);
      }
    });
    const std::lock_guard guard(lock);
    for (std::size_t s = 0; s < shells.size(); ++s) shells[s].add(some[s]);
  });
  return values_of(comm, shells);
}

template <class T>
std::uint64_t hash_of(const ModeGrid& grid, const Comm& comm, const T* state, const Coord& kept) {
  const Index ny = kept[1], nz = kept[2] / 2 + 1;
  std::atomic<std::uint64_t> hash = 0;
  for_each_row(grid, [&](const ModeRow& row) {
    std::uint64_t of_row = 0;
    for (Index c = 0; c < 3; ++c) {
      const Index first = ((c * kept[0] + grid.box.lo[0] + row.at_x) * ny + grid.box.lo[1] + row.at_y) * nz;
      const T* const u = state + 2 * (c * grid.component() + row.first);
      for (Index i = 0; i < 2 * row.count; ++i)
        of_row += mixed(mixed(static_cast<std::uint64_t>(2 * (first + grid.box.lo[2]) + i)) ^
                        std::bit_cast<std::uint64_t>(static_cast<double>(u[i])));
    }
    hash += of_row;
  });
  const std::uint64_t mine = hash;
  std::vector<std::uint64_t> all(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  std::uint64_t together = 0;
  for (const std::uint64_t one : all) together += one;
  return together;
}

#define SHARDFFT_FLOW_SUMS(T)                                                               \
  template FlowSums sums_of(const ModeGrid&, const Comm&, const T*);                        \
  template std::vector<double> spectrum_of(const ModeGrid&, const Comm&, const T*, double); \
  template std::uint64_t hash_of(const ModeGrid&, const Comm&, const T*, const Coord&);
SHARDFFT_FLOW_SUMS(float)
SHARDFFT_FLOW_SUMS(double)
#undef SHARDFFT_FLOW_SUMS

}  // namespace shardfft::solvers
