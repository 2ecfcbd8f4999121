// The two ends of a sweep in a run: where it reads, and where it writes. What is exact, encoded or narrow differs here.
#pragma once

#include <memory>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/message_ends.hpp"
#include "transport/transport.hpp"

namespace shardfft {

class ErrorControl;

/// The caller's array: always there.
class ReadEnd {
 public:
  virtual ~ReadEnd() = default;
  virtual void begin() {}  ///< a run begins
  /// Whether all that `chunk` reads is known to be here, and may be read.
  [[nodiscard]] virtual bool has(int) const { return true; }
  /// Whether it has come by now; with `block` it has when this returns. Encoded messages are opened.
  [[nodiscard]] virtual bool comes(int, bool) { return true; }
  [[nodiscard]] virtual bool has_all() const { return true; }
  virtual void check() {}  ///< after a sweep: throws Error(transport_failed) where a message could not be decoded
  /// Whether the exchange has ended on this rank; then its writers may write again.
  [[nodiscard]] virtual bool release(bool) { return true; }
  [[nodiscard]] virtual int round() const { return -1; }
};

/// The caller's array: always writable.
class WriteEnd {
 public:
  virtual ~WriteEnd() = default;
  [[nodiscard]] virtual bool ready() { return true; }  ///< begin() will not wait
  virtual void begin() {}
  virtual void send(int) {}  ///< `chunk` of the sweep is stored
  [[nodiscard]] virtual int round() const { return -1; }
};

/// Messages of a round of the channel, before a sweep.
class Inbox : public ReadEnd {
 public:
  /// `needs`: by chunk of the sweep, the last chunk of the round that it reads.
  Inbox(Channel& channel, int round, std::vector<int> needs)
      : channel_(channel), round_(round), needs_(std::move(needs)) {}
  void begin() override { came_ = 0; }
  bool has(int chunk) const override { return came_ >= wanted(chunk); }
  bool comes(int chunk, bool block) override;
  bool has_all() const override { return came_ > needs_.back(); }
  bool release(bool block) override;
  int round() const override { return round_; }

 protected:
  virtual void open(int) {}  ///< a chunk of the round
  Channel& channel_;
  int round_;

 private:
  [[nodiscard]] int wanted(int chunk) const { return needs_[static_cast<std::size_t>(chunk)] + 1; }
  std::vector<int> needs_;
  int came_ = 0;  ///< chunks of the round, in this run
};

class EncodedInbox final : public Inbox {
 public:
  EncodedInbox(Channel& channel, int round, std::vector<int> needs, MessageReader& reader)
      : Inbox(channel, round, std::move(needs)), reader_(reader) {}
  void check() override { reader_.check(); }

 private:
  void open(int chunk) override {
    reader_.open(chunk, [&](std::size_t number) { return channel_.received(round_, number); });
  }
  MessageReader& reader_;
};

/// Messages of a round of the channel, behind a sweep.
class Outbox : public WriteEnd {
 public:
  /// `sends`: by chunk of the sweep, how many chunks of the round are complete with it.
  Outbox(Channel& channel, int round, std::vector<int> sends)
      : channel_(channel), round_(round), sends_(std::move(sends)) {}
  bool ready() override { return channel_.ready(round_); }
  void begin() override { channel_.begin(round_); }
  void send(int chunk) override;
  int round() const override { return round_; }

 protected:
  virtual void seal(int) {}  ///< a chunk of the round, before it is sent
  Channel& channel_;
  int round_;

 private:
  std::vector<int> sends_;
};

class EncodedOutbox final : public Outbox {
 public:
  EncodedOutbox(Channel& channel, int round, std::vector<int> sends, MessageWriter& writer)
      : Outbox(channel, round, std::move(sends)), writer_(writer) {}

 private:
  void seal(int chunk) override {
    writer_.seal(chunk, [&](std::size_t number, Index bytes) { channel_.shrink(round_, number, bytes); });
  }
  MessageWriter& writer_;
};

/// Sends numbers in a storage format, except in runs that may lose nothing.
class NarrowOutbox final : public Outbox {
 public:
  NarrowOutbox(Channel& channel, int round, std::vector<int> sends, const Exchange& exchange,
               const ErrorControl& errors)
      : Outbox(channel, round, std::move(sends)), exchange_(exchange), errors_(errors) {}

 private:
  void seal(int chunk) override;
  const Exchange& exchange_;
  const ErrorControl& errors_;
};

}  // namespace shardfft
