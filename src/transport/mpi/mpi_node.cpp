#include "transport/mpi/mpi_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/backoff.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/comm/comm_mpi.hpp"
#include "support/memory/round_up.hpp"
#include "transport/missing.hpp"
#include "transport/mpi/mpi_requests.hpp"
#include "transport/node_messages.hpp"
#include "transport/registered.hpp"
#include "transport/shared/shared_segment.hpp"

namespace shardfft {
namespace {

/// A message of this rank, and where the node shares it.
struct Placed {
  std::byte* at = nullptr;
  std::int64_t* size = nullptr;  ///< of one that varies, in the region's table
  Index most = 0;
  int chunk = 0;
};

/// A region of which this rank is the courier, in the order of its messages in the traffic of couriers.
struct Carried {
  const NodeRegion* region = nullptr;
  std::byte* at = nullptr;
};

/// How far a round is in its current use.
struct Progress {
  int chunks = 1;
  int sent = 0, forwarded = 0, delivered = 0;
  bool is_over = true;
  std::vector<Placed> out{}, in{};
  std::vector<Carried> carried_out{}, carried_in{};
};

class NodeChannel final : public Channel, public MpiChore {
 public:
  NodeChannel(const Comm& comm, const Comm& neighbours, const Traffic& traffic, NodeMessages messages,
              const Transport& inside, std::unique_ptr<Channel> cross)
      : crowded_(is_crowded(comm)),
        comm_(comm),
        watch_("mpi_node", comm),
        messages_(std::move(messages)),
        cross_(std::move(cross)) {
    const int node = comm.node(comm.rank());
    collectively(comm, [&] {  // collective for the neighbours only, who fail together
      try {
        memory_ = make_shared_segments(neighbours, {.inbox = std::max<Index>(cross_->private_bytes(), cache_line)},
                                       [](std::byte*) {})
                      .inboxes;
        gather_ = inside.open(neighbours, messages_.to_couriers());
        scatter_ = inside.open(neighbours, messages_.from_couriers());
      } catch (const Error& e) { throw Error(e.status(), fmt::format("on node {}, {}", node, e.what())); }
    });
    cross_->bind(memory_->of(neighbours.rank()).data());
    for (const Round& round : traffic.rounds) rounds_.emplace_back().chunks = round.chunks;
    place(comm.rank(), neighbours, traffic);
    begin_help();
  }

  NodeChannel(const NodeChannel&) = delete;
  ~NodeChannel() override { end(/*in_run=*/false, {}); }

  std::string_view path_to(int) const override { return "mpi_node"; }
  Index private_bytes() const override { return 0; }
  Index shared_bytes() const override {
    return cross_->private_bytes() + gather_->shared_bytes() + scatter_->shared_bytes();
  }
  void bind(std::byte*) override {}
  std::byte* out(int round, std::size_t i) const override { return at(round).out[i].at; }
  const std::byte* in(int round, std::size_t i) const override { return at(round).in[i].at; }

  void handshake(const Comm& comm, std::byte mine, std::span<std::byte> all) override {
    take_over();
    cross_->handshake(comm, mine, all);
  }

  bool ready(int round) override {
    take_over();
    move_on();
    return is_free(round);
  }
  void begin(int round) override {
    take_over();
    wait_until([&] { return is_free(round); }, [&] { return holding_up(round); });
    for (Channel* channel : {gather_.get(), scatter_.get(), cross_.get()}) channel->begin(round);
    Progress& progress = at(round);
    progress.sent = progress.forwarded = progress.delivered = 0;
    progress.is_over = false;
    for (const Placed& message : progress.out)
      if (message.size) *message.size = message.most;
    previous_ = std::exchange(current_, round);
  }
  void shrink(int round, std::size_t i, Index bytes) override { *at(round).out[i].size = bytes; }
  void send(int round, int chunk) override {
    take_over();
    gather_->send(round, chunk);
    ++at(round).sent;
    move_on();
  }
  void progress(int round) override {
    move_on();
    cross_->progress(round);
  }
  void help() override { move_on(); }
  bool arrived(int round) override {
    take_over();
    move_on();
    return is_done(round);
  }
  void wait(int round) override {
    take_over();
    wait_until([&] { return is_done(round); }, [&] { return owing(round); });
  }
  bool arrived(int round, int chunk) override {
    take_over();
    move_on();
    return scatter_->arrived(round, chunk);
  }
  void wait(int round, int chunk) override {
    take_over();
    wait_until([&] { return scatter_->arrived(round, chunk); }, [&] { return owing(round, chunk); });
  }
  Index received(int round, std::size_t i) const override {
    const Placed& message = at(round).in[i];
    return message.size ? *message.size : message.most;
  }
  void release(int round) override {
    scatter_->release(round);
    cross_->release(round);
  }

  Index messages_of(int round) const override { return std::ssize(at(round).carried_out); }

