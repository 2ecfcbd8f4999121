#include "planner/model.hpp"

#include <algorithm>
#include <cmath>

#include "grid/blocks.hpp"

namespace shardfft {
namespace {

constexpr int worth_listing = 1024;  // peers; beyond that, all are taken for far

struct Peers {
  double count = 0, kept = 0;  // ranks that rank 0 sends to, elements that it keeps
};

// For block layouts without looking at every peer.
Peers peers_of_first(const Layout& from, const Layout& to) {
  Peers result;
  for (const Box& box : from.boxes(0)) {
    double count = 1;
    for (int a = 0; a < box.dims(); ++a) {
      const Index n = to.global()[a], p = to.grid()[a];
      count *= static_cast<double>(blocks::owner(n, p, box.hi[a] - 1) - blocks::owner(n, p, box.lo[a]) + 1);
    }
    result.count += count;
    for (const Box& mine : to.boxes(0))
      if (const Box kept = intersect(box, mine); !kept.empty()) result.kept += static_cast<double>(kept.count());
  }
  return result;
}

double far_share(const Comm& comm, const Layout& from, const Layout& to) {
  if (comm.nodes() == 1) return 0;
  if (comm.size() > worth_listing) return 1;
  double far = 0, all = 0;
  for (const Box& box : from.boxes(0))
    for (const auto& [peer, part] : to.owners(box)) {
      const auto n = static_cast<double>(part.count());
      if (peer != 0) all += n;
      if (comm.node(peer) != comm.node(0)) far += n;
    }
  return all > 0 ? far / all : 0;
}

}  // namespace

double largest_part(const Layout& layout) {
  if (layout.spec().kind != LayoutSpec::Kind::boxes) return static_cast<double>(layout.count(0));
  Index most = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank) most = std::max(most, layout.count(rank));
  return static_cast<double>(most);
}

double axis_flops(const StageAxis& axis, double elements) {
  const double n = static_cast<double>(axis.n);
  return 5 * std::log2(std::max(n, 2.0)) * elements * (axis.transform == Transform1d::r2c || axis.transform == Transform1d::c2r ? 0.5 : 1);
}

double Model::pass(double elements, double bytes, double flops) const {
  return std::max(2 * elements * bytes / machine.memory_bytes_per_s, flops / machine.arithmetic_flops) / threads;
}

double Model::exchange(const Layout& from, const Layout& to, double bytes) const {
  const Peers peers = peers_of_first(from, to);
  const double moved = (largest_part(from) - peers.kept) * bytes;
  const double far = far_share(*comm, from, to);
  return machine.epoch_s + peers.count * (far * machine.message_s + (1 - far) * machine.near_message_s) + far * moved / machine.network_bytes_per_s;
}

}  // namespace shardfft
