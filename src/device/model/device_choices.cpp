#include "device/model/device_choices.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "device/sweep/device_sweep.hpp"
#include "device/sweep/out_of_core/out_of_core_sweep.hpp"

namespace shardfft {
namespace {

constexpr std::array worth_trying{1, 2, 4, 8};  // chunks

double element_bytes(const Recipe& r) { return 2 * static_cast<double>(size_of(r.problem.scalar)); }

double tile_bytes(const Recipe& r) {
  if (r.tile > 0)
    return static_cast<double>(r.tile) * static_cast<double>(r.problem.spectrum[r.problem.axes.back()]) *
           element_bytes(r);
  return static_cast<double>(r.holder() ? device_tile_bytes(static_cast<std::size_t>(r.device_machine.cache_bytes))
                                        : out_of_core_tile_bytes(r.device_free_bytes, r.streams));
}

// Every rank has as much for every other one.
Sent all_to_all(const Recipe& r, const Comm& comm) {
  const double ranks = comm.size(), others = ranks - 1;
  return {.bytes = static_cast<double>(product(r.problem.spectrum)) * element_bytes(r) / ranks * others / ranks,
          .far_share = (ranks - ranks_on_first_node(comm)) / others,
          .messages = others};
}

struct PricedTransport {
  const Transport* transport = nullptr;
  int chunks = 1;
  double seconds = 0;
};

PricedTransport best_way(const Recipe& r, DeviceModel model, const Transport& t) {
  PricedTransport best{.transport = &t};
  model.way = way_of(t.name());
  const int given = r.choices.options.expert.chunks > 0 ? r.choices.options.expert.chunks
                    : r.encoding.codec                  ? r.chunks
                                                        : 0;  // encoded messages have more to hide than the model knows
  for (const int chunks : worth_trying) {
    model.host.chunks = given > 0 ? given : chunks;
    const double seconds = model.exchange(all_to_all(r, *model.host.comm));
    if (chunks == worth_trying.front() || seconds < best.seconds) best = {&t, model.host.chunks, seconds};
  }
  return best;
}

std::string label_of(const Stage& stage) {
  std::string text = stage.axes.size() == 1 ? "sweep axis" : "sweep axes";
  for (const AxisTransform& axis : stage.axes) text += fmt::format(" {}", axis.axis);
  return text;
}

}  // namespace

// What a second queue does for arrays that a device holds was measured on none.
int streams_of(const Options& options) {
  if (options.expert.streams > 0) return options.expert.streams;
  return options.arrays == "host" ? usual_streams : 1;
}

// Arrays that it holds need work memory beside them, and no more. Those of the host need some tiles there, and most of
// them in pinned memory of the host, too, for each rank; and tiles that are short beside the array, for one comes while
// another one leaves: that is as fast over a link that carries both directions at once, in far less memory.
Index room_on_device(const Recipe& r, const Comm& comm) {
  const auto free = static_cast<Index>(r.device_free_bytes);
  if (r.holder()) return free / 2;
  constexpr Index usual = Index{512} << 20;
  const Index most = free / (2 * tiles_on_device(r.streams)) / ranks_on_first_node(comm);
  return r.choices.options.expert.fuse < 0 ? std::min(most, usual) : most;
}

bool takes_two_passes(const Recipe& r) {
  if (!r.holder() || r.device_machine.cache_bytes <= 0 || r.problem.axes.size() < 3) return false;
  const auto& axes = r.problem.axes;
  double plane = element_bytes(r), volume = plane;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto n = static_cast<double>(r.problem.spectrum[axes[axes.size() - 1 - i]]);
    volume *= n;
    if (i < 2) plane *= n;
  }
  return plane <= tile_bytes(r) && tile_bytes(r) < volume;
}

bool has_device_model(const Recipe& r) { return r.device && r.device_machine.measured; }

DeviceModel device_model_of(const Recipe& r, const Model& host) {
  DeviceModel m{.machine = r.device_machine, .host = host, .out_of_core = !r.holder(), .fused = r.fused};
  m.way = way_of(r.transports.front()->name());
  if (r.streams > 0) m.streams = r.streams;
  m.dims = r.problem.dims() + int{r.split.has_value()};
  m.tile_bytes = tile_bytes(r);
  m.scaled_share = 0.5 * (int{r.problem.scale(true) != 1} + int{r.problem.scale(false) != 1});
  return m;
}

void choose_ways(Recipe& r, const Model& host) {
  if (!has_device_model(r) || !r.holder() || host.comm->size() == 1) return;
  std::vector<PricedTransport> ways;
  for (const Transport* t : r.transports) ways.push_back(best_way(r, device_model_of(r, host), *t));
  const auto named =
      ways.begin() + int{ways.front().transport->name() ==
                         r.choices.options.expert.transport};  // by the user, or by wisdom; it stays the first one
  std::stable_sort(named, ways.end(),
                   [](const PricedTransport& a, const PricedTransport& b) { return a.seconds < b.seconds; });
  std::transform(ways.begin(), ways.end(), r.transports.begin(),
                 [](const PricedTransport& way) { return way.transport; });
  r.chunks = ways.front().chunks;
}

std::vector<ExpectedStep> expected_steps(const Decomposition& d, const DeviceModel& model, double bytes) {
  std::vector<ExpectedStep> steps;
  const auto exchange = [&](const Layout& from, const Layout& to) {
    if (!from.same_owners(to)) steps.push_back({"exchange", model.exchange(from, to, bytes)});
  };
  const auto copy = [&](const Layout& layout) { steps.push_back({"copy", model.copy(largest_part(layout), bytes)}); };
  const bool enters = d.space.same_owners(d.stages.front().in), leaves = d.stages.back().out.same_owners(d.spectrum);
  if (!enters) copy(d.space);
  exchange(d.space, d.stages.front().in);
  for (std::size_t i = 0; i < d.stages.size(); ++i) {
    const Stage& stage = d.stages[i];
    if (i > 0) exchange(d.stages[i - 1].out, stage.out);
    steps.push_back({label_of(stage), model.sweep(stage.axes, largest_part(stage.out), bytes, i == 0 && enters)});
  }
  exchange(d.stages.back().out, d.spectrum);
  if (!leaves) copy(d.spectrum);
  return steps;
}

}  // namespace shardfft
