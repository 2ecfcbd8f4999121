#include "planner/model/model.hpp"

#include <algorithm>
#include <cmath>

#include "grid/blocks.hpp"
#include "grid/rules/box_rule.hpp"
#include "planner/model/busiest.hpp"

namespace shardfft {
namespace {

constexpr int worth_asking = 13;     // ranks beside the first; a prime number, so that few are on a grid's diagonal
constexpr int worth_listing = 1024;  // peers; of more, only those on the node are looked at

// Measured with the sweeps of this library (docs/performance/lessons.md, "What decides").
constexpr double sweep_share = 0.55;  // of a copy's bandwidth that gather and scatter reach
constexpr double wide_tiles = 0.03;   // what twice as wide a tile adds to the moves
constexpr double usual_tile = 8;
constexpr double short_lines_cost =
    2;  // moves between plane and tile where the plane is read and written in short lines
constexpr double in_common_cache =
    0.8;  // of the moves of an array that fits there and lies in the caller's output between sweeps, instead of buffers
constexpr double cached_share = 0.65;  // of the time that memory would take, where the arrays stay in the common cache
constexpr double out_of_cache = 1.15;  // of one that does not
constexpr double hidden = 0.5;         // share of the wire's time that chunks hide at best

struct Peers {
  double count = 0, kept = 0, all = 0;  // ranks that a rank sends to, elements that it keeps, and has
};

// For block layouts without looking at every peer.
Peers peers_of(const Layout& from, const Layout& to, int rank) {
  Peers result;
  for (const Box& box : from.boxes(rank)) {
    result.all += static_cast<double>(box.count());
    double count = 1;
    for (int a = 0; a < box.dims(); ++a) {
      const Index n = to.global()[a], p = to.grid()[a];
      count *= static_cast<double>(blocks::owner(n, p, box.hi[a] - 1) - blocks::owner(n, p, box.lo[a]) + 1);
    }
    result.count += count;
    for (const Box& mine : to.boxes(rank))
      if (const Box kept = intersect(box, mine); !kept.empty()) result.kept += static_cast<double>(kept.count());
  }
  return result;
}

// The fraction of a rank's sent bytes that goes to other nodes; -1 if it sends nothing.
double far_share_of(const Comm& comm, const Layout& from, const Layout& to, int rank) {
  double far = 0, all = 0;
  for (const Box& box : from.boxes(rank))
    for (const auto& [peer, part] : to.owners(box)) {
      const auto n = static_cast<double>(part.count());
      if (peer != rank) all += n;
      if (comm.node(peer) != comm.node(rank)) far += n;
    }
  return all > 0 ? far / all : -1;
}

// That share for any number of ranks: between grids of blocks, what stays on the node is counted. Other layouts are
// taken to send everything to other nodes. Nodes are taken to have ranks of consecutive numbers.
double far_share_of_many(const Comm& comm, const Layout& from, const Layout& to, int rank) {
  if (!is_block_grid(from) || !is_block_grid(to)) return 1;
  int first = rank, end = rank + 1;
  while (first > 0 && comm.node(first - 1) == comm.node(rank)) --first;
  while (end < comm.size() && comm.node(end) == comm.node(rank)) ++end;
  const Index all = from.count(rank) - shared_with(from, to, rank, rank, rank + 1),
              far = from.count(rank) - shared_with(from, to, rank, first, end);
  return all > 0 ? static_cast<double>(far) / static_cast<double>(all) : -1;
}

// The largest such fraction of some ranks, since the exchange takes as long as its slowest rank. A grid may favour the
// first ranks.
double far_share(const Comm& comm, const Layout& from, const Layout& to) {
  if (comm.nodes() == 1) return 0;
  const bool counts = is_block_grid(from) && is_block_grid(to);
  const auto share = counts || comm.size() > worth_listing ? far_share_of_many : far_share_of;
  // A plan with more ranks is to be made in milliseconds, too.
  const Index last = last_owner(from), samples = std::min<Index>(last, worth_asking);
  double most = share(comm, from, to, 0);
  for (Index i = 1; i <= samples; ++i)
    most = std::max(most, share(comm, from, to, static_cast<int>(i * last / samples)));
  return most;
}

}  // namespace

Sent sent_between(const Comm& comm, const Layout& from, const Layout& to, double bytes) {
  // A grid may let the first rank keep what all others send.
  const Peers first = peers_of(from, to, 0), last = peers_of(from, to, last_owner(from));
  Sent sent{.bytes = std::max(largest_part(from) - first.kept, last.all - last.kept) * bytes,
            .far_share = far_share(comm, from, to),
            .messages = std::max({0.0, first.count - 1, last.count - (last.kept > 0 ? 1 : 0)})};
  if (!is_block_grid(from) || !is_block_grid(to) || !gathers(from, to)) return sent;
  // Few ranks receive what many send.
  const Peers by_first = peers_of(to, from, 0);
  sent.bytes = std::max(sent.bytes, (by_first.all - by_first.kept) * bytes);
  sent.far_share = std::max(sent.far_share, far_share(comm, to, from));
  sent.messages = std::max(sent.messages, by_first.count - (by_first.kept > 0 ? 1 : 0));
  return sent;
}

int ranks_on_first_node(const Comm& comm) {
  if (comm.nodes() == 1) return comm.size();
  int ranks = 0;
  for (int r = 0; r < comm.size(); ++r) ranks += comm.node(r) == comm.node(0);
  return ranks;
}

double largest_part(const Layout& layout) {
  if (layout.spec().kind != LayoutSpec::Kind::boxes) return static_cast<double>(layout.count(0));
  if (const auto& rule = layout.spec().rule) return static_cast<double>(rule->most());
  Index most = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank) most = std::max(most, layout.count(rank));
  return static_cast<double>(most);
}