  void start_sum(std::span<const double> mine) override { cross_->start_sum(mine); }
  bool summed(std::span<double> total) override {
    move_on();
    return cross_->summed(total);
  }

  void end(bool in_run, std::shared_ptr<const void> memory) override {
    end_help();
    gather_->end(in_run, {});
    scatter_->end(in_run, {});
    cross_->end(in_run, std::make_shared<std::pair<std::shared_ptr<Segments>, std::shared_ptr<const void>>>(
                            memory_, std::move(memory)));
  }

 private:
  [[nodiscard]] Progress& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] const Progress& at(int round) const { return rounds_[static_cast<std::size_t>(round)]; }

  /// Nobody looks after more than two rounds.
  [[nodiscard]] bool is_free(int round) {
    return (previous_ < 0 || at(previous_).is_over) && gather_->ready(round) && scatter_->ready(round) &&
           cross_->ready(round);
  }
  /// All that came is here, and what this rank carries has left.
  [[nodiscard]] bool is_done(int round) {
    const Progress& progress = at(round);
    return progress.is_over && progress.sent == progress.chunks && scatter_->arrived(round);
  }

  template <class Done, class Owing>
  void wait_until(Done done, const Owing& owing) {
    Backoff backoff(crowded_);
    Stall stall(watch_);
    for (move_on(); !done(); stall.look(backoff.pause(), owing)) help_all();
  }

  /// Whose messages of chunks 0 .. chunk are missing: of couriers on other nodes, or on this one.
  [[nodiscard]] std::vector<Owed> owing(int round, int chunk) const {
    std::vector<Owed> all = owed(cross_->missing(round, chunk), round);
    for (const Message& m : scatter_->missing(round, chunk))
      for (const NodeRegion& region : messages_.in())
        if (region.round == round && region.chunk == m.chunk && region.courier == rank_of(m.peer))
          all.push_back({region.courier, fmt::format("brings chunk {} of exchange {} from node {}", m.chunk, round,
                                                     comm_.node(region.far_courier))});
    return all;
  }
  /// Adds neighbours whose messages of the round this rank is to send.
  [[nodiscard]] std::vector<Owed> owing(int round) const {
    std::vector<Owed> all = owing(round, at(round).chunks - 1);
    for (const Message& m : gather_->missing(round, at(round).chunks - 1))
      all.push_back({rank_of(m.peer), fmt::format("has not stored chunk {} of exchange {}", m.chunk, round)});
    return all;
  }
  /// Why is_free(round) is false.
  [[nodiscard]] std::vector<Owed> holding_up(int round) const {
    if (previous_ >= 0 && !at(previous_).is_over) return owing(previous_);
    std::vector<Owed> all = owed(cross_->unread(round));
    for (const Channel* channel : {gather_.get(), scatter_.get()})
      for (const Owed& o : owed(channel->unread(round))) all.push_back({rank_of(o.rank), o.what});
    return all;
  }
  [[nodiscard]] int rank_of(int neighbour) const { return messages_.ranks_here()[static_cast<std::size_t>(neighbour)]; }

  /// Sends what the neighbours have stored, and tells the readers what has come.
  void move_on() {
    for (const int round : {previous_, current_}) {
      if (round < 0 || at(round).is_over) continue;
      Progress& now = at(round);
      const bool is_first = round != current_ || previous_ < 0 || previous_ == current_;
      if (is_first || at(previous_).forwarded == at(previous_).chunks) forward(round, now);
      deliver(round, now);
      if (now.forwarded < now.chunks || now.delivered < now.chunks || !cross_->arrived(round)) continue;
      gather_->release(round);
      now.is_over = true;
    }
  }
  void forward(int round, Progress& now) {
    for (; now.forwarded < now.chunks && gather_->arrived(round, now.forwarded); ++now.forwarded) {
      for (std::size_t i = 0; i < now.carried_out.size(); ++i)
        if (const Carried& c = now.carried_out[i]; c.region->varies && c.region->chunk == now.forwarded)
          cross_->shrink(round, i, pull_together(c));
      cross_->send(round, now.forwarded);
    }
  }
  void deliver(int round, Progress& now) {
    for (; now.delivered < now.chunks && cross_->arrived(round, now.delivered); ++now.delivered) {
      for (const Carried& c : now.carried_in)
        if (c.region->varies && c.region->chunk == now.delivered) put_apart(c);
      scatter_->send(round, now.delivered);
    }
  }

