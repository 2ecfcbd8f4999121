#include "device/model/device_model.hpp"

#include <algorithm>
#include <cmath>

namespace shardfft {
namespace {

constexpr double hidden = 0.5;      // share of what queues beside the plan's copy, that chunks hide at best: as on the
                                    // host; measured on no device
constexpr double no_link_cost = 2;  // of messages that cannot go that way, in times of going through the host: no plan
                                    // with it opens, so anything that is dearer

constexpr double in_cache = 0.5;  // time of a pass whose tile is in the device's cache, in those of one over its
                                  // memory: what vendors say of their caches; measured on no device

}  // namespace

DeviceWay way_of(std::string_view transport) {
  if (transport == "peer_kernel") return DeviceWay::kernel;
  if (transport == "peer_copy") return DeviceWay::copy;
  if (transport == "staged") return DeviceWay::staged;
  if (transport == "via_host") return DeviceWay::host;
  return transport == "dry_run" ? DeviceWay::any : DeviceWay::library;
}

// The last axes of an array, all of them, and the first one alone lie as the library takes them: in the caller's array
// before the sweep, and behind it where nothing is sent. Only a sweep along other axes has its boxes transposed.
DeviceModel::MoveRates DeviceModel::moves_of(std::span<const AxisTransform> axes, bool as_it_comes) const {
  const bool fast = std::any_of(axes.begin(), axes.end(), [&](const AxisTransform& a) { return a.axis == dims - 1; });
  const bool last =
      std::all_of(axes.begin(), axes.end(),
                  [&](const AxisTransform& a) { return a.axis >= dims - static_cast<int>(axes.size()); }) ||
      (axes.size() == 1 && axes.front().axis == 0);
  const bool alone = host.comm->size() == 1;
  return {.gathers = !(last && (alone || as_it_comes)),
          .scatters = !(last && alone),
          .bytes_per_s = fast ? machine.rows_bytes_per_s : machine.tiles_bytes_per_s};
}

// `bytes`: of the ranks that share the device.
double DeviceModel::in_memory(std::span<const AxisTransform> axes, double bytes, double tiles,
                              const MoveRates& moves) const {
  double seconds = 0, slowest = 0, kernels = 0;
  for (const AxisTransform& axis : axes) {
    const double pass = 2 * bytes / machine.rates(host.scalar).at(axis.n);
    seconds += pass;
    slowest = std::max(slowest, pass);
    if (is_r2r(axis.transform)) kernels += 2;  // around the library's transform
  }
  seconds += kernels * 2 * bytes / machine.rows_bytes_per_s;
  if (moves.cached) seconds = slowest + in_cache * (seconds - slowest);
  if (fused() && axes.size() == 1 && kernels == 0)
    return std::max(seconds, 2 * bytes / moves.bytes_per_s) +
           machine.launch_s;  // a pass of the library without the moves beside it
  const int moved = int{moves.gathers} + int{moves.scatters};
  seconds += moved * 2 * bytes / moves.bytes_per_s;
  if (!moves.scatters)  // else scaled on the way
    seconds += scaled_share * (moves.cached ? in_cache : 1) * 2 * bytes / machine.rows_bytes_per_s;
  return seconds + tiles * (moved + kernels + static_cast<double>(axes.size())) * machine.launch_s;
}

double DeviceModel::sweep(std::span<const AxisTransform> axes, double elements, double bytes, bool as_it_comes) const {
  double plane = bytes;
  for (const AxisTransform& axis : axes) plane *= static_cast<double>(axis.n);
  const double all = elements * bytes * sharers(),
               tiles = std::max(1.0, std::ceil(elements * bytes / std::max(tile_bytes, plane)));
  MoveRates moves = moves_of(axes, as_it_comes);
  if (!out_of_core) {
    moves.cached = plane <= tile_bytes && !fused();
    const bool by_tiles = moves.gathers || moves.scatters || (moves.cached && (axes.size() > 1 || scaled_share > 0));
    return in_memory(axes, all, by_tiles ? tiles : 1, moves) + machine.launch_s;  // few sweeps, all else being equal
  }
  // While one tile is transformed others come and leave: the slowest decides, or where few are under way, how long one
  // takes from beginning to end. At the ends each waits for the others.
  moves.gathers = moves.scatters = true;
  const double come = all / machine.to_device_bytes_per_s, leave = all / machine.from_device_bytes_per_s,
               device = in_memory(axes, all, tiles, moves);
  const double slowest = std::max({come, leave, 2 * all / machine.both_bytes_per_s, device,
                                   (come + device + leave) / static_cast<double>(host.tuning.streams)});
  return slowest + std::max(0.0, come + device + leave - slowest) / tiles;
}

double DeviceModel::copy(double elements, double bytes) const {
  return out_of_core ? host.copy(elements, bytes)
                     : 2 * elements * bytes * sharers() / machine.rows_bytes_per_s + machine.launch_s;
}

double DeviceModel::exchange(const Layout& from, const Layout& to, double bytes) const {
  return out_of_core ? host.exchange(from, to, bytes) : exchange(sent_between(*host.comm, from, to, bytes));
}

double DeviceModel::exchange(const Sent& sent) const {
  if (way != DeviceWay::any) return through(sent, way);
  const double by_host = through_host(sent);
  return host.comm->nodes() > 1 ? by_host
                                : std::min({by_host, through(sent, DeviceWay::kernel), through(sent, DeviceWay::copy)});
}

double DeviceModel::hidden_by_chunks(double seconds) const {
  return seconds * (1 - hidden * (1 - 1.0 / host.tuning.chunks));
}

// Out, over the network where it leaves the node, and in: one chunk after the other, each step at the same time as the
// others.
double DeviceModel::through_host(const Sent& sent) const {
  const bool far = sent.far_share > 0;
  const ExchangeCost& between = far ? host.machine.mpi_far : host.machine.stores;
  const double link = sent.bytes * sharers() / (machine.both_bytes_per_s / 2),
               wire = far ? sent.far_share * sent.bytes / between.bytes_per_s : 0;
  const double all = 2 * link + wire, slowest = std::max(link, wire);
  const double each = 2 * machine.launch_s;
  return all / host.tuning.chunks + slowest * (1 - 1.0 / host.tuning.chunks) +
         host.tuning.chunks * (each + between.epoch_s + sent.messages * (each + between.message_s));
}

double DeviceModel::through(const Sent& sent, DeviceWay by) const {
  if (by == DeviceWay::host) return through_host(sent);
  const int ranks = host.sharers, chunks = host.tuning.chunks;
  const double near = (1 - sent.far_share) * sent.bytes * sharers(),
               here = ranks > 1 ? near * (static_cast<double>(sharers() - 1) / (ranks - 1)) : 0, there = near - here;
  const bool linked = machine.has_peers() || there == 0;
  const double stored = linked && there > 0 ? there / machine.peer_kernel_bytes_per_s : 0,
               copied = linked && there > 0 ? there / machine.peer_copy_bytes_per_s : 0;
  const double here_copied = 2 * here / machine.rows_bytes_per_s, each = machine.launch_s;
  if (by == DeviceWay::library) {
    const ExchangeCost& mpi = sent.far_share > 0 ? host.machine.mpi_far : host.machine.mpi_near;
    const double inside = linked ? copied : 4 * there / machine.both_bytes_per_s,
                 wire = sent.far_share * sent.bytes / host.machine.mpi_far.bytes_per_s;
    return hidden_by_chunks(here_copied + inside + wire) + chunks * (mpi.epoch_s + sent.messages * mpi.message_s);
  }
  if (!linked) return no_link_cost * through_host(sent);
  if (by == DeviceWay::kernel)
    return std::max(0.0, stored - there / machine.rows_bytes_per_s) +
           chunks * each;  // the sweep has counted what it stores
  const double staged = there / machine.to_device_bytes_per_s + there / machine.from_device_bytes_per_s;
  if (by == DeviceWay::staged)
    return hidden_by_chunks(here_copied + std::max(copied, staged)) + chunks * sent.messages * 2 * each;
  return hidden_by_chunks(here_copied + copied) + chunks * sent.messages * each;
}

}  // namespace shardfft
