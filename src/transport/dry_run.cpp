// Counts and moves nothing, for plans that are looked at and never run.
#include <algorithm>
#include <array>

#include "shardfft/error.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

class DryRunChannel final : public Channel {
 public:
  std::string_view path_to(int) const override { return "dry_run"; }
  Index private_bytes() const override { return 0; }
  Index shared_bytes() const override { return 0; }
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
  std::array<double, 8> sum_{};

  [[noreturn]] static void refuse() {
    throw Error(Status::invalid_argument,
                "a dry-run plan cannot run, only be looked at; make the plan on a real group of ranks, with another transport than dry_run");
  }
};

struct DryRun final : Transport {
  std::string_view name() const override { return "dry_run"; }
  std::string refuses(const Comm&) const override { return {}; }
  std::unique_ptr<Channel> open(const Comm&, const Traffic&) const override { return std::make_unique<DryRunChannel>(); }
};

}  // namespace

const Transport& dry_run_transport() {
  static const DryRun transport;
  return transport;
}

}  // namespace shardfft
