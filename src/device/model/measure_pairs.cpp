// What goes from one memory to another: the table of pairs of Nandapalan, Jaros et al. 2012, "Implementation of 3D FFTs
// across multiple GPUs in shared memory environments", Table I.
#include <algorithm>
#include <span>

#include "device/model/measuring.hpp"
#include "planner/decide/rank_device.hpp"

namespace shardfft {
namespace {

constexpr const char* of_pairs = "measuring pairs of devices";

/// A device with two arrays, as much pinned memory, and a queue for each of its streams. A stream has its share of the
/// arrays.
class PairEnd {
 public:
  PairEnd(const std::shared_ptr<Device>& device, std::size_t share, int streams)
      : device_(device),
        share_(share),
        source_(device, bytes(streams), of_pairs),
        target_(device, bytes(streams), of_pairs),
        pinned_(device, bytes(streams), of_pairs, MemoryKind::pinned),
        rows_(swapped_rows(*device, share, usual_row)) {
    std::fill_n(pinned_.data(), pinned_.bytes(), std::byte{0});
    for (int s = 0; s < streams; ++s) {
      streams_.push_back({device->make_queue(), device->make_event(), device->make_event()});
      queue(s).zero(source(s), share);
      queue(s).zero(target(s), share);
      queue(s).synchronize();
    }
  }
  ~PairEnd() {
    for (const Stream& s : streams_) s.queue->finish();
  }
  PairEnd(const PairEnd&) = delete;
  PairEnd& operator=(const PairEnd&) = delete;

  [[nodiscard]] Queue& queue(int s) const { return *at(s).queue; }
  [[nodiscard]] std::byte* source(int s) const { return part(source_, s); }
  [[nodiscard]] std::byte* target(int s) const { return part(target_, s); }
  [[nodiscard]] std::byte* pinned(int s) const { return part(pinned_, s); }

  void copy_to(const PairEnd& other, int s) const { queue(s).copy(other.target(s), source(s), share_); }
  void store_to(const PairEnd& other, int s) const { queue(s).move(*rows_, from_to(source(s), other.target(s)), 1); }
  void leave(int s) const {
    queue(s).copy(pinned(s), source(s), share_);
    queue(s).record(*at(s).left);
  }
  /// What has left the other one.
  void take_from(const PairEnd& other, int s) const {
    queue(s).wait(*other.at(s).left);
    queue(s).copy(target(s), other.pinned(s), share_);
  }
  void take_from_host(const DeviceMemory& host, int s) const { queue(s).copy(target(s), part(host, s), share_); }

  /// All streams but `first` wait for `begin`; the other way round, that one waits for them.
  void begin_after(const Event& begin, const Queue& first) const {
    for (const Stream& s : streams_)
      if (s.queue.get() != &first) s.queue->wait(begin);
  }
  void end_before(Queue& first) const {
    for (const Stream& s : streams_) {
      if (s.queue.get() == &first) continue;
      s.queue->record(*s.ended);
      first.wait(*s.ended);
    }
  }

 private:
  struct Stream {
    std::unique_ptr<Queue> queue;
    std::unique_ptr<Event> left, ended;
  };
  [[nodiscard]] const Stream& at(int s) const { return streams_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] std::size_t bytes(int streams) const { return share_ * static_cast<std::size_t>(streams); }
  [[nodiscard]] std::byte* part(const DeviceMemory& memory, int s) const { return memory.data() + bytes(s); }

  std::shared_ptr<Device> device_;
  std::size_t share_;
  DeviceMemory source_, target_, pinned_;
  std::unique_ptr<MoveList> rows_;
  std::vector<Stream> streams_{};
};

/// The ends that take part; asks each stream, and takes the time of all on the clock of the first end.
class Clocked {
 public:
  Clocked(Device& first, std::vector<const PairEnd*> ends, int streams)
      : ends_(std::move(ends)),
        streams_(streams),
        before_(first.make_timed_event()),
        after_(first.make_timed_event()) {}

  template <class Ask>
  [[nodiscard]] double seconds_of(Ask ask) const {
    Queue& first = ends_.front()->queue(0);
    return best_of([&] {
      first.record(*before_);
      for (const PairEnd* end : ends_) end->begin_after(*before_, first);
      for (int s = 0; s < streams_; ++s) ask(s);
      for (const PairEnd* end : ends_) end->end_before(first);
      first.record(*after_);
      after_->synchronize();
      return std::max(least_s, after_->seconds_since(*before_));
    });
  }

