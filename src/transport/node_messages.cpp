#include "transport/node_messages.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "support/comm/agree.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft {
namespace {

struct Known {
  int round, chunk, from, to;
  Index bytes;
  bool varies;
};

constexpr std::size_t words_of_known = 6;

void add_words(std::vector<std::int64_t>& words, const Known& m) {
  words.insert(words.end(), {m.round, m.chunk, m.from, m.to, m.bytes, m.varies ? 1 : 0});
}

std::vector<Known> known_in(const std::vector<std::vector<std::int64_t>>& lists) {
  std::vector<Known> all;
  for (const auto& words : lists)
    for (std::size_t i = 0; i < words.size(); i += words_of_known)
      all.push_back({static_cast<int>(words[i]), static_cast<int>(words[i + 1]), static_cast<int>(words[i + 2]),
                     static_cast<int>(words[i + 3]), words[i + 4], words[i + 5] != 0});
  return all;
}

std::vector<std::vector<int>> ranks_by_node(const Comm& comm) {
  std::vector<std::vector<int>> ranks(static_cast<std::size_t>(comm.nodes()));
  for (int r = 0; r < comm.size(); ++r) ranks[static_cast<std::size_t>(comm.node(r))].push_back(r);
  return ranks;
}

// Nodes are dealt to the ranks of a node in turn.
int courier_of(const std::vector<std::vector<int>>& ranks, int node, int other) {
  const auto& here = ranks[static_cast<std::size_t>(node)];
  return here[static_cast<std::size_t>(other) % here.size()];
}

void lay_out(NodeRegion& region) {
  std::ranges::sort(region.pieces, {}, [](const NodePiece& p) { return std::pair(p.from, p.to); });
  int varying = 0;
  for (NodePiece& piece : region.pieces)
    if (piece.size_at == 0) piece.size_at = varying++;
  region.varies = varying > 0;
  region.bytes = round_up(varying * static_cast<Index>(sizeof(std::int64_t)), cache_line);
  for (NodePiece& piece : region.pieces) piece.at = std::exchange(region.bytes, region.bytes + piece.bytes);
}

// `outgoing`: the other node is that of the destination, else of the source.
std::vector<NodeRegion> regions(const Comm& comm, const std::vector<Known>& messages, bool outgoing) {
  const auto ranks = ranks_by_node(comm);
  const int here = comm.node(comm.rank());
  std::map<std::tuple<int, int, int>, NodeRegion> by_key;  // round, chunk, other node
  for (const Known& m : messages) {
    const int other = comm.node(outgoing ? m.to : m.from);
    NodeRegion& region = by_key[{m.round, m.chunk, other}];
    region.round = m.round, region.chunk = m.chunk;
    region.courier = courier_of(ranks, here, other);
    region.far_courier = courier_of(ranks, other, here);
    region.pieces.push_back({m.from, m.to, 0, m.bytes, m.varies ? 0 : -1});
  }
  std::vector<NodeRegion> all;
  for (auto& [key, region] : by_key) {
    lay_out(region);
    all.push_back(std::move(region));
  }
  return all;
}

void sort_rounds(Traffic& traffic) {
  for (Round& round : traffic.rounds) {
    std::ranges::sort(round.out, {}, [](const Message& m) { return std::pair(m.chunk, m.peer); });
    std::ranges::sort(round.in, {}, [](const Message& m) { return std::pair(m.peer, m.chunk); });
    for (Message& m : round.in) m.offset = std::exchange(round.inbox_bytes, round.inbox_bytes + m.bytes);
  }
}

void add_line(std::vector<Message>& messages, int peer, int chunk) {
  const auto same = [&](const Message& m) { return m.peer == peer && m.chunk == chunk; };
  if (std::ranges::none_of(messages, same)) messages.push_back({peer, chunk, 0, cache_line});
}

void add_peer(std::vector<Message>& messages, int peer) {
  if (std::ranges::none_of(messages, [&](const Message& m) { return m.peer == peer; })) add_line(messages, peer, 0);
}

}  // namespace

