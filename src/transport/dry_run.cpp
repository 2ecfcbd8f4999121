// Counts and moves nothing, for plans that are looked at and never run.
#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "shardfft/error.hpp"
#include "transport/buffers.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

/// Of a rank whose node shares memory while a network reaches the others, as the transport `mixed` has it: windows, and send and receive buffers.
struct Memory {
  Index windows = 0, buffers = 0;
};

Memory memory_of(const Comm& comm, const Traffic& traffic) {
  const auto is_near = [&](const Message& m) { return comm.node(m.peer) == comm.node(comm.rank()); };
  std::vector<Index> windows;  // by slot
  Traffic far;
  for (const Round& round : traffic.rounds) {
    Round part;
    part.chunks = round.chunks, part.slot = round.slot;
    Index near = round.inbox_bytes;
    for (const Message& m : round.in)
      if (!is_near(m)) part.in.push_back(m), part.inbox_bytes += m.bytes, near -= m.bytes;
    std::copy_if(round.out.begin(), round.out.end(), std::back_inserter(part.out), [&](const Message& m) { return !is_near(m); });
    windows.resize(std::max(windows.size(), static_cast<std::size_t>(round.slot) + 1));
    Index& window = windows[static_cast<std::size_t>(round.slot)];
    window = std::max(window, near);
    far.rounds.push_back(std::move(part));
  }
  return {std::accumulate(windows.begin(), windows.end(), Index{0}), Buffers(far, comm.rank(), /*overlap=*/true).bytes()};
}

class DryRunChannel final : public Channel {
 public:
  explicit DryRunChannel(const Memory& memory) : memory_(memory) {}
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
  Memory memory_;
  std::array<double, 8> sum_{};

  [[noreturn]] static void refuse() {
    throw Error(Status::invalid_argument,
                "a dry-run plan cannot run, only be looked at; make the plan on a real group of ranks, with another transport than dry_run");
  }
};

struct DryRun final : Transport {
  std::string_view name() const override { return "dry_run"; }
  std::string refuses(const Comm&) const override { return {}; }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override { return std::make_unique<DryRunChannel>(memory_of(comm, traffic)); }
};

}  // namespace

const Transport& dry_run_transport() {
  static const DryRun transport;
  return transport;
}

}  // namespace shardfft
