// The seam between what must move and how it moves. Transports see bytes: no boxes, scalars or codecs.
//
// A plan opens one Channel for all exchanges ("rounds") that it can ever run. In each round every rank has an *inbox*,
// a block of memory that its peers fill, message by message. Where a writer and the reader share memory, the writer is
// given the address inside the reader's inbox; elsewhere it is given a place in a send buffer and the bytes are sent.
// Either way the sweep that produces the data stores it once, at `out()`, and the sweep that consumes it reads it once,
// at `in()`.
//
// Life of a round, the same calls on every rank, also on ranks with nothing to send:
//
//   begin(r) ; store chunk 0 ; send(r, 0) ; store chunk 1 ; send(r, 1) ... ; wait(r) ; read the inbox ; release(r)
//
// or, chunk by chunk, wait(r, 0) ; read chunk 0 ; wait(r, 1) ; read chunk 1 ... ; wait(r) ; release(r): the last wait
// is for what this rank sends, which nobody would help along once the run is over.
//
// `begin(r + 1)` comes before `release(r)`, because one sweep reads round r and writes round r + 1. Rounds with the
// same slot share memory: begin() waits until the readers of the slot's previous round have released it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

class Device;
struct DeviceContext;

/// Bytes for or from one peer in one chunk of a round; contiguous. `offset` counts from the start of this rank's inbox
/// (`in`), or is unused (`out`): where an outgoing message is stored is the channel's business. Multiples of 64 bytes.
struct Message {
  int peer = 0;
  int chunk = 0;
  Index offset = 0;
  Index bytes = 0;
  bool varies = false;  ///< `bytes` is the most it can have; what it has is said with shrink() in every run; the same
                        ///< at both ends
  friend bool operator==(const Message&, const Message&) = default;
};

/// One exchange as this rank sees it. `out` is sorted by (chunk, peer), `in` by (peer, chunk); messages to oneself are
/// listed in both. At most one message per (peer, chunk); no message is empty. The i-th message from a to b in `out` of
/// a (by chunk) is the i-th from a in `in` of b.
struct Round {
  std::vector<Message> out, in;
  Index inbox_bytes = 0;  ///< this rank's inbox
  int chunks = 1;         ///< the same on all ranks
  int slot = 0;           ///< rounds with the same slot share inbox memory; the same on all ranks
};

/// Everything that a plan may move. Rounds 0..E-1 belong to forward, E..2E-1 to backward; each run uses one of the two
/// in order.
struct Traffic {
  std::vector<Round> rounds;
  Index array_bytes = 0;  ///< of each array that ranks want to share with all others (see Channel::take_array); the
                          ///< same on all ranks; 0: none
  bool huge_pages =
      false;  ///< what ranks of a node share is put into huge pages when it is taken, where the system can
  bool peers_store = false;  ///< other ranks store at out(), too: each slot has memory of its own there
  /// The device and queue of transports with on_device() (device/transport/device_control.hpp); nullptr: messages are
  /// in memory of the host.
  std::shared_ptr<const DeviceContext> on{};
};

/// Memory for the caller that the peers read and write where it is. Only where the memory of all ranks is shared.
class PeerArrays {
 public:
  virtual ~PeerArrays() = default;
  /// Known after opening.
  [[nodiscard]] virtual bool has_arrays() const { return false; }
  /// One of a few arrays, Traffic::array_bytes of zeros, aligned to a page; nullptr when none is left. It may outlive
  /// the channel. Not collective.
  [[nodiscard]] virtual std::shared_ptr<std::byte> take_array() { return nullptr; }
  /// Which array starts at this address: 1 to 8; 0 when none does.
  [[nodiscard]] virtual int array_number(const void*) const { return 0; }
  /// Bytes from an array of this rank to the array with the same number of `peer`.
  [[nodiscard]] virtual Index array_distance(int) const { return 0; }
};

/// Sums over all ranks while a run goes on.
class Reductions {
 public:
  virtual ~Reductions() = default;
  /// Once in a run at a time: start_sum() by every rank, then summed() until it is true; `total`
  /// holds as many numbers, at most 8. Neither waits. The bits may differ from rank to rank.
  virtual void start_sum(std::span<const double> mine) = 0;
  [[nodiscard]] virtual bool summed(std::span<double> total) = 0;
};

/// Opened traffic. Not thread-safe: one thread of a rank calls it.
class Channel : public PeerArrays, public Reductions {
 public:
  /// Name of the transport that serves messages to and from `peer` ("shared_memory"; a mixed channel answers by peer).
  [[nodiscard]] virtual std::string_view path_to(int peer) const = 0;
  /// Bytes of this rank's memory that the caller must provide through bind() before the first round (send and receive
  /// buffers); memory that peers see is allocated by the channel itself and counted in shared_bytes().
  [[nodiscard]] virtual Index private_bytes() const = 0;
  [[nodiscard]] virtual Index shared_bytes() const = 0;
  /// `memory`: private_bytes() bytes, aligned to 64, living as long as the channel. Called once, not collective.
  virtual void bind(std::byte* memory) = 0;

  /// The place to store message `i` of rounds[round].out. Aligned to 64; valid from bind() to the channel's end.
  [[nodiscard]] virtual std::byte* out(int round, std::size_t i) const = 0;
  /// Whether out() is on another device: what is stored there should not be read back.
  [[nodiscard]] virtual bool is_far(int, std::size_t) const { return false; }
  /// The place where message `i` of rounds[round].in arrives. Aligned and valid as out().
  [[nodiscard]] virtual const std::byte* in(int round, std::size_t i) const = 0;

