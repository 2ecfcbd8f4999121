// One round of messages through MPI, point to point: its requests, and how far they are in the current use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "transport/arrivals.hpp"
#include "transport/cut_messages.hpp"
#include "transport/mpi/mpi_requests.hpp"

namespace shardfft {

/// Whose turn it is to send is the channel's business; so is to ask MPI about the requests.
class P2pRound {
 public:
  P2pRound(const Round& round, int me) : arrivals(round, me), sizes(round, me), round_(&round) {}

  Arrivals arrivals;
  MessageSizes sizes;
  MpiRequests receives{}, heads{}, sends{};

  /// Makes the requests of round `number` of a channel, which knows where messages lie.
  void bind(const Channel& channel, int number, MPI_Comm comm, const CutMessages& cut) {
    comm_ = comm;
    make_receives(channel, number, cut);
    make_sends(channel, number, cut);
    for (MpiRequests* requests : {&receives, &heads, &sends}) requests->reserve();
  }

  /// A new use: receives what comes without a head.
  void begin() {
    next_send_ = end_of_sends_ = 0;
    chunks_sent_ = 0;
    arrivals.begin();
    sizes.begin(arrivals);
    heads.start();
    heads_closed_ = awaited_.size();
    heads_came_ = 0;
    for (AwaitedHead& head : awaited_) head.came = head.opened = false;
    for (const std::size_t i : headless_) receives.start(i);
  }
  [[nodiscard]] bool is_done() const { return chunks_sent_ == round_->chunks && arrivals.all_here() && all_sent(); }
  /// Whether everything was received. Messages to slower ranks may still be on their way.
  [[nodiscard]] bool has_all() const { return receives.idle() && heads.idle(); }

  // --- what is sent ---

  /// Pieces of this chunk wait for their turn.
  void hand_over(int chunk) { end_of_sends_ = first_send_[static_cast<std::size_t>(chunk) + 1]; }
  /// Its messages to this rank itself are there.
  void handed_over(int chunk) {
    arrivals.sent(chunk);
    ++chunks_sent_;
  }
  [[nodiscard]] bool has_handed_over() const { return next_send_ == end_of_sends_; }
  [[nodiscard]] bool all_sent() const { return has_handed_over() && sends.idle(); }
  /// The piece whose turn it is.
  [[nodiscard]] const Message& next_message() const { return round_->out[sent_[next_send_].message]; }
  [[nodiscard]] Index next_bytes() const {
    const MessagePiece& piece = sent_[next_send_];
    return next_message().varies && piece.number >= 0
               ? std::clamp<Index>(sizes.of(piece.message) - piece.from, 0, piece.bytes)
               : piece.bytes;
  }
  void skip_next() { ++next_send_; }
  /// `counted`: what was_sent() says of it.
  void send_next(Index bytes, Index counted) {
    counted_[next_send_] = counted;
    send(next_send_++, bytes);
  }
  [[nodiscard]] Index was_sent(std::size_t request) const { return counted_[request]; }

  // --- what is received ---

  void head_came(std::size_t request) {
    awaited_[request].came = true;
    ++heads_came_;
  }
  [[nodiscard]] bool has_closed_heads() const { return heads_closed_ > 0; }
  /// Those of a rank are opened in the order in which they were sent, in one round and from round to round: tags of
  /// pieces repeat. MPI matches them in that order, but may say of a later one first that it is here.
  void open_heads() {
    for (std::size_t h = 0; heads_came_ > 0 && h < awaited_.size(); ++h) {
      const AwaitedHead& head = awaited_[h];
      if (head.came && !head.opened && (head.before == h || awaited_[head.before].opened)) receive_pieces(h);
    }
  }
  void came(std::size_t request, const MPI_Status& status) {
    const std::size_t message = received_[request].message;
    const Message& m = round_->in[message];
    if (m.varies) {
      int bytes = 0;
      check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
      arrivals.add(message, bytes);
    }
    arrivals.came(m.chunk);
  }

  // --- what is late ---

  /// Messages in of chunks 0 .. chunk that are not complete; one may be there several times.
  [[nodiscard]] std::vector<Message> missing(int chunk) const {
    std::vector<Message> late;
    const auto add = [&](std::size_t message) {
      if (round_->in[message].chunk <= chunk) late.push_back(round_->in[message]);
    };
    for (const AwaitedHead& head : awaited_)
      if (!head.opened) add(head.message);
    for (std::size_t i = 0; i < received_.size(); ++i)
      if (receives.is_active(i)) add(received_[i].message);
    return late;
  }
  /// Messages out that MPI could not deliver so far.
  [[nodiscard]] std::vector<Message> untaken() const {
    std::vector<Message> late;
    for (std::size_t i = 0; i < sent_.size(); ++i)
      if (sends.is_active(i)) late.push_back(round_->out[sent_[i].message]);
    return late;
  }

