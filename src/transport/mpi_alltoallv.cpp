// One blocking MPI_Alltoallv per chunk: the plain collective, for comparison and as a way out. Overlap is mpi_p2p's business: Open MPI 4.1.4 was seen to
// hang in MPI_Ialltoallv with several calls under way and more ranks than cores.
#include <fmt/format.h>

#include <limits>

#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "support/comm_mpi.hpp"
#include "transport/buffers.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

/// MPI counts in int; in units of 64 bytes that is 128 GiB per rank.
constexpr Index unit = 64;

/// Counts and places of one chunk by peer, in units: of the send buffer, or of the receiver's inbox.
struct Part {
  explicit Part(int ranks) : counts(static_cast<std::size_t>(ranks)), places(static_cast<std::size_t>(ranks)) {}
  void set(int peer, Index bytes, Index at) {
    counts[static_cast<std::size_t>(peer)] = in_units(bytes);
    places[static_cast<std::size_t>(peer)] = in_units(at);
  }
  std::vector<int> counts, places;

 private:
  static int in_units(Index bytes) {
    if (bytes / unit <= std::numeric_limits<int>::max()) return static_cast<int>(bytes / unit);
    throw Error(Status::unsupported, fmt::format("mpi_alltoallv: reaches at most {} bytes per rank, but one message lies at or has {} bytes; use mpi_p2p",
                                                 unit * std::numeric_limits<int>::max(), bytes));
  }
};

class AlltoallvChannel final : public Channel {
 public:
  AlltoallvChannel(const Comm& comm, Traffic traffic)
      : me_(comm.rank()), ranks_(comm.size()), traffic_(std::move(traffic)), buffers_(traffic_, me_),
        rounds_(traffic_.rounds.size()), comm_(duplicate(mpi_comm_of(comm))) {
    collectively(comm, [&] {
      MPI_Datatype type = MPI_DATATYPE_NULL;
      check_mpi(MPI_Type_contiguous(static_cast<int>(unit), MPI_BYTE, &type), "MPI_Type_contiguous");
      type_ = MpiDatatype(type);
      check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
      for (std::size_t r = 0; r < rounds_.size(); ++r) describe(r);
    });
  }
  AlltoallvChannel(const AlltoallvChannel&) = delete;

  std::string_view path_to(int) const override { return "mpi_alltoallv"; }
  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return 0; }
  void bind(std::byte* memory) override { memory_ = memory; }
  std::byte* out(int round, std::size_t i) const override { return memory_ + buffers_.out_at(static_cast<std::size_t>(round), i); }
  const std::byte* in(int round, std::size_t i) const override { return inbox(round) + traffic_.rounds[static_cast<std::size_t>(round)].in[i].offset; }

  bool ready(int) override { return true; }
  void begin(int) override {}
  void send(int round, int chunk) override {
    const State& state = at(round);
    const Part &to = state.to[static_cast<std::size_t>(chunk)], &from = state.from[static_cast<std::size_t>(chunk)];
    check_mpi(MPI_Alltoallv(memory_, to.counts.data(), to.places.data(), type_.get(), inbox(round), from.counts.data(), from.places.data(),
                            type_.get(), comm_.get()),
              "MPI_Alltoallv");
    at(round).arrived = chunk + 1 == traffic_.rounds[static_cast<std::size_t>(round)].chunks;
  }
  void progress(int) override {}
  bool arrived(int round) override { return at(round).arrived; }
  void wait(int) override {}
  void release(int round) override { at(round).arrived = false; }
  bool interleaves() const override { return false; }

 private:
  struct State {
    std::vector<Part> to, from;  ///< by chunk
    bool arrived = false;        ///< the last chunk of the current use
  };

  [[nodiscard]] State& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] std::byte* inbox(int round) const { return memory_ + buffers_.inbox_at(static_cast<std::size_t>(round)); }

  void describe(std::size_t r) {
    const Round& round = traffic_.rounds[r];
    State& state = rounds_[r];
    const auto chunks = static_cast<std::size_t>(round.chunks);
    state.to.assign(chunks, Part(ranks_));
    state.from.assign(chunks, Part(ranks_));
    for (std::size_t i = 0; i < round.out.size(); ++i)
      if (const Message& m = round.out[i]; m.peer != me_) state.to[static_cast<std::size_t>(m.chunk)].set(m.peer, m.bytes, buffers_.out_at(r, i));
    for (const Message& m : round.in)
      if (m.peer != me_) state.from[static_cast<std::size_t>(m.chunk)].set(m.peer, m.bytes, m.offset);
  }

  int me_, ranks_;
  Traffic traffic_;
  Buffers buffers_;
  std::vector<State> rounds_;
  MpiComm comm_;
  MpiDatatype type_;
  std::byte* memory_ = nullptr;
};

struct Alltoallv final : Transport {
  std::string_view name() const override { return "mpi_alltoallv"; }
  std::string refuses(const Comm& comm) const override {
    return comm.kind() == "mpi" ? std::string() : fmt::format("serves ranks of an MPI communicator, but the group is of kind {}", comm.kind());
  }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override { return std::make_unique<AlltoallvChannel>(comm, traffic); }
};

}  // namespace

const Transport& mpi_alltoallv_transport() {
  static const Alltoallv transport;
  return transport;
}

}  // namespace shardfft
