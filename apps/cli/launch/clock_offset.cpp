#include "launch/clock_offset.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace shardfft::cli {
namespace {

constexpr std::size_t pings = 32;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::vector<Ping> ping_all(const Comm& comm) {
  std::vector<Ping> mine(pings);
  std::vector<std::byte> answers(static_cast<std::size_t>(comm.size()));
  for (Ping& ping : mine) {
    const std::byte hello{};
    ping.before = now();
    comm.allgather(std::span(&hello, 1), answers);
    ping.after = now();
  }
  return mine;
}

}  // namespace

std::int64_t offset_between(std::span<const Ping> first, std::span<const Ping> other) {
  std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < first.size(); ++i) {
    least = std::max(least, first[i].before - other[i].after);  // first had begun before other was through
    most = std::min(most, first[i].after - other[i].before);    // and the other way round
  }
  return least + (most - least) / 2;
}

std::int64_t clock_offset(const Comm& comm) {
  if (comm.nodes() == 1) return 0;
  const std::vector<Ping> mine = ping_all(comm);
  std::vector<Ping> all(mine.size() * static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  int spokesman = 0;  // the first rank of this node
  while (comm.node(spokesman) != comm.node(comm.rank())) ++spokesman;
  const auto of = [&](int rank) { return std::span(all).subspan(static_cast<std::size_t>(rank) * pings, pings); };
  return spokesman == 0 ? 0 : offset_between(of(0), of(spokesman));
}

}  // namespace shardfft::cli