std::vector<std::vector<std::int64_t>> lists_of_all(const Comm& comm, const std::vector<std::int64_t>& mine) {
  const std::vector<std::int64_t> sizes = all_values(comm, std::ssize(mine));
  const auto most = static_cast<std::size_t>(*std::ranges::max_element(sizes));
  std::vector<std::int64_t> padded = mine, all(most * sizes.size());
  padded.resize(most);
  if (most > 0) comm.allgather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  std::vector<std::vector<std::int64_t>> lists;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(r * most);
    lists.emplace_back(first, first + sizes[r]);
  }
  return lists;
}

NodeMessages::NodeMessages(const Comm& comm, const Comm& neighbours, const Traffic& traffic) : me_(comm.rank()) {
  for (int r = 0; r < comm.size(); ++r)
    if (comm.node(r) == comm.node(me_)) here_.push_back(r);
  std::vector<std::int64_t> sent, received;
  for (std::size_t r = 0; r < traffic.rounds.size(); ++r) {
    const Round& round = traffic.rounds[r];
    shape_.push_back({{}, {}, 0, round.chunks, round.slot});
    for (const Message& m : round.out) add_words(sent, {static_cast<int>(r), m.chunk, me_, m.peer, m.bytes, m.varies});
    for (const Message& m : round.in)
      add_words(received, {static_cast<int>(r), m.chunk, m.peer, me_, m.bytes, m.varies});
  }
  out_ = regions(comm, known_in(lists_of_all(neighbours, sent)), true);
  in_ = regions(comm, known_in(lists_of_all(neighbours, received)), false);
}

Traffic NodeMessages::between_couriers() const {
  Traffic traffic = empty_rounds();
  traffic.peers_store = true;
  const auto add = [&](const std::vector<NodeRegion>& regions, std::vector<Message> Round::* messages) {
    for (const NodeRegion& r : regions)
      if (r.courier == me_)
        (traffic.rounds[static_cast<std::size_t>(r.round)].*messages)
            .push_back({r.far_courier, r.chunk, 0, r.bytes, r.varies});
  };
  add(out_, &Round::out);
  add(in_, &Round::in);
  sort_rounds(traffic);
  return traffic;
}

Traffic NodeMessages::to_couriers() const {
  Traffic traffic = lines_with_couriers(out_, &NodePiece::from, &Round::out, &Round::in);
  sort_rounds(traffic);
  return traffic;
}

Traffic NodeMessages::from_couriers() const {
  Traffic traffic = lines_with_couriers(in_, &NodePiece::to, &Round::in, &Round::out);
  // A courier receives where readers of any round in the same slot have read.
  for (const NodeRegion& r : in_)
    for (const NodePiece& piece : r.pieces)
      for (Round& other : traffic.rounds) {
        if (other.slot != shape_[static_cast<std::size_t>(r.round)].slot) continue;
        if (r.courier == me_) add_peer(other.out, number_here(piece.to));
        if (piece.to == me_) add_peer(other.in, number_here(r.courier));
      }
  sort_rounds(traffic);
  return traffic;
}

Traffic NodeMessages::lines_with_couriers(const std::vector<NodeRegion>& regions, int NodePiece::* rank,
                                          std::vector<Message> Round::* of_rank,
                                          std::vector<Message> Round::* of_courier) const {
  Traffic traffic = empty_rounds();
  for (const NodeRegion& r : regions)
    for (const NodePiece& piece : r.pieces) {
      Round& round = traffic.rounds[static_cast<std::size_t>(r.round)];
      if (piece.*rank == me_) add_line(round.*of_rank, number_here(r.courier), r.chunk);
      if (r.courier == me_) add_line(round.*of_courier, number_here(piece.*rank), r.chunk);
    }
  return traffic;
}

Traffic NodeMessages::empty_rounds() const {
  Traffic traffic;
  traffic.rounds = shape_;
  return traffic;
}

int NodeMessages::number_here(int rank) const {
  return static_cast<int>(std::ranges::lower_bound(here_, rank) - here_.begin());
}

}  // namespace shardfft
