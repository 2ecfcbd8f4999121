// Counts and moves nothing, for plans that are looked at and never run.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>

#include "shardfft/error.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/comm/forked.hpp"
#include "transport/buffers.hpp"
#include "transport/dry_run.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

/// Windows in the memory that a node shares, and send and receive buffers.
struct RequiredMemory {
  Index windows = 0, buffers = 0;
};

RequiredMemory memory_of(const Comm& comm, const Traffic& traffic, bool stores_in_node) {
  const auto is_near = [&](const Message& m) { return stores_in_node && comm.node(m.peer) == comm.node(comm.rank()); };
  std::vector<Index> windows;  // by slot
  Traffic far;
  for (const Round& round : traffic.rounds) {
    Round part;
    part.chunks = round.chunks, part.slot = round.slot;
    Index near = round.inbox_bytes;
    for (const Message& m : round.in)
      if (!is_near(m)) part.in.push_back(m), part.inbox_bytes += m.bytes, near -= m.bytes;
    std::copy_if(round.out.begin(), round.out.end(), std::back_inserter(part.out),
                 [&](const Message& m) { return !is_near(m); });
    windows.resize(std::max(windows.size(), static_cast<std::size_t>(round.slot) + 1));
    Index& window = windows[static_cast<std::size_t>(round.slot)];
    window = std::max(window, near);
    far.rounds.push_back(std::move(part));
  }
  return {std::accumulate(windows.begin(), windows.end(), Index{0}),
          MessageBuffers(far, comm.rank(), /*overlap=*/true).bytes()};
}

class DryRunChannel final : public Channel {
 public:
  explicit DryRunChannel(const RequiredMemory& memory) : memory_(memory) {}
  std::string_view path_to(int) const override { return "dry_run"; }
  Index private_bytes() const override { return memory_.buffers; }
  Index shared_bytes() const override { return memory_.windows; }
  void bind(std::byte*) override {}
  std::byte* out(int, std::size_t) const override { return nullptr; }
  const std::byte* in(int, std::size_t) const override { return nullptr; }
  bool ready(int) override { refuse(); }
  void begin(int) override { refuse(); }
  void send(int, int) override { refuse(); }
  void progress(int) override { refuse(); }
  bool arrived(int) override { refuse(); }
  void wait(int) override { refuse(); }
  bool arrived(int, int) override { refuse(); }
  void wait(int, int) override { refuse(); }
  Index received(int, std::size_t) const override { refuse(); }
  void release(int) override { refuse(); }
  void start_sum(std::span<const double> mine) override { std::copy(mine.begin(), mine.end(), sum_.begin()); }
  bool summed(std::span<double> total) override {
    std::copy_n(sum_.begin(), total.size(), total.begin());
    return true;
  }

 private:
  RequiredMemory memory_;
  std::array<double, 8> sum_{};

  [[noreturn]] static void refuse() {
    throw Error(Status::invalid_argument,
                "a dry-run plan cannot run, only be looked at; make the plan on a real group of ranks, with another "
                "transport than dry_run");
  }
};

/// Copies ranks and nodes of a group. Transports that ask for its kind are told `kind_`.
struct AsIf final : CommImpl, std::enable_shared_from_this<AsIf> {
  AsIf(const Comm& comm, std::string_view as) : kind_(as) {
    rank = comm.rank(), size = comm.size();
    for (int r = 0; comm.nodes() > 1 && r < size; ++r) node_of.push_back(comm.node(r));
  }
  std::string_view kind() const override { return kind_; }
  void barrier() override {}
  void broadcast(std::span<std::byte>, int) override {}
  void allgather(std::span<const std::byte>, std::span<std::byte>) override {}
  std::shared_ptr<CommImpl> split(int) override { return shared_from_this(); }

 private:
  std::string_view kind_;
};

/// Why neither threads of one process nor processes of an MPI could have it, if they lay on nodes like these.
std::string why_not_of(const Transport& real, const Comm& comm) {
  if (comm.nodes() == 1 && real.refuses(Comm(std::make_shared<AsIf>(comm, "threads"))).empty()) return {};
  return real.refuses(Comm(std::make_shared<AsIf>(comm, "mpi")));
}

class DryRun final : public Transport {
 public:
  /// nullptr: of no transport in particular, as `mixed` where there are several nodes, else as those that store.
  explicit DryRun(const Transport* real) : real_(real) {}
  std::string_view name() const override { return real_ ? real_->name() : "dry_run"; }
  StoreReach store_reach() const override { return real_ ? real_->store_reach() : StoreReach::node; }
  bool stands_for_any() const override { return !real_; }
  bool on_device() const override { return real_ && real_->on_device(); }
  std::string refuses(const Comm& comm) const override { return real_ ? why_not_of(*real_, comm) : std::string(); }
  std::string refuses(Device& device) const override { return real_ ? real_->refuses(device) : std::string(); }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
    return std::make_unique<DryRunChannel>(memory_of(comm, traffic, store_reach() != StoreReach::none));
  }

 private:
  const Transport* real_;
};

}  // namespace

const Transport& dry_run_of(const Transport& real) {
  static ForkMutex lock;
  static std::map<const Transport*, DryRun> all;
  const std::lock_guard guard(lock);
  return looks_only(real) ? real : all.try_emplace(&real, &real).first->second;
}

bool looks_only(const Transport& transport) { return dynamic_cast<const DryRun*>(&transport) != nullptr; }

const Transport& dry_run_transport() {
  static const DryRun transport(nullptr);
  return transport;
}

}  // namespace shardfft