  [[nodiscard]] static Index now_of(const Carried& c, const NodePiece& piece) {
    if (piece.size_at < 0) return piece.bytes;
    return std::clamp<Index>(reinterpret_cast<const std::int64_t*>(c.at)[piece.size_at], 0, piece.bytes);
  }
  /// Moves pieces towards the table, without what they do not use. Returns the bytes of all.
  [[nodiscard]] static Index pull_together(const Carried& c) {
    Index to = c.region->pieces.front().at;
    for (const NodePiece& piece : c.region->pieces) {
      const Index bytes = now_of(c, piece);
      if (to != piece.at) std::memmove(c.at + to, c.at + piece.at, static_cast<std::size_t>(bytes));
      to += bytes;
    }
    return to;
  }
  /// The reverse.
  static void put_apart(const Carried& c) {
    Index from = c.region->pieces.front().at;
    for (const NodePiece& piece : c.region->pieces) from += now_of(c, piece);
    for (std::size_t i = c.region->pieces.size(); i-- > 0;) {
      const NodePiece& piece = c.region->pieces[i];
      const Index bytes = now_of(c, piece);
      from -= bytes;
      if (from != piece.at) std::memmove(c.at + piece.at, c.at + from, static_cast<std::size_t>(bytes));
    }
  }

  /// Collective for the neighbours: where couriers keep their regions.
  void place(int me, const Comm& neighbours, const Traffic& traffic) {
    std::vector<std::int64_t> mine;
    const std::byte* const base = memory_->of(neighbours.rank()).data();
    const Traffic carried = messages_.between_couriers();
    const auto places = [&](const std::vector<NodeRegion>& regions, bool outgoing) {
      for (const NodeRegion& region : regions) {
        if (region.courier != me) continue;
        const Round& round = carried.rounds[static_cast<std::size_t>(region.round)];
        const auto& list = outgoing ? round.out : round.in;
        const auto i = static_cast<std::size_t>(
            std::ranges::find_if(
                list, [&](const Message& m) { return m.peer == region.far_courier && m.chunk == region.chunk; }) -
            list.begin());
        const std::byte* const place = outgoing ? cross_->out(region.round, i) : cross_->in(region.round, i);
        mine.push_back(place - base);
        auto& all = outgoing ? at(region.round).carried_out : at(region.round).carried_in;
        all.resize(list.size());
        all[i] = {&region, const_cast<std::byte*>(place)};
      }
    };
    places(messages_.out(), true);
    places(messages_.in(), false);
    const auto lists = lists_of_all(neighbours, mine);
    std::vector<std::size_t> next(lists.size());
    find(me, lists, next, traffic, true);
    find(me, lists, next, traffic, false);
  }
  /// Every courier has listed its regions in the order in which all ranks know them.
  void find(int me, const std::vector<std::vector<std::int64_t>>& lists, std::vector<std::size_t>& next,
            const Traffic& traffic, bool outgoing) {
    for (std::size_t r = 0; r < traffic.rounds.size(); ++r)
      (outgoing ? rounds_[r].out : rounds_[r].in)
          .resize((outgoing ? traffic.rounds[r].out : traffic.rounds[r].in).size());
    for (const NodeRegion& region : outgoing ? messages_.out() : messages_.in()) {
      const auto courier = static_cast<std::size_t>(std::ranges::lower_bound(messages_.ranks_here(), region.courier) -
                                                    messages_.ranks_here().begin());
      std::byte* const start = memory_->of(static_cast<int>(courier)).data() + lists[courier][next[courier]++];
      const auto r = static_cast<std::size_t>(region.round);
      const auto& list = outgoing ? traffic.rounds[r].out : traffic.rounds[r].in;
      for (const NodePiece& piece : region.pieces) {
        if ((outgoing ? piece.from : piece.to) != me) continue;
        const int peer = outgoing ? piece.to : piece.from;
        const auto i = static_cast<std::size_t>(
            std::ranges::find_if(list, [&](const Message& m) { return m.peer == peer && m.chunk == region.chunk; }) -
            list.begin());
        (outgoing ? rounds_[r].out : rounds_[r].in)[i] = {
            start + piece.at, piece.size_at < 0 ? nullptr : reinterpret_cast<std::int64_t*>(start) + piece.size_at,
            piece.bytes, region.chunk};
      }
    }
  }

  bool crowded_;
  Comm comm_;
  StallWatch watch_;
  NodeMessages messages_;
  std::unique_ptr<Channel> cross_, gather_{}, scatter_{};
  std::shared_ptr<Segments> memory_{};  ///< that of the traffic of couriers
  std::vector<Progress> rounds_{};
  int previous_ = -1, current_ = -1;  ///< the last rounds that began
};

}  // namespace

std::unique_ptr<Channel> MpiNode::open(const Comm& comm, const Traffic& traffic) const {
  const Comm neighbours = split(comm, comm.node(comm.rank()));
  NodeMessages messages(comm, neighbours, traffic);
  auto cross = cross_.open(comm, messages.between_couriers());
  return std::make_unique<NodeChannel>(comm, neighbours, traffic, std::move(messages), inside_, std::move(cross));
}

const Transport& mpi_node_transport() {
  static const MpiNode transport(shared_memory_transport(), mpi_p2p_transport());
  return transport;
}

}  // namespace shardfft
