// Messages in the memory of devices over an MPI that reads and writes it: mpi_p2p, bound to that memory, behind the
// plan's queue. MPI knows nothing of queues, so a message is given to it once the device has stored it, and a place to
// receive into once the device has read what was there.
#include <mpi.h>

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "device/transport/device_deferred.hpp"
#include "device/transport/device_host.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "transport/mpi/mpi_p2p.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

class MpiDeviceChannel final : public DeferredChannel {
 public:
  MpiDeviceChannel(const Comm& group, const Traffic& all, Device& device, std::unique_ptr<Channel> p2p)
      : DeferredChannel(group, *all.on->queue, all, std::move(p2p)) {
    for (const Round& round : all.rounds) {
      auto& stored = stored_.emplace_back();
      for (int chunk = 0; chunk < round.chunks; ++chunk) stored.push_back(device.make_event());
      while (released_.size() <= static_cast<std::size_t>(round.slot)) released_.push_back(device.make_event());
      slot_.push_back(static_cast<std::size_t>(round.slot));
    }
  }
  ~MpiDeviceChannel() override { queue().finish(); }

  std::string_view path_to(int) const override { return "mpi_device"; }
  Index private_bytes() const override { return inner().private_bytes(); }
  Index shared_bytes() const override { return 0; }
  void bind(std::byte* memory) override { inner().bind(memory); }
  std::byte* out(int round, std::size_t i) const override { return inner().out(round, i); }
  const std::byte* in(int round, std::size_t i) const override { return inner().in(round, i); }
  void shrink(int round, std::size_t i, Index bytes) override { inner().shrink(round, i, bytes); }
  Index received(int round, std::size_t i) const override { return inner().received(round, i); }

 private:
  [[nodiscard]] Event& released(int round) const { return *released_[slot_[static_cast<std::size_t>(round)]]; }

  // MPI writes to the inbox from here on.
  bool may_begin(int round) override { return released(round).done(); }
  void await_begin(int round) override { help_until_done(comm(), released(round)); }
  const Event* hand_over(int round, int chunk) override {
    Event* stored = stored_[static_cast<std::size_t>(round)][static_cast<std::size_t>(chunk)].get();
    queue().record(*stored);
    return stored;
  }
  void give_back(int round) override { queue().record(released(round)); }

  std::vector<std::vector<std::unique_ptr<Event>>> stored_{};  ///< by round and chunk
  std::vector<std::unique_ptr<Event>> released_{};             ///< by slot
  std::vector<std::size_t> slot_{};                            ///< by round
};

/// Whether this MPI says that it reads and writes the memory of such devices: Open MPI and what came from it in one
/// way, MPICH and what came from it in another.
bool says_aware(std::string_view space) {
#if defined(MPIX_GPU_SUPPORT_CUDA)
  int yes = 0;
  if (space == "cuda") return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &yes) == MPI_SUCCESS && yes;
  if (space == "hip") return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &yes) == MPI_SUCCESS && yes;
#endif
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  if (space == "cuda") return MPIX_Query_cuda_support() == 1;
#endif
#if defined(MPIX_ROCM_AWARE_SUPPORT)
  if (space == "hip") return MPIX_Query_rocm_support() == 1;
#endif
  return space == "emulated";  // which is memory of the host
}

/// What SHARDFFT_GPU_AWARE_MPI says: 0, 1, or -1 when it is not set.
int forced() {
  const char* value = std::getenv("SHARDFFT_GPU_AWARE_MPI");
  if (!value || !*value) return -1;
  const std::string_view text = value;
  if (text == "0" || text == "1") return text == "1";
  throw Error(Status::invalid_argument,
              fmt::format("SHARDFFT_GPU_AWARE_MPI is 0 or 1, got '{}'; unset it to believe what the MPI says", text));
}

struct MpiDevice final : Transport {
  std::string_view name() const override { return "mpi_device"; }
  std::string library() const override { return mpi_p2p_transport().library(); }
  std::string refuses(const Comm& comm) const override { return mpi_p2p_transport().refuses(comm); }
  bool on_device() const override { return true; }
  std::string refuses(Device& device) const override {
    const int wanted = forced();
    if (wanted == 1 || (wanted < 0 && says_aware(device.space()))) return {};
    if (wanted == 0) return "SHARDFFT_GPU_AWARE_MPI=0 says that this MPI does not read the memory of devices";
    return fmt::format(
        "{} does not say that it reads the memory of {} devices; set SHARDFFT_GPU_AWARE_MPI=1 if it does, or take "
        "transport via_host",
        library(), device.space());
  }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
    const auto device = device_of(comm, traffic, *this);
    auto p2p = mpi_p2p_transport().open(comm, traffic);
    std::unique_ptr<Channel> opened;
    collectively(comm, [&] { opened = std::make_unique<MpiDeviceChannel>(comm, traffic, *device, std::move(p2p)); });
    return opened;
  }
};

}  // namespace

const Transport& mpi_device_transport() {
  static const MpiDevice transport;
  return transport;
}

}  // namespace shardfft
