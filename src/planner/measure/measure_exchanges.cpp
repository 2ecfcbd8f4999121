#include "planner/measure/measure_exchanges.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/memory/buffer.hpp"
#include "transport/transport.hpp"

namespace shardfft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index most_bytes = Index{64} << 20;  // of one rank's inbox

/// Messages of so many bytes between this rank and all `peers`.
Round among(const std::vector<int>& peers, Index bytes, int slot) {
  Round round{{}, {}, 0, 1, slot};
  for (const int peer : peers) {
    round.out.push_back({peer, 0, 0, bytes});
    round.in.push_back({peer, 0, round.inbox_bytes, bytes});
    round.inbox_bytes += bytes;
  }
  return round;
}

/// An opened channel with its memory.
struct OpenChannel {
  OpenChannel(const Comm& comm, const Transport& transport, const Traffic& traffic)
      : channel(transport.open(comm, traffic)) {
    collectively(comm, [&] {
      memory.reset(allocate(static_cast<std::size_t>(channel->private_bytes()) + 64, "measuring exchanges"));
      std::memset(memory.get(), 0, static_cast<std::size_t>(channel->private_bytes()));
      channel->bind(memory.get());
    });
  }
  Memory memory{};
  std::unique_ptr<Channel> channel;  // ends first
};

/// `stored`: nullptr, or what is stored in every message first.
void pass(Channel& channel, const Round& what, int round, const std::byte* stored) {
  channel.begin(round);
  for (std::size_t i = 0; stored && i < what.out.size(); ++i)
    std::memcpy(channel.out(round, i), stored, static_cast<std::size_t>(what.out[i].bytes));
  channel.send(round, 0);
  channel.wait(round);
  channel.release(round);
}

/// Seconds of each of the rounds of one direction, of the slowest rank.
std::vector<double> time_rounds(const Comm& comm, Channel& channel, std::span<const Round> rounds,
                                const std::byte* stored) {
  constexpr int times = 7;
  std::vector<double> best(rounds.size(), std::numeric_limits<double>::infinity());
  for (int i = 0; i < times; ++i)
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      comm.barrier();
      const auto start = Clock::now();
      pass(channel, rounds[r], static_cast<int>(r), stored);
      const double mine = std::chrono::duration<double>(Clock::now() - start).count();
      best[r] = std::min(best[r], all_max(comm, mine));
    }
  return best;
}

/// The number of measured sizes: an inbox must have room for one message from every rank.
std::size_t sizes_for(const Comm& comm) {
  const auto fits = [&](Index bytes) { return bytes * comm.size() <= most_bytes; };
  return static_cast<std::size_t>(std::ranges::count_if(ExchangeCost::sizes, fits));
}

// A short exchange is half its epoch and half its messages; what long ones take more is their bytes, but for those that
// the sweeps store themselves.
void fit(ExchangeCost& way, std::span<const double> seconds, int peers, bool has_wire) {
  way.epoch_s = seconds.front() / 2;
  way.message_s = seconds.front() / 2 / peers;
  const double more = seconds.back() - seconds.front();
  if (has_wire && more > 0)
    way.bytes_per_s =
        static_cast<double>((ExchangeCost::sizes[seconds.size() - 1] - ExchangeCost::sizes.front()) * peers) / more;
}

// A transport that cannot be opened here is one that plans will not use either.
void measure(const Comm& comm, const std::vector<int>& peers, const Transport& transport, ExchangeCost& way,
             bool has_wire) {
  const std::size_t sizes = sizes_for(comm);
  if (sizes == 0 || !transport.refuses(comm).empty()) return;
  Traffic traffic;
  for (int twice = 0; twice < 2; ++twice)  // forward and backward
    for (std::size_t i = 0; i < sizes; ++i)
      traffic.rounds.push_back(among(peers, ExchangeCost::sizes[i], static_cast<int>(i % 2)));
  try {
    const OpenChannel opened(comm, transport, traffic);
    const std::span<const Round> rounds = std::span(traffic.rounds).first(sizes);
    std::vector<double> seconds = time_rounds(comm, *opened.channel, rounds, nullptr);
    fit(way, seconds, static_cast<int>(peers.size()), has_wire);
    if (!has_wire) {
      std::vector<std::byte> stored;
      collectively(comm, [&] { stored.resize(static_cast<std::size_t>(ExchangeCost::sizes[sizes - 1])); });
      seconds = time_rounds(comm, *opened.channel, rounds, stored.data());
    }
    std::ranges::copy(seconds, way.all_to_all_s.begin());
  } catch (const Error& e) {
    if (e.status() == Status::transport_failed || e.status() == Status::internal) throw;
  }
}

std::vector<int> others(const Comm& comm, bool on_other_nodes) {
  std::vector<int> peers;
  for (int peer = 0; peer < comm.size(); ++peer)
    if (peer != comm.rank() && (!on_other_nodes || comm.node(peer) != comm.node(comm.rank()))) peers.push_back(peer);
  return peers;
}

}  // namespace

void measure_exchanges(const Comm& comm, Machine& m) {
  const Transport* mpi = find_transport("mpi_p2p");
  const auto measure_within = [&](const Comm& node) {
    if (node.size() == 1) return;
    for (const char* name : {"threads", "shared_memory"})
      measure(node, others(node, false), *find_transport(name), m.stores, false);
    if (mpi) measure(node, others(node, false), *mpi, m.mpi_near, true);
  };
  if (comm.nodes() == 1) return measure_within(comm);
  const Comm node = split(comm, comm.node(comm.rank()));
  collectively(comm, [&] { measure_within(node); });
  if (mpi) measure(comm, others(comm, true), *mpi, m.mpi_far, true);
}

}  // namespace shardfft
