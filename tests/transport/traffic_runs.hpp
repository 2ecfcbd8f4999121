// What every transport must bring where it belongs: chunks one by one, random traffic, two channels at once.
#pragma once

#include "traffic_program.hpp"

namespace shardfft {

/// Every rank sends one unit to the next one, and one to itself, in each of two chunks; the messages vary.
inline Traffic two_chunks(const Comm& comm) {
  Traffic traffic;
  Round& round = traffic.rounds.emplace_back();
  round.chunks = 2;
  const int me = comm.rank(), next = (me + 1) % comm.size(), previous = (me + comm.size() - 1) % comm.size();
  for (int chunk = 0; chunk < 2; ++chunk)
    for (int peer : {std::min(me, next), std::max(me, next)})
      if (round.out.empty() || round.out.back().peer != peer || round.out.back().chunk != chunk)
        round.out.push_back({peer, chunk, 0, 64, true});
  for (int peer : {std::min(me, previous), std::max(me, previous)})
    for (int chunk = 0; chunk < 2; ++chunk)
      if (round.in.size() < 2 || round.in.front().peer != peer)
        round.in.push_back({peer, chunk, 64 * static_cast<Index>(round.in.size()), 64, true});
  round.inbox_bytes = 64 * static_cast<Index>(round.in.size());
  return traffic;
}

/// Collective. Says the first thing that is wrong with how the chunks of one round arrive, one by one.
inline std::string wrong_with_chunks(const Comm& comm, const Transport& transport,
                                     std::shared_ptr<const DeviceContext> on = {}) {
  Traffic traffic = two_chunks(comm);
  traffic.on = on;
  const OpenedChannel opened(comm, transport, traffic);
  Channel* const channel = opened.channel.get();
  for (int run = 0; run < 3; ++run) {
    channel->begin(0);
    for (int chunk = 0; chunk < 2; ++chunk) {
      if (channel->arrived(0, chunk)) return fmt::format("chunk {} is said to have come before it was sent", chunk);
      comm.barrier();
      for (std::size_t i = 0; i < traffic.rounds[0].out.size(); ++i)
        if (traffic.rounds[0].out[i].chunk == chunk) channel->shrink(0, i, run + 5 * chunk);
      channel->send(0, chunk);
      channel->wait(0, chunk);
      if (!channel->arrived(0, 0)) return fmt::format("chunk 0 has not come, but chunk {} has been waited for", chunk);
      for (std::size_t i = 0; i < traffic.rounds[0].in.size(); ++i)
        if (const Message& m = traffic.rounds[0].in[i];
            m.chunk <= chunk && channel->received(0, i) != run + 5 * m.chunk)
          return fmt::format("{} bytes of chunk {} were received, not {}", channel->received(0, i), m.chunk,
                             run + 5 * m.chunk);
    }
    channel->wait(0);
    comm.barrier();
    channel->release(0);
  }
  return {};
}

/// Collective. Throws where a unit is not where it should be.
inline void bring_random_traffic(const Comm& comm, const Transport& transport, std::uint64_t seed, int runs,
                                 std::shared_ptr<const DeviceContext> on = {}, int most_chunks = 4) {
  Traffic traffic = random_traffic(seed, comm.size(), comm.rank(), most_chunks);
  traffic.on = on;
  const OpenedChannel opened(comm, transport, traffic);
  TrafficProgram program(comm, traffic, *opened.channel, seed);
  program.run(runs);
  program.finish();
}

/// Collective. Two channels under way at once, helped along in an order that is another on every rank.
inline void bring_two_at_once(const Comm& comm, const Transport& transport, std::uint64_t seed, int runs,
                              std::shared_ptr<const DeviceContext> on_a = {},
                              std::shared_ptr<const DeviceContext> on_b = {}) {
  Traffic a = random_traffic(seed, comm.size(), comm.rank()), b = random_traffic(seed + 1000, comm.size(), comm.rank());
  a.on = on_a;
  b.on = on_b;
  const OpenedChannel opened_a(comm, transport, a), opened_b(comm, transport, b);
  TrafficProgram program_a(comm, a, *opened_a.channel, seed), program_b(comm, b, *opened_b.channel, seed + 1000);
  Random turn(seed * 31 + static_cast<std::uint64_t>(comm.rank()));
  for (int i = 0; i < runs; ++i) {
    program_a.start();
    program_a.advance(false);
    program_b.start();
    for (bool a_done = false, b_done = false; !a_done || !b_done;) {
      if (pick(turn, 0, 1))
        a_done = program_a.advance(false);
      else
        b_done = program_b.advance(false);
      std::this_thread::yield();
    }
  }
  program_a.finish();
  program_b.finish();
}

}  // namespace shardfft
