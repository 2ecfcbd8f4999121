// exchange_orders SHAPE FROM TO RANKS_PER_NODE: messages of one exchange of a plan, of c2c f64, between the layouts
// FROM and TO (words of --input), in several orders. Bytes are not looked at. Rank 0 prints a line for each order: its
// name, messages and bytes that the busiest rank sends to other nodes, seconds of the slowest rank. The same file runs
// on SimGrid, as simulated_exchange.
//   linear      to rank 0, 1, 2, ..., all at once, as a plain loop
//   ring        to me + 1, me + 2, ..., two at a time
//   ring_at_once  the same, all at once, as the transport mpi_p2p with messages below 128 KiB
//   node_ring   to the ranks of the next node, those of the one after it, ..., two at a time
//   xor         to me ^ 1, me ^ 2, ..., two at a time; for powers of two
//   aggregated  one message for each pair of nodes, as the transport mpi_node; a node's memory is shared, and free here
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "shardfft/layout.hpp"

namespace sf = shardfft;

namespace {

struct Message {
  int peer = 0;
  sf::Index bytes = 0;
};

struct Group {
  int me = 0, ranks = 1, per_node = 1;
  [[nodiscard]] int node(int rank) const { return rank / per_node; }
  [[nodiscard]] int nodes() const { return (ranks + per_node - 1) / per_node; }
  /// The rank of a node that sends to and receives from another one, as NodeMessages chooses it.
  [[nodiscard]] int courier(int node, int other) const { return node * per_node + other % per_node; }
};

// Simulated ranks are many in one process: what they receive lies in one place.
#if defined(SHARDFFT_SIMULATED)
constexpr bool shared_room = true;
#else
constexpr bool shared_room = false;
#endif
constexpr sf::Index element_bytes = 16, line = 64;

/// What `rank` sends to ranks of other nodes.
std::vector<Message> messages_of(const Group& group, const sf::Layout& from, const sf::Layout& to, int rank) {
  std::map<int, sf::Index> bytes;
  for (const sf::Box& box : from.boxes(rank))
    for (const auto& [peer, shared] : to.owners(box))
      if (group.node(peer) != group.node(rank))
        bytes[peer] += (shared.count() * element_bytes + line - 1) / line * line;
  std::vector<Message> messages;
  for (const auto& [peer, n] : bytes) messages.push_back({peer, n});
  return messages;
}

/// What this rank carries for its node.
std::vector<Message> carried(const Group& group, const sf::Layout& from, const sf::Layout& to) {
  std::map<int, sf::Index> bytes;
  const int node = group.node(group.me), first = node * group.per_node;
  for (int rank = first; rank < std::min(first + group.per_node, group.ranks); ++rank)
    for (const Message& m : messages_of(group, from, to, rank)) bytes[group.node(m.peer)] += m.bytes;
  std::vector<Message> messages;
  for (const auto& [other, n] : bytes)
    if (group.courier(node, other) == group.me) messages.push_back({group.courier(other, node), n});
  return messages;
}

/// The place of a message in its order.
int turn(const Group& group, const std::string& order, int peer) {
  if (order == "linear") return peer;
  if (order == "xor") return peer ^ group.me;
  if (order == "node_ring" || order == "aggregated") {
    const int step = (group.node(peer) - group.node(group.me) + group.nodes()) % group.nodes();
    return step * group.per_node + (peer - group.me + group.ranks) % group.per_node;
  }
  return (peer - group.me + group.ranks) % group.ranks;
}

/// Messages to be sent, those to be received, and memory for the longest.
class Exchange {
 public:
  Exchange(std::vector<Message> out, std::vector<Message> in, std::size_t at_once)
      : out_(std::move(out)), in_(std::move(in)), at_once_(at_once) {
    sf::Index longest = 1;
    for (const std::vector<Message>* all : {&out_, &in_})
      for (const Message& m : *all) longest = std::max(longest, m.bytes);
    sent_.resize(static_cast<std::size_t>(longest));
    for (const Message& m : in_) room_ += shared_room ? 0 : m.bytes;
    received_.resize(static_cast<std::size_t>(std::max(longest, room_)));
  }

  double seconds() {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    std::vector<MPI_Request> receives(in_.size()), sends;
    sf::Index at = 0;
    for (std::size_t i = 0; i < in_.size(); ++i) {
      MPI_Irecv(received_.data() + at, static_cast<int>(in_[i].bytes), MPI_BYTE, in_[i].peer, 0, MPI_COMM_WORLD,
                &receives[i]);
      at += shared_room ? 0 : in_[i].bytes;
    }
    for (const Message& m : out_) {
      if (sends.size() == at_once_) {
        int ended = 0;
        MPI_Waitany(static_cast<int>(sends.size()), sends.data(), &ended, MPI_STATUS_IGNORE);
        sends.erase(sends.begin() + ended);
      }
      MPI_Isend(sent_.data(), static_cast<int>(m.bytes), MPI_BYTE, m.peer, 0, MPI_COMM_WORLD, &sends.emplace_back());
    }
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
    MPI_Waitall(static_cast<int>(receives.size()), receives.data(), MPI_STATUSES_IGNORE);
    return largest(MPI_Wtime() - begin);
  }

  static double largest(double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
  }

 private:
  std::vector<Message> out_, in_;
  std::size_t at_once_;
  sf::Index room_ = 0;
  std::vector<std::byte> sent_{}, received_{};
};

void measure(const Group& group, const sf::Layout& from, const sf::Layout& to, const std::string& order) {
  const bool aggregated = order == "aggregated";
  // Both layouts are grids of equal processes: what a rank receives is what it would send from `to` to `from`.
  std::vector<Message> out = aggregated ? carried(group, from, to) : messages_of(group, from, to, group.me);
  std::vector<Message> in = aggregated ? carried(group, to, from) : messages_of(group, to, from, group.me);
  std::ranges::sort(out, {}, [&](const Message& m) { return turn(group, order, m.peer); });
  sf::Index bytes = 0;
  for (const Message& m : out) bytes += m.bytes;
  const std::size_t at_once = order == "linear" || order == "ring_at_once" ? out.size() + 1 : 2;
  const double messages = Exchange::largest(static_cast<double>(out.size())),
               most = Exchange::largest(static_cast<double>(bytes));
  Exchange exchange(std::move(out), std::move(in), at_once);
  exchange.seconds();
  double seconds = exchange.seconds();
  for (int turns = 0; !shared_room && turns < 5; ++turns) seconds = std::min(seconds, exchange.seconds());
  if (group.me == 0) std::printf("%s %.0f %.0f %.9f\n", order.c_str(), messages, most, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 5) {
    std::fprintf(stderr, "usage: exchange_orders SHAPE FROM TO RANKS_PER_NODE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Group group{.per_node = std::max(1, std::atoi(argv[4]))};
  MPI_Comm_rank(MPI_COMM_WORLD, &group.me);
  MPI_Comm_size(MPI_COMM_WORLD, &group.ranks);
  std::istringstream text(argv[1]);
  std::vector<sf::Index> extents;
  for (std::string extent; std::getline(text, extent, 'x');) extents.push_back(std::stoll(extent));
  const sf::Shape shape = extents;
  const sf::Layout from(sf::parse_layout(argv[2], shape.dims()), shape, group.ranks),
      to(sf::parse_layout(argv[3], shape.dims()), shape, group.ranks);
  for (const char* order : {"linear", "ring_at_once", "ring", "node_ring", "xor", "aggregated"})
    measure(group, from, to, order);
  MPI_Finalize();
}
