#include "planner/measure_exchanges.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "support/buffer.hpp"
#include "transport/transport.hpp"

namespace shardfft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index most_bytes = Index{64} << 20;  // of one rank's inbox

Round everybody(const Comm& comm, Index bytes, int slot) {
  Round round{{}, {}, 0, 1, slot};
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    round.out.push_back({peer, 0, 0, bytes});
    round.in.push_back({peer, 0, round.inbox_bytes, bytes});
    round.inbox_bytes += bytes;
  }
  return round;
}

void pass(Channel& channel, int round) {
  channel.begin(round);
  channel.send(round, 0);
  channel.wait(round);
  channel.release(round);
}

/// Seconds of each of the rounds, of the slowest rank.
void time_rounds(const Comm& comm, Channel& channel, ExchangeCost& way) {
  constexpr int times = 7;
  way.all_to_all_s.fill(std::numeric_limits<double>::infinity());
  for (int i = 0; i < times; ++i)
    for (std::size_t r = 0; r < ExchangeCost::sizes.size(); ++r) {
      comm.barrier();
      const auto start = Clock::now();
      pass(channel, static_cast<int>(r));
      const double mine = std::chrono::duration<double>(Clock::now() - start).count();
      way.all_to_all_s[r] = std::min(way.all_to_all_s[r], all_max(comm, mine));
    }
}

// A short exchange is half its epoch and half its messages; what long ones take more is their bytes.
void fit(ExchangeCost& way, int peers, bool has_wire) {
  way.epoch_s = way.all_to_all_s.front() / 2;
  way.message_s = way.all_to_all_s.front() / 2 / peers;
  const double more = way.all_to_all_s.back() - way.all_to_all_s.front();
  if (has_wire && more > 0) way.bytes_per_s = static_cast<double>((ExchangeCost::sizes.back() - ExchangeCost::sizes.front()) * peers) / more;
}

// A transport that cannot be opened here is one that plans will not use either.
void measure(const Comm& comm, const Transport& transport, ExchangeCost& way, bool has_wire) {
  if (!transport.refuses(comm).empty() || ExchangeCost::sizes.back() * comm.size() > most_bytes) return;
  Traffic traffic;
  for (int twice = 0; twice < 2; ++twice)  // forward and backward
    for (std::size_t i = 0; i < ExchangeCost::sizes.size(); ++i) traffic.rounds.push_back(everybody(comm, ExchangeCost::sizes[i], static_cast<int>(i % 2)));
  try {
    const auto channel = transport.open(comm, traffic);
    Memory memory;
    collectively(comm, [&] {
      memory.reset(allocate(static_cast<std::size_t>(channel->private_bytes()) + 64, "measuring exchanges"));
      std::memset(memory.get(), 0, static_cast<std::size_t>(channel->private_bytes()));
      channel->bind(memory.get());
    });
    time_rounds(comm, *channel, way);
    fit(way, comm.size() - 1, has_wire);
  } catch (const Error& e) {
    if (e.status() == Status::transport_failed || e.status() == Status::internal) throw;
  }
}

}  // namespace

void measure_exchanges(const Comm& comm, Machine& m) {
  for (const char* name : {"threads", "shared_memory"}) measure(comm, *find_transport(name), m.stores, false);
  if (const Transport* mpi = find_transport("mpi_p2p")) measure(comm, *mpi, comm.nodes() == 1 ? m.mpi_near : m.mpi_far, true);
}

}  // namespace shardfft
