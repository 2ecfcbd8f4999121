// One blocking MPI_Alltoallv per chunk (after one MPI_Alltoall of the sizes, where they vary): the plain collective,
// for comparison and as a way out. Overlap is mpi_p2p's business: Open MPI 4.1.4 was seen to hang in MPI_Ialltoallv
// with several calls under way and more ranks than cores.
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_mpi.hpp"
#include "transport/buffers.hpp"
#include "transport/mpi/mpi_members.hpp"
#include "transport/mpi/mpi_sum.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

/// MPI counts in int; in units of 64 bytes that is 128 GiB per rank.
constexpr Index unit = 64;

/// Counts and places of one chunk by peer, in units: of the send buffer, or of the receiver's inbox.
struct CountsByPeer {
  explicit CountsByPeer(int ranks)
      : counts(static_cast<std::size_t>(ranks)), places(counts), bytes(counts.size()), messages(counts.size(), none) {}
  void set(std::size_t message, const Message& m, Index at) {
    const auto peer = static_cast<std::size_t>(m.peer);
    messages[peer] = message;
    places[peer] = in_units(at);
    resize(peer, m.bytes);
  }
  void resize(std::size_t peer, Index now) {
    bytes[peer] = now;
    counts[peer] = in_units((now + unit - 1) / unit * unit);
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<int> counts, places;
  std::vector<std::int64_t> bytes;    ///< in the current run
  std::vector<std::size_t> messages;  ///< the message of the round, or none

 private:
  static int in_units(Index bytes) {
    if (bytes / unit <= std::numeric_limits<int>::max()) return static_cast<int>(bytes / unit);
    throw Error(
        Status::unsupported,
        fmt::format(
            "mpi_alltoallv: reaches at most {} bytes per rank, but one message lies at or has {} bytes; use mpi_p2p",
            unit * std::numeric_limits<int>::max(), bytes));
  }
};

class AlltoallvChannel final : public Channel {
 public:
  AlltoallvChannel(const Comm& comm, Traffic traffic)
      : me_(comm.rank()),
        ranks_(comm.size()),
        traffic_(std::move(traffic)),
        buffers_(traffic_, me_, /*overlap=*/false),
        rounds_(traffic_.rounds.size()),
        comm_(duplicate(mpi_comm_of(comm))),
        comm_of_sums_(duplicate(mpi_comm_of(comm))),
        members_("mpi_alltoallv", comm, comm_.get()) {
    collectively(comm, [&] {
      MPI_Datatype type = MPI_DATATYPE_NULL;
      check_mpi(MPI_Type_contiguous(static_cast<int>(unit), MPI_BYTE, &type), "MPI_Type_contiguous");
      type_ = MpiDatatype(type);
      check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
      for (std::size_t r = 0; r < rounds_.size(); ++r) describe(r);
    });
    learn_who_varies();
  }
  AlltoallvChannel(const AlltoallvChannel&) = delete;
  ~AlltoallvChannel() override { end(/*in_run=*/false, {}); }

  // A run goes on to its end once it was started. Where one broke off, others may hang in MPI's own call for good.
  void end(bool in_run, std::shared_ptr<const void>) override {
    if (std::exchange(ended_, true) || !mpi_is_running()) return;
    const bool failed = in_run || rounds_in_use_ > 0 || !sum_.settle();
    try {
      members_.leave(!failed);
      if (!failed) return members_.close(std::move(comm_));
    } catch (const Error&) {}
    comm_.forget();
    comm_of_sums_.forget();
  }

  void handshake(const Comm&, std::byte mine, std::span<std::byte> all) override { members_.handshake(mine, all); }

  std::string_view path_to(int) const override { return "mpi_alltoallv"; }
  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return 0; }
  void bind(std::byte* memory) override { memory_ = memory; }
  std::byte* out(int round, std::size_t i) const override {
    return memory_ + buffers_.out_at(static_cast<std::size_t>(round), i);
  }
  const std::byte* in(int round, std::size_t i) const override {
    return inbox(round) + traffic_.rounds[static_cast<std::size_t>(round)].in[i].offset;
  }