 private:
  struct AwaitedHead : MessageHead {
    bool came = false, opened = false;  ///< in the current use
  };

  void make_receives(const Channel& channel, int number, const CutMessages& cut) {
    PiecesIn in = cut.received(*round_);
    received_ = std::move(in.pieces);
    for (const MessageHead& head : in.heads) awaited_.push_back({head});
    for (std::size_t i = 0; i < received_.size(); ++i) {
      const MessagePiece& piece = received_[i];
      const Message& m = round_->in[piece.message];
      auto* to = const_cast<std::byte*>(channel.in(number, piece.message)) + piece.from;
      check_mpi(MPI_Recv_init(to, piece.bytes, MPI_BYTE, m.peer, piece.tag, comm_, &receives.all.emplace_back()),
                "MPI_Recv_init");
      arrivals.await(m.chunk);
      if (!cut.has_head(m)) headless_.push_back(i);
    }
    told_.resize(awaited_.size());
    for (std::size_t h = 0; h < awaited_.size(); ++h)
      check_mpi(MPI_Recv_init(&told_[h], 1, MPI_INT64_T, round_->in[awaited_[h].message].peer, cut.tag_of_heads(),
                              comm_, &heads.all.emplace_back()),
                "MPI_Recv_init");
  }

  void make_sends(const Channel& channel, int number, const CutMessages& cut) {
    sent_ = cut.sent(*round_);
    said_.resize(round_->out.size());
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      const MessagePiece& piece = sent_[i];
      const Message& m = round_->out[piece.message];
      while (static_cast<int>(first_send_.size()) <= m.chunk) first_send_.push_back(i);
      from_.push_back(piece.number < 0 ? static_cast<const void*>(&said_[piece.message])
                                       : channel.out(number, piece.message) + piece.from);
      MPI_Request& request = sends.all.emplace_back(MPI_REQUEST_NULL);
      if (!m.varies)
        check_mpi(MPI_Send_init(from_[i], piece.bytes, MPI_BYTE, m.peer, piece.tag, comm_, &request), "MPI_Send_init");
    }
    first_send_.resize(static_cast<std::size_t>(round_->chunks) + 1, sent_.size());
    counted_.resize(sent_.size());
  }

  /// What varies is a request of its own in every run: the receiver has asked for the most that it can be, and learns
  /// from MPI what it is.
  void send(std::size_t i, Index bytes) {
    const MessagePiece& piece = sent_[i];
    const Message& m = round_->out[piece.message];
    if (!m.varies) return sends.start(i);
    if (piece.number < 0) said_[piece.message] = sizes.of(piece.message);
    check_mpi(MPI_Isend(from_[i], static_cast<int>(bytes), MPI_BYTE, m.peer, piece.tag, comm_, &sends.all[i]),
              "MPI_Isend");
    sends.started(i);
  }

  void receive_pieces(std::size_t head) {
    --heads_closed_;
    --heads_came_;
    awaited_[head].opened = true;
    const std::size_t message = awaited_[head].message;
    for (std::size_t i = awaited_[head].first_piece; i < received_.size() && received_[i].message == message; ++i) {
      if (received_[i].from < told_[head])
        receives.start(i);
      else
        arrivals.came(round_->in[message].chunk);
    }
  }

  const Round* round_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<MessagePiece> received_{}, sent_{};  ///< of each request; by chunk
  std::vector<std::size_t> headless_{};            ///< of `receives`: those of messages without a head
  std::vector<AwaitedHead> awaited_{};             ///< of each request of `heads`; by chunk
  std::vector<std::int64_t> told_{},
      said_{};                             ///< by heads: how long messages in, and by messages out: how long they are
  std::vector<const void*> from_{};        ///< of each piece that is sent
  std::vector<std::size_t> first_send_{};  ///< by chunk, and the end
  std::vector<Index> counted_{};           ///< of each piece that is sent
  std::size_t heads_closed_ = 0;           ///< of the current use: those whose pieces are not asked for yet
  std::size_t heads_came_ = 0;             ///< of these: those that are here
  int chunks_sent_ = 0;                    ///< of the current use
  std::size_t next_send_ = 0, end_of_sends_ = 0;  ///< pieces that wait for their turn
};

}  // namespace shardfft
