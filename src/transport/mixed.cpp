#include "transport/mixed.hpp"

#include <fmt/format.h>

#include <utility>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_impl.hpp"

namespace shardfft {
namespace {

/// The half that carries a message of the whole traffic, and its number there.
struct HalfAndMessage {
  bool near = false;
  std::size_t i = 0;
};

/// Messages to and from my node (`near`, peers numbered as in the node's group) and all others (`far`).
struct Halves {
  Halves(const Comm& comm, const Traffic& traffic) : rank_on_node(static_cast<std::size_t>(comm.size()), -1) {
    const int here = comm.node(comm.rank());
    for (int r = 0, next = 0; r < comm.size(); ++r)
      if (comm.node(r) == here) rank_on_node[static_cast<std::size_t>(r)] = next++;
    near.huge_pages = traffic.huge_pages;
    for (const Round& round : traffic.rounds) {
      Round near_round, far_round;
      out.push_back(divide(round.out, near_round.out, far_round.out));
      in.push_back(divide(round.in, near_round.in, far_round.in));
      for (Round* part : {&near_round, &far_round}) {
        part->chunks = round.chunks;
        part->slot = round.slot;
        for (Message& m : part->in) m.offset = std::exchange(part->inbox_bytes, part->inbox_bytes + m.bytes);
      }
      near.rounds.push_back(std::move(near_round));
      far.rounds.push_back(std::move(far_round));
    }
  }

  Traffic near, far;
  std::vector<std::vector<HalfAndMessage>> out, in;  ///< by round, then message
  std::vector<int> rank_on_node;                     ///< -1 on other nodes

 private:
  std::vector<HalfAndMessage> divide(const std::vector<Message>& all, std::vector<Message>& near_part,
                                     std::vector<Message>& far_part) const {
    std::vector<HalfAndMessage> places;
    for (Message m : all) {
      const int local_peer = rank_on_node[static_cast<std::size_t>(m.peer)];
      auto& part = local_peer < 0 ? far_part : near_part;
      places.push_back({local_peer >= 0, part.size()});
      if (local_peer >= 0) m.peer = local_peer;
      part.push_back(m);
    }
    return places;
  }
};

class MixedChannel final : public Channel {
 public:
  MixedChannel(const Comm& comm, Halves halves, std::unique_ptr<Channel> near, std::unique_ptr<Channel> far)
      : comm_(comm), halves_(std::move(halves)), near_(std::move(near)), far_(std::move(far)) {}

  std::string_view path_to(int peer) const override {
    const int local_peer = halves_.rank_on_node[static_cast<std::size_t>(peer)];
    return local_peer < 0 ? far_->path_to(peer) : near_->path_to(local_peer);
  }
  Index private_bytes() const override { return near_->private_bytes() + far_->private_bytes(); }
  Index shared_bytes() const override { return near_->shared_bytes() + far_->shared_bytes(); }
  void bind(std::byte* memory) override {
    near_->bind(memory);
    far_->bind(memory + near_->private_bytes());
  }
  std::byte* out(int round, std::size_t i) const override {
    const HalfAndMessage place = halves_.out[static_cast<std::size_t>(round)][i];
    return (place.near ? near_ : far_)->out(round, place.i);
  }
  const std::byte* in(int round, std::size_t i) const override {
    const HalfAndMessage place = halves_.in[static_cast<std::size_t>(round)][i];
    return (place.near ? near_ : far_)->in(round, place.i);
  }

  void prepare(int round) override {
    near_->prepare(round);
    far_->prepare(round);
  }

  bool ready(int round) override {
    const bool far_ready = far_->ready(round);
    return near_->ready(round) && far_ready;
  }

  // The far half comes first where it posts receives, and where its network must be kept moving while this rank waits.
  void begin(int round) override {
    far_->begin(round);
    near_->begin(round);
  }
  void shrink(int round, std::size_t i, Index bytes) override {
    const HalfAndMessage place = halves_.out[static_cast<std::size_t>(round)][i];
    (place.near ? near_ : far_)->shrink(round, place.i, bytes);
  }
  void send(int round, int chunk) override {
    near_->send(round, chunk);
    far_->send(round, chunk);
  }
  void progress(int round) override { far_->progress(round); }
  bool arrived(int round) override {
    const bool far_arrived = far_->arrived(round);
    return near_->arrived(round) && far_arrived;
  }
  void wait(int round) override {
    far_->wait(round);
    near_->wait(round);
  }
  bool arrived(int round, int chunk) override {
    const bool far_arrived = far_->arrived(round, chunk);
    return near_->arrived(round, chunk) && far_arrived;
  }
  void wait(int round, int chunk) override {
    far_->wait(round, chunk);
    near_->wait(round, chunk);
  }
  Index received(int round, std::size_t i) const override {
    const HalfAndMessage place = halves_.in[static_cast<std::size_t>(round)][i];
    return (place.near ? near_ : far_)->received(round, place.i);
  }
  void release(int round) override {
    near_->release(round);
    far_->release(round);
  }

  void drain(int round) override {
    near_->drain(round);
    far_->drain(round);
  }

  void end(bool in_run, std::shared_ptr<const void> memory) override {
    near_->end(in_run, memory);
    far_->end(in_run, std::move(memory));
  }

  Index messages_of(int round) const override { return far_->messages_of(round); }

  // The far half knows all ranks.
  void handshake(const Comm& comm, std::byte mine, std::span<std::byte> all) override {
    far_->handshake(comm, mine, all);
  }
  void start_sum(std::span<const double> mine) override { far_->start_sum(mine); }
  bool summed(std::span<double> total) override { return far_->summed(total); }

 private:
  Comm comm_;
  Halves halves_;
  std::unique_ptr<Channel> near_, far_;
};

}  // namespace

std::string Mixed::refuses(const Comm& comm) const {
  if (comm.nodes() == 1)
    return fmt::format("serves ranks of several nodes, but the group is on one; {} does that", inside_.name());
  if (comm.nodes() == comm.size())
    return fmt::format("serves nodes of several ranks, but every rank has a node of its own; {} does that",
                       between_.name());
  return between_.refuses(comm);
}

std::unique_ptr<Channel> Mixed::open(const Comm& comm, const Traffic& traffic) const {
  Halves halves(comm, traffic);
  const int node = comm.node(comm.rank());
  const Comm neighbours = split(comm, node);
  std::unique_ptr<Channel> near;
  collectively(comm, [&] {  // collective for the neighbours only, who fail together
    try {
      near = inside_.open(neighbours, halves.near);
    } catch (const Error& e) { throw Error(e.status(), fmt::format("on node {}, {}", node, e.what())); }
  });
  auto far = between_.open(comm, halves.far);
  return std::make_unique<MixedChannel>(comm, std::move(halves), std::move(near), std::move(far));
}

}  // namespace shardfft
