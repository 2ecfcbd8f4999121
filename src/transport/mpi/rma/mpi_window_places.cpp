#include "transport/mpi/rma/mpi_window_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_mpi.hpp"

namespace shardfft {

WindowPlaces::WindowPlaces(const Traffic& traffic, int me) {
  std::vector<Index> slot_bytes;
  for (const Round& round : traffic.rounds) {
    Round own{round.out, {}, 0, round.chunks, round.slot};
    Index used = 0;
    auto& at = in_at.emplace_back();
    for (Message m : round.in) {
      Index& end = m.peer == me ? own.inbox_bytes : used;
      m.offset = std::exchange(end, end + m.bytes);
      at.push_back(m.offset);
      if (m.peer == me) own.in.push_back(m);
    }
    const auto slot = static_cast<std::size_t>(round.slot);
    slot_bytes.resize(std::max(slot_bytes.size(), slot + 1));
    slot_bytes[slot] = std::max(slot_bytes[slot], used);
    private_part.rounds.push_back(std::move(own));
  }
  std::vector<Index> slot_at;
  for (const Index wanted : slot_bytes) slot_at.push_back(std::exchange(window_bytes, window_bytes + wanted));
  for (std::size_t r = 0; r < in_at.size(); ++r)
    for (std::size_t i = 0; i < in_at[r].size(); ++i)
      if (traffic.rounds[r].in[i].peer != me) in_at[r][i] += slot_at[static_cast<std::size_t>(traffic.rounds[r].slot)];
}

namespace {

/// Numbers for each rank, one rank's after the other's.
struct ByRank {
  explicit ByRank(const std::vector<std::vector<std::int64_t>>& of_each) {
    for (const auto& some : of_each) {
      counts.push_back(static_cast<int>(some.size()));
      places.push_back(static_cast<int>(numbers.size()));
      numbers.insert(numbers.end(), some.begin(), some.end());
    }
  }
  std::vector<std::int64_t> numbers;
  std::vector<int> counts, places;
};

}  // namespace

std::vector<std::vector<Index>> tell_places(const Comm& group, MPI_Comm comm, const Traffic& traffic,
                                            const WindowPlaces& mine) {
  std::vector<std::vector<std::int64_t>> tell(static_cast<std::size_t>(group.size())), hear(tell);
  for (std::size_t r = 0; r < traffic.rounds.size(); ++r) {
    const Round& round = traffic.rounds[r];
    for (std::size_t i = 0; i < round.in.size(); ++i) {
      auto& to = tell[static_cast<std::size_t>(round.in[i].peer)];
      to.insert(to.end(), {mine.in_at[r][i], round.in[i].bytes});
    }
    for (const Message& m : round.out)
      hear[static_cast<std::size_t>(m.peer)].resize(hear[static_cast<std::size_t>(m.peer)].size() + 2);
  }
  ByRank told(tell), heard(hear);
  std::vector<std::vector<Index>> places;
  collectively(group, [&] {
    check_mpi(MPI_Alltoallv(told.numbers.data(), told.counts.data(), told.places.data(), MPI_INT64_T,
                            heard.numbers.data(), heard.counts.data(), heard.places.data(), MPI_INT64_T, comm),
              "MPI_Alltoallv");
    for (const Round& round : traffic.rounds) {
      auto& of_round = places.emplace_back();
      for (const Message& m : round.out) {
        int& next = heard.places[static_cast<std::size_t>(m.peer)];
        of_round.push_back(heard.numbers[static_cast<std::size_t>(next)]);
        if (const Index expected = heard.numbers[static_cast<std::size_t>(next) + 1]; expected != m.bytes)
          throw Error(Status::internal, fmt::format("rank {} sends {} bytes to rank {}, which expects {}", group.rank(),
                                                    m.bytes, m.peer, expected));
        next += 2;
      }
    }
  });
  return places;
}

}  // namespace shardfft
