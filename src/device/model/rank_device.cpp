// This rank's device as the planner sees it: what its model decides and expects, if it was measured.
#include <algorithm>
#include <array>

#include "device/model/device_file.hpp"
#include "device/model/device_model.hpp"
#include "device/model/measure_device.hpp"
#include "device/sweep/device_sweep.hpp"
#include "device/sweep/out_of_core/out_of_core_sweep.hpp"
#include "planner/decide/rank_device.hpp"
#include "planner/decide/recipe.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

constexpr std::array worth_trying{1, 2, 4, 8};  // chunks

double element_bytes(const Recipe& r) { return 2 * static_cast<double>(size_of(r.problem.scalar)); }

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
                    : r.encoding.codec                  ? r.tuning.chunks
                                                        : 0;  // encoded messages have more to hide than the model knows
  for (const int chunks : worth_trying) {
    model.host.tuning.chunks = given > 0 ? given : chunks;
    const double seconds = model.exchange(all_to_all(r, *model.host.comm));
    if (chunks == worth_trying.front() || seconds < best.seconds) best = {&t, model.host.tuning.chunks, seconds};
  }
  return best;
}

struct OwnQueue {
  std::unique_ptr<Queue> queue{};
  DeviceContext on{};
};

class DeviceOfRank final : public RankDevice {
 public:
  explicit DeviceOfRank(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  std::string_view space() const override { return device_->space(); }
  int number() const override { return device_->number(); }
  std::string name() const override { return device_->facts().name; }
  const std::shared_ptr<Device>& device() const override { return device_; }
  std::shared_ptr<const DeviceContext> make_context() const override {
    auto own = std::make_shared<OwnQueue>();
    own->queue = device_->make_queue();
    own->on = {device_.get(), own->queue.get()};
    return {own, &own->on};
  }

  // Every rank must plan with the same number of bytes.
  void know(const Comm& comm, const std::string& name) override {
    free_bytes_ = static_cast<std::size_t>(-all_max(comm, -static_cast<std::int64_t>(device_->facts().free_bytes)));
    machine_ = known_device(comm, *device_, name);
  }
  std::string measure(const Comm& comm) override {
    machine_ = measure_device(comm, machine_, device_);
    return comm.rank() == 0 ? keep_measured(machine_, *device_) : std::string();
  }
  bool is_measured() const override { return machine_.measured; }
  std::vector<std::pair<std::string, double>> numbers() const override {
    std::vector<std::pair<std::string, double>> all;
    if (machine_.measured)
      for_each_device_number(machine_,
                             [&](const std::string& name, const double& number) { all.emplace_back(name, number); });
    return all;
  }
  std::string times() const override { return machine_.measured ? to_string(machine_) : std::string(); }

  // The tiles of two passes are short beside the time to start and to end a kernel: two queues hide that. Not measured.
  int streams(const Recipe& r) const override {
    const ExpertOptions& given = r.choices.options.expert;
    if (given.streams > 0) return given.streams;
    if (!r.holder()) return usual_streams;
    return (given.fuse < 0 ? usual_fuse(r) : given.fuse) == 2 && takes_two_passes(r) ? 2 : 1;
  }

  // Arrays that it holds need work memory beside them, and no more. Those of the host need some tiles there, and most
  // of them in pinned memory of the host, too, for each rank; and tiles that are short beside the array, for one comes
  // while another one leaves: that is as fast over a link that carries both directions at once, in far less memory.
  Index room(const Recipe& r, const Comm& comm) const override {
    const auto free = static_cast<Index>(free_bytes_);
    if (r.holder()) return free / 2;
    constexpr Index usual = Index{512} << 20;
    const Index most = free / (2 * tiles_on_device(r.tuning.streams)) / ranks_on_first_node(comm);
    return r.choices.options.expert.fuse < 0 ? std::min(most, usual) : most;
  }

  bool takes_two_passes(const Recipe& r) const override {
    if (!r.holder() || machine_.cache_bytes <= 0 || r.problem.axes.size() < 3) return false;
    const auto& axes = r.problem.axes;
    double plane = element_bytes(r), volume = plane;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto n = static_cast<double>(r.problem.spectrum[axes[axes.size() - 1 - i]]);
      volume *= n;
      if (i < 2) plane *= n;
    }
    return plane <= tile_bytes(r) && tile_bytes(r) < volume;
  }

  std::unique_ptr<DeviceCosts> costs(const Recipe& r, const Model& host) const override {
    return machine_.measured ? std::make_unique<ModelCosts>(model_of(r, host)) : nullptr;
  }

  void choose_ways(Recipe& r, const Model& host) const override {
    if (!machine_.measured || !r.holder() || host.comm->size() == 1) return;
    std::vector<PricedTransport> ways;
    for (const Transport* t : r.transports) ways.push_back(best_way(r, model_of(r, host), *t));
    const auto named =
        ways.begin() + int{ways.front().transport->name() ==
                           r.choices.options.expert.transport};  // by the user, or by wisdom; it stays the first one
    std::stable_sort(named, ways.end(),
                     [](const PricedTransport& a, const PricedTransport& b) { return a.seconds < b.seconds; });
    std::transform(ways.begin(), ways.end(), r.transports.begin(),
                   [](const PricedTransport& way) { return way.transport; });
    r.tuning.chunks = ways.front().chunks;
  }

 private:
  [[nodiscard]] double tile_bytes(const Recipe& r) const {
    if (r.tuning.tile > 0)
      return static_cast<double>(r.tuning.tile) * static_cast<double>(r.problem.spectrum[r.problem.axes.back()]) *
             element_bytes(r);
    return static_cast<double>(r.holder() ? device_tile_bytes(static_cast<std::size_t>(machine_.cache_bytes))
                                          : out_of_core_tile_bytes(free_bytes_, r.tuning.streams));
  }

  [[nodiscard]] DeviceModel model_of(const Recipe& r, const Model& host) const {
    DeviceModel m{.machine = machine_, .host = host, .out_of_core = !r.holder()};
    m.way = way_of(r.transports.front()->name());
    m.dims = r.problem.dims() + int{r.split.has_value()};
    m.tile_bytes = tile_bytes(r);
    m.scaled_share = 0.5 * (int{r.problem.scale(true) != 1} + int{r.problem.scale(false) != 1});
    return m;
  }

  std::shared_ptr<Device> device_;
  DeviceMachine machine_{};     // as rank 0 knows this kind of device
  std::size_t free_bytes_ = 0;  // of the fullest device
};

}  // namespace

std::shared_ptr<RankDevice> find_rank_device(std::string_view name, int rank_on_node) {
  return std::make_shared<DeviceOfRank>(find_device(name, rank_on_node));
}

}  // namespace shardfft
