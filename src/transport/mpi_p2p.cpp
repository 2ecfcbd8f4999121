#include "transport/mpi_p2p.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "shardfft/error.hpp"
#include "support/comm_mpi.hpp"
#include "transport/buffers.hpp"
#include "transport/mpi_requests.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

/// Tags tell the pieces between two ranks in one round apart; MPI promises this many. Beyond it they repeat, and MPI's order of equal tags decides.
constexpr int tags = 32768;

class P2pChannel final : public Channel {
 public:
  P2pChannel(const Comm& comm, Traffic traffic, Index piece_bytes)
      : me_(comm.rank()), ranks_(comm.size()), crowded_(is_crowded(comm)), piece_bytes_(piece_bytes), traffic_(std::move(traffic)),
        buffers_(traffic_, me_), rounds_(traffic_.rounds.size()), comm_(duplicate(mpi_comm_of(comm))) {}

  P2pChannel(const P2pChannel&) = delete;
  ~P2pChannel() override {
    if (!mpi_is_running()) return;
    for (State& state : rounds_) free_requests(state);
  }

  std::string_view path_to(int) const override { return "mpi_p2p"; }
  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return 0; }

  void bind(std::byte* memory) override {
    memory_ = memory;
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      make_receives(r);
      make_sends(r);
      rounds_[r].requests.reserve();
    }
  }

  std::byte* out(int round, std::size_t i) const override { return memory_ + buffers_.out_at(static_cast<std::size_t>(round), i); }
  const std::byte* in(int round, std::size_t i) const override {
    const auto r = static_cast<std::size_t>(round);
    return memory_ + buffers_.inbox_at(r) + traffic_.rounds[r].in[i].offset;
  }

  bool ready(int) override {
    if (previous_) previous_->requests.test();
    return !previous_ || previous_->requests.idle();
  }
  void begin(int round) override {
    if (previous_) previous_->requests.finish(crowded_);  // the send buffer is everybody's
    State& state = at(round);
    previous_ = &state;
    state.chunks_sent = 0;
    start(state, 0, state.receives);
  }
  void send(int round, int chunk) override {
    State& state = at(round);
    const auto c = static_cast<std::size_t>(chunk);
    start(state, state.first_send[c], state.first_send[c + 1]);
    ++state.chunks_sent;
  }
  void progress(int round) override { at(round).requests.test(); }
  bool arrived(int round) override {
    at(round).requests.test();
    return at(round).chunks_sent == chunks(round) && at(round).requests.idle();
  }
  void wait(int round) override { at(round).requests.finish(crowded_); }
  void release(int) override {}

 private:
  struct State {
    MpiRequests requests;                 ///< receives, then sends by chunk
    std::size_t receives = 0;
    std::vector<std::size_t> first_send;  ///< by chunk, and the end
    int chunks_sent = 0;                  ///< of the current use
  };

  [[nodiscard]] State& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] int chunks(int round) const { return traffic_.rounds[static_cast<std::size_t>(round)].chunks; }

  /// Calls make(bytes, offset in the message, tag) for the pieces of a message; `next_tag` goes on from message to message of the same two ranks.
  template <class Make>
  void in_pieces(Index bytes, int& next_tag, Make make) const {
    for (Index done = 0; done < bytes; done += piece_bytes_) {
      make(static_cast<int>(std::min(piece_bytes_, bytes - done)), done, next_tag);
      next_tag = (next_tag + 1) % tags;
    }
  }

  void make_receives(std::size_t r) {
    const Round& round = traffic_.rounds[r];
    State& state = rounds_[r];
    int next_tag = 0, source = -1;
    for (std::size_t i = 0; i < round.in.size(); ++i) {
      const Message& m = round.in[i];
      if (m.peer == me_) continue;
      if (std::exchange(source, m.peer) != m.peer) next_tag = 0;
      auto* to = const_cast<std::byte*>(in(static_cast<int>(r), i));
      in_pieces(m.bytes, next_tag, [&](int bytes, Index from, int tag) {
        check_mpi(MPI_Recv_init(to + from, bytes, MPI_BYTE, m.peer, tag, comm_.get(), &state.requests.all.emplace_back()), "MPI_Recv_init");
      });
    }
    state.receives = state.requests.all.size();
  }

  /// Chunk by chunk; in each, first to the next rank, last to the one before me, so that not all ranks send to the same one.
  void make_sends(std::size_t r) {
    const Round& round = traffic_.rounds[r];
    State& state = rounds_[r];
    std::vector<int> next_tag(static_cast<std::size_t>(ranks_));
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < round.out.size(); ++i)
      if (round.out[i].peer != me_) order.push_back(i);
    const auto turn = [&](std::size_t i) { return std::pair(round.out[i].chunk, (round.out[i].peer - me_ + ranks_) % ranks_); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return turn(a) < turn(b); });
    for (const std::size_t i : order) {
      const Message& m = round.out[i];
      while (static_cast<int>(state.first_send.size()) <= m.chunk) state.first_send.push_back(state.requests.all.size());
      in_pieces(m.bytes, next_tag[static_cast<std::size_t>(m.peer)], [&](int bytes, Index from, int tag) {
        check_mpi(MPI_Send_init(out(static_cast<int>(r), i) + from, bytes, MPI_BYTE, m.peer, tag, comm_.get(), &state.requests.all.emplace_back()), "MPI_Send_init");
      });
    }
    state.first_send.resize(static_cast<std::size_t>(round.chunks) + 1, state.requests.all.size());
  }

  static void start(State& state, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {  // one by one: MPI_Startall may start them in any order
      check_mpi(MPI_Start(&state.requests.all[i]), "MPI_Start");
      state.requests.started(1);
    }
  }

  /// Receives that never came (a run broke off) are cancelled: MPI must not write to the memory any more.
  static void free_requests(State& state) {
    const bool idle = state.requests.idle();
    for (std::size_t i = 0; i < state.requests.all.size(); ++i) {
      MPI_Request& request = state.requests.all[i];
      int done = 1;
      if (!idle && i < state.receives && MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }

  int me_, ranks_;
  bool crowded_;
  Index piece_bytes_;
  Traffic traffic_;
  Buffers buffers_;
  std::vector<State> rounds_;
  MpiComm comm_;
  std::byte* memory_ = nullptr;
  State* previous_ = nullptr;  ///< the last round that began
};

}  // namespace

std::string MpiP2p::library() const {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

std::string MpiP2p::refuses(const Comm& comm) const {
  return comm.kind() == "mpi" ? std::string() : fmt::format("serves ranks of an MPI communicator, but the group is of kind {}", comm.kind());
}

std::unique_ptr<Channel> MpiP2p::open(const Comm& comm, const Traffic& traffic) const {
  return std::make_unique<P2pChannel>(comm, traffic, piece_bytes_);
}

const Transport& mpi_p2p_transport() {
  static const MpiP2p transport;
  return transport;
}

}  // namespace shardfft