double axis_flops(const AxisTransform& axis, double elements) {
  const double n = static_cast<double>(axis.n);
  return 5 * std::log2(std::max(n, 2.0)) * elements * (axis.complex_in() && axis.complex_out() ? 1 : 0.5);
}

double Model::team_seconds() const { return tuning.threads > 1 ? machine.team_s : 0; }

double Model::moved(double read, double written) const {
  const int threads = tuning.threads;
  const bool non_temporal = tuning.non_temporal == NonTemporal::all;
  const double cores = threads * sharers;
  const double one =
      cached ? machine.cache_bytes_per_s : std::min(machine.memory_bytes_per_s, machine.node_bytes_per_s / cores);
  // Non-temporal stores leave the cache in any case; others first read the line that they overwrite.
  if (cached && non_temporal)
    return (read / machine.cache_bytes_per_s + written / machine.memory_bytes_per_s) / threads;
  return (read + written * (cached || non_temporal || stays_in_common_cache ? 1 : 2)) / one / threads *
         (!cached && stays_in_common_cache ? cached_share : 1);
}

double Model::computed(const AxisTransform& axis, double elements) const {
  elements *= axis.whole_share();
  return axis_flops(axis, elements) / machine.rates(engine, scalar).at(axis.n) / tuning.threads;
}

// Cost per byte that sweeps move, by where the array lies.
double Model::place() const {
  if (tuning.intermediate != Intermediate::output) return 1;
  return fits_common_cache ? in_common_cache : out_of_cache;
}

double Model::sweep(const AxisTransform& axis, double elements, double bytes) const {
  const double wide = 1 + wide_tiles * std::log2(std::max(1.0, tuning.tile / usual_tile));
  return team_seconds() + moved(elements * bytes * axis.read_share(), elements * bytes) / sweep_share * wide * place() +
         computed(axis, elements);
}

double Model::more_of_sweep(const AxisTransform& axis, double elements, double bytes, bool short_lines) const {
  const double moves =
      (1 + axis.read_share()) * elements * bytes / machine.cache_bytes_per_s / sweep_share / tuning.threads;
  return moves * place() * (short_lines ? short_lines_cost : 1) + computed(axis, elements);
}

double Model::copy(double elements, double bytes) const {
  return team_seconds() + moved(elements * bytes, elements * bytes);
}

double Model::exchange(const Layout& from, const Layout& to, double bytes) const {
  return exchange(sent_between(*comm, from, to, bytes));
}

double Model::exchange(const Sent& all) const {
  const auto& [sent, far, others] = all;
  const ExchangeCost& near = path == Path::mpi ? machine.mpi_near : machine.stores;
  const int chunks = tuning.chunks;
  double epoch = far > 0 ? std::max(near.epoch_s, machine.mpi_far.epoch_s) : near.epoch_s;
  const double messages =
      (far * machine.mpi_far.message_s + (1 - far) * near.message_s) * others * (path == Path::stores ? 1 : chunks);
  const double encoding =
      encoded_share < 1 ? 2 / machine.codec_bytes_per_s : 0;  // and decoding, while the network works
  const double wire = far * sent * std::max(encoded_share / machine.mpi_far.bytes_per_s, encoding) +
                      (near.bytes_per_s > 0 ? (1 - far) * sent / near.bytes_per_s : 0);
  return epoch * chunks + messages + wire * (1 - hidden * (1 - 1.0 / chunks));
}

}  // namespace shardfft