  bool ready(int) override { return true; }
  void begin(int round) override {
    ++rounds_in_use_;
    const auto& out = traffic_.rounds[static_cast<std::size_t>(round)].out;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i].varies) shrink(round, i, out[i].bytes);
  }
  void shrink(int round, std::size_t i, Index bytes) override {
    const Message& m = traffic_.rounds[static_cast<std::size_t>(round)].out[i];
    at(round).to[static_cast<std::size_t>(m.chunk)].resize(static_cast<std::size_t>(m.peer), bytes);
  }
  void send(int round, int chunk) override {
    AlltoallvRound& state = at(round);
    CountsByPeer &to = state.to[static_cast<std::size_t>(chunk)], &from = state.from[static_cast<std::size_t>(chunk)];
    if (state.varies[static_cast<std::size_t>(chunk)]) tell_sizes(state, to, from);
    check_mpi(MPI_Alltoallv(memory_, counts_of(to), to.places.data(), type_.get(), inbox(round), counts_of(from),
                            from.places.data(), type_.get(), comm_.get()),
              "MPI_Alltoallv");
    state.chunks_done = chunk + 1;
  }
  void progress(int) override {}
  bool arrived(int round) override {
    return arrived(round, traffic_.rounds[static_cast<std::size_t>(round)].chunks - 1);
  }
  void wait(int) override {}
  bool arrived(int round, int chunk) override { return at(round).chunks_done > chunk; }
  void wait(int, int) override {}
  Index received(int round, std::size_t i) const override {
    return rounds_[static_cast<std::size_t>(round)].received[i];
  }
  void release(int round) override {
    --rounds_in_use_;
    at(round).chunks_done = 0;
  }
  bool interleaves() const override { return false; }

  void start_sum(std::span<const double> mine) override { sum_.start(comm_of_sums_.get(), mine); }
  bool summed(std::span<double> total) override { return sum_.done(total); }

 private:
  struct AlltoallvRound {
    std::vector<CountsByPeer> to, from;  ///< by chunk
    std::vector<std::int64_t> received;  ///< by message in
    std::vector<char> varies;            ///< by chunk: whether a message of any two ranks does
    int chunks_done = 0;                 ///< of the current use
  };

  [[nodiscard]] AlltoallvRound& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] std::byte* inbox(int round) const {
    return memory_ + buffers_.inbox_at(static_cast<std::size_t>(round));
  }

  /// Bytes to oneself are in the inbox already; their size is told like every other.
  const int* counts_of(CountsByPeer& part) {
    part.counts[static_cast<std::size_t>(me_)] = 0;
    return part.counts.data();
  }

  /// The counts go ahead of the messages.
  void tell_sizes(AlltoallvRound& state, const CountsByPeer& to, CountsByPeer& from) {
    check_mpi(MPI_Alltoall(to.bytes.data(), 1, MPI_INT64_T, from.bytes.data(), 1, MPI_INT64_T, comm_.get()),
              "MPI_Alltoall");
    for (std::size_t peer = 0; peer < from.messages.size(); ++peer) {
      if (from.messages[peer] == CountsByPeer::none) continue;
      from.resize(peer, from.bytes[peer]);
      state.received[from.messages[peer]] = from.bytes[peer];
    }
  }

  void describe(std::size_t r) {
    const Round& round = traffic_.rounds[r];
    AlltoallvRound& state = rounds_[r];
    const auto chunks = static_cast<std::size_t>(round.chunks);
    state.to.assign(chunks, CountsByPeer(ranks_));
    state.from.assign(chunks, CountsByPeer(ranks_));
    state.varies.assign(chunks, 0);
    for (std::size_t i = 0; i < round.out.size(); ++i) {
      const Message& m = round.out[i];
      state.to[static_cast<std::size_t>(m.chunk)].set(i, m, m.peer == me_ ? 0 : buffers_.out_at(r, i));
      if (m.varies) state.varies[static_cast<std::size_t>(m.chunk)] = 1;
    }
    for (std::size_t i = 0; i < round.in.size(); ++i) {
      const Message& m = round.in[i];
      state.from[static_cast<std::size_t>(m.chunk)].set(i, m, m.peer == me_ ? 0 : m.offset);
      state.received.push_back(m.bytes);
    }
  }

  /// Everybody takes part in telling sizes, or nobody.
  void learn_who_varies() {
    for (AlltoallvRound& state : rounds_)
      check_mpi(MPI_Allreduce(MPI_IN_PLACE, state.varies.data(), static_cast<int>(state.varies.size()), MPI_CHAR,
                              MPI_MAX, comm_.get()),
                "MPI_Allreduce");
  }

  int me_, ranks_;
  Traffic traffic_;
  MessageBuffers buffers_;
  std::vector<AlltoallvRound> rounds_;
  MpiComm comm_, comm_of_sums_;  ///< one each: ranks begin sums and exchanges in any order
  MpiMembers members_;
  MpiDatatype type_;
  MpiSum sum_;
  int rounds_in_use_ = 0;  ///< begun and not released
  bool ended_ = false;
  std::byte* memory_ = nullptr;
};

struct Alltoallv final : Transport {
  std::string_view name() const override { return "mpi_alltoallv"; }
  std::string refuses(const Comm& comm) const override {
    return comm.kind() == "mpi"
               ? std::string()
               : fmt::format("serves ranks of an MPI communicator, but the group is of kind {}", comm.kind());
  }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
    return std::make_unique<AlltoallvChannel>(comm, traffic);
  }
};

}  // namespace

const Transport& mpi_alltoallv_transport() {
  static const Alltoallv transport;
  return transport;
}

}  // namespace shardfft