  /// This run will use the inbox of `round`: takes its memory, the first time. Before handshake(), for peers may write
  /// there as soon as that has returned.
  virtual void prepare(int) {}
  /// Collective: what every rank says, by rank. The first thing of every run: what a rank did before is seen by all
  /// after it. Inside a node no message is sent. Nobody says 254: transports keep it for a rank that leaves.
  virtual void handshake(const Comm& comm, std::byte mine, std::span<std::byte> all) {
    comm.allgather(std::span<const std::byte>(&mine, 1), all);
  }

  /// True when begin(round) will not wait: several plans may be under way, and a rank that waited in one of them could
  /// hold up another one for ever.
  [[nodiscard]] virtual bool ready(int round) = 0;
  virtual void begin(int round) = 0;  ///< may wait for the slot's readers; posts receives
  /// Message `i` of rounds[round].out, which varies, holds so many bytes this time, 0 to all; before its chunk is sent.
  /// Unsaid, all are sent.
  virtual void shrink(int, std::size_t, Index) {}
  virtual void send(int round, int chunk) = 0;  ///< every out message of `chunk` is stored; does not wait
  virtual void progress(int round) = 0;  ///< helps the network along; called every ~20 us while a sweep runs; must be
                                         ///< cheap, so a transport may ask its network at longer intervals
  /// True when every message in has arrived and may be read, and every out message has left its memory. Does not wait.
  [[nodiscard]] virtual bool arrived(int round) = 0;
  virtual void wait(int round) = 0;  ///< until arrived(); throws Error(transport_failed) when a peer is gone
  /// arrived() and wait() for the incoming messages of chunks 0 .. chunk only; outgoing ones do not matter.
  [[nodiscard]] virtual bool arrived(int round, int chunk) = 0;
  virtual void wait(int round, int chunk) = 0;
  /// Once it has arrived: bytes of message `i` of rounds[round].in that the peer sent, where the transport knows; else
  /// all that it can have.
  [[nodiscard]] virtual Index received(int round, std::size_t i) const = 0;
  virtual void release(int round) = 0;  ///< this rank has read its inbox of `round`
  /// Until every reader of `round` has released it. ready() says whether this will wait.
  virtual void drain(int) {}

  /// This rank runs no more, and the others are told. Waits for none, or a moment at most; the first call counts.
  /// `in_run`: this rank gives up a run that it has begun; between two rounds a channel cannot tell. `memory` owns that
  /// of bind(), and is kept for as long as messages read or write it.
  virtual void end(bool in_run, std::shared_ptr<const void> memory) { (void)in_run, (void)memory; }

  /// Incoming messages of chunks 0 .. chunk that have not arrived, in the current use of `round`; none from this rank.
  /// For reports of ranks that stall, as unread(): a channel that does not know returns nothing.
  [[nodiscard]] virtual std::vector<Message> missing(int /*round*/, int /*chunk*/) const { return {}; }
  /// Ranks for which begin(round) waits: they have not read what was sent before.
  [[nodiscard]] virtual std::vector<int> unread(int) const { return {}; }

  /// How many messages this rank sends to other nodes in a round, where it is not one for each of Traffic's; else -1.
  [[nodiscard]] virtual Index messages_of(int) const { return -1; }

  /// False when send() waits for the other ranks: then a run goes on to its end once it was started, in the order in
  /// which runs are started.
  [[nodiscard]] virtual bool interleaves() const { return true; }
};

/// Between which ranks a writer stores into the reader's memory; between others messages are sent.
enum class StoreReach { none, node, all };

/// Moves bytes between ranks.
struct Transport {
  virtual ~Transport() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;  ///< as on the command line and in wisdom files: "mpi_p2p"
  /// Name and version of the library that moves the bytes, as in wisdom files: "Open MPI v4.1.4"; empty without one.
  [[nodiscard]] virtual std::string library() const { return {}; }
  /// Empty when it can serve `comm`; else the reason, one line for people. Local, cheap, no side effects.
  [[nodiscard]] virtual std::string refuses(const Comm& comm) const = 0;
  [[nodiscard]] virtual StoreReach store_reach() const { return StoreReach::none; }
  /// It moves nothing, and stands for whichever ranks that run would choose.
  [[nodiscard]] virtual bool stands_for_any() const { return false; }
  /// Whether it moves messages in the memory of devices; the others move those in host memory.
  [[nodiscard]] virtual bool on_device() const { return false; }
  /// What refuses() says, for this device. Local.
  [[nodiscard]] virtual std::string refuses(Device&) const { return {}; }
  /// Collective. Empty when what open() needs was seen to work on these ranks, else why not, the same text on all
  /// ranks; for those who would rather know before.
  [[nodiscard]] virtual std::string probe(const Comm&) const { return {}; }
  /// Serves where open() of this one, asked for by name, finds that it cannot. nullptr: that is an error then. One that
  /// has a substitute is not chosen unless it was asked for or measured.
  [[nodiscard]] virtual const Transport* fallback() const { return nullptr; }
  /// Collective. Throws the same Error on all ranks (after undoing what it did) when it cannot, for example because
  /// /dev/shm is full.
  [[nodiscard]] virtual std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const = 0;
};

/// All transports that were compiled in, best first. The only place that knows which.
[[nodiscard]] std::span<const Transport* const> transports();
/// nullptr when there is none of that name.
[[nodiscard]] const Transport* find_transport(std::string_view name);

}  // namespace shardfft