 private:
  std::vector<const PairEnd*> ends_;
  int streams_;
  std::unique_ptr<Event> before_, after_;
};

std::size_t share_of(const Device& device, int streams) {
  constexpr std::size_t unit = measured_element * usual_row * 64;
  return std::max(unit, measured_bytes(device.facts()) / static_cast<std::size_t>(streams) / unit * unit);
}

class PairMeasuring {
 public:
  PairMeasuring(std::vector<PairRates>& rows, std::size_t share, int streams)
      : rows_(rows), bytes_(static_cast<double>(share) * streams), share_(share), streams_(streams) {}

  void with_host(const std::shared_ptr<Device>& device) {
    const PairEnd end(device, share_, streams_);
    const DeviceMemory host(device, share_ * static_cast<std::size_t>(streams_), of_pairs, MemoryKind::pinned);
    std::fill_n(host.data(), host.bytes(), std::byte{0});
    const Clocked clock(*device, {&end}, streams_);
    const auto leave = [&](int s) { end.leave(s); };
    const auto come = [&](int s) { end.take_from_host(host, s); };
    const auto both = [&](int s) {  // the second stream in the other order, so both directions are busy
      s % 2 == 0 ? (leave(s), come(s)) : (come(s), leave(s));
    };
    note(device->number(), -1, "copy", clock.seconds_of(leave), clock.seconds_of(come), clock.seconds_of(both));
  }

  void with_device(const std::shared_ptr<Device>& one, const std::shared_ptr<Device>& other) {
    const PairEnd a(one, share_, streams_), b(other, share_, streams_);
    const Clocked clock(*one, {&a, &b}, streams_);
    const auto ways = [&](const char* way, auto there, auto back) {
      const auto both = [&](int s) { there(s), back(s); };
      note(one->number(), other->number(), way, clock.seconds_of(there), clock.seconds_of(back),
           clock.seconds_of(both));
    };
    const auto copy_back = [&](int s) { b.copy_to(a, s); };
    const auto through_host = [&](int s) { a.leave(s), b.take_from(a, s); };
    const auto back_through_host = [&](int s) { b.leave(s), a.take_from(b, s); };
    const auto swap_through_host = [&](int s) { a.leave(s), b.leave(s), b.take_from(a, s), a.take_from(b, s); };
    if (one->reaches(*other) && other->reaches(*one)) {
      ways("peer_kernel", [&](int s) { a.store_to(b, s); }, [&](int s) { b.store_to(a, s); });
      ways("peer_copy", [&](int s) { a.copy_to(b, s); }, copy_back);
      note(one->number(), other->number(), "staged", clock.seconds_of(through_host), clock.seconds_of(copy_back),
           clock.seconds_of([&](int s) { a.leave(s), copy_back(s), b.take_from(a, s); }));
    }
    note(one->number(), other->number(), "via_host", clock.seconds_of(through_host),
         clock.seconds_of(back_through_host), clock.seconds_of(swap_through_host));
  }

 private:
  void note(int one, int other, const char* way, double there_s, double back_s, double swap_s) {
    rows_.push_back({.one = one,
                     .other = other,
                     .way = way,
                     .streams = streams_,
                     .there_bytes_per_s = bytes_ / there_s,
                     .back_bytes_per_s = bytes_ / back_s,
                     .swap_bytes_per_s = 2 * bytes_ / swap_s});
  }

  std::vector<PairRates>& rows_;
  double bytes_;
  std::size_t share_;
  int streams_;
};

}  // namespace

std::vector<PairRates> pairs_of(std::string_view space) {
  const DeviceDriver& driver = *find_driver(space);
  std::vector<PairRates> rows;
  for (int one = 0; one < driver.count(); ++one) {
    const auto device = driver.open(one);
    const auto both_streams = [&](auto measure) {
      for (const int streams : {1, 2}) measure(PairMeasuring(rows, share_of(*device, streams), streams));
    };
    both_streams([&](PairMeasuring m) { m.with_host(device); });
    for (int other = one + 1; other < driver.count(); ++other)
      both_streams([&](PairMeasuring m) { m.with_device(device, driver.open(other)); });
  }
  for (PairRates& row : rows) row.space = driver.space();
  return rows;
}

}  // namespace shardfft
