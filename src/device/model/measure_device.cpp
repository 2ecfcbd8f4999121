#include "device/model/measure_device.hpp"

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "device/model/measuring.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

/// A queue, and its own clock.
class Clock {
 public:
  explicit Clock(const std::shared_ptr<Device>& device)
      : queue_(device->make_queue()), before_(device->make_timed_event()), after_(device->make_timed_event()) {}
  ~Clock() { queue_->finish(); }
  template <class Ask>
  void begin(Ask ask) {
    queue_->record(*before_);
    ask(*queue_);
    queue_->record(*after_);
  }
  [[nodiscard]] double end() {
    after_->synchronize();
    return std::max(least_s, after_->seconds_since(*before_));
  }
  [[nodiscard]] Queue& queue() { return *queue_; }

 private:
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> before_, after_;
};

template <class Ask>
double seconds_of(Clock& clock, Ask ask) {
  return best_of([&] {
    clock.begin(ask);
    return clock.end();
  });
}

/// Two clocks at once.
template <class Ask, class AskOther>
double seconds_of(Clock& one, Ask ask, Clock& other, AskOther ask_other) {
  return best_of([&] {
    one.begin(ask);
    other.begin(ask_other);
    return std::max(one.end(), other.end());
  });
}

/// Numbers as programs have them, for zeros may be faster: reals of -1 to 1 in f32, two of which are an f64, too.
void fill(Queue& queue, std::byte* to, std::size_t bytes) {
  constexpr std::size_t most = 4 << 20;
  std::vector<float> numbers(std::min(bytes, most) / sizeof(float));
  std::mt19937 random(1);
  for (float& x : numbers) x = std::uniform_real_distribution<float>(-1, 1)(random);
  for (std::size_t at = 0; at < bytes; at += most) queue.copy(to + at, numbers.data(), std::min(most, bytes - at));
  queue.synchronize();
}

class Measuring {
 public:
  Measuring(const std::shared_ptr<Device>& device, DeviceMachine& m)
      : device_(device),
        m_(m),
        bytes_(measured_bytes(device->facts())),
        from_(device, bytes_, what),
        to_(device, bytes_, what),
        clock_(device),
        other_(device),
        rows_(swapped_rows(*device, bytes_, usual_row)) {
    for (const DeviceMemory* memory : {&from_, &to_}) fill(clock_.queue(), memory->data(), bytes_);
  }

  void all() {
    moves();
    rates(Scalar::f64, m_.f64);
    rates(Scalar::f32, m_.f32);
    link();
    launches();
    m_.peer_copy_bytes_per_s = m_.peer_kernel_bytes_per_s = 0;
    if (const auto peer = first_in_reach()) peers(peer);
    m_.measured = true;
  }

 private:
  static constexpr const char* what = "measuring a device";

  [[nodiscard]] double all_bytes() const { return static_cast<double>(bytes_); }

  void moves() {
    const auto tiles = swapped_rows(*device_, bytes_, 1);
    const auto rate = [&](const MoveList& list) {
      return 2 * all_bytes() /
             seconds_of(clock_, [&](Queue& q) { q.move(list, from_to(from_.data(), to_.data()), 1); });
    };
    m_.rows_bytes_per_s = rate(*rows_);
    m_.tiles_bytes_per_s = rate(*tiles);
  }

  void rates(Scalar scalar, Rates& r) {
    for (std::size_t i = 0; i < Rates::lengths.size(); ++i) r.of_power[i] = rate_of(scalar, Rates::lengths[i]);
    constexpr Index mixed = 240, prime = 211;  // both below 256
    r.of_mixed = rate_of(scalar, mixed) / r.of_power[2];
    r.of_prime = rate_of(scalar, prime) / r.of_power[2];
  }

  double rate_of(Scalar scalar, Index n) {
    const Index array = n * 2 * static_cast<Index>(size_of(scalar)), batch = static_cast<Index>(bytes_) / array;
    const auto fft =
        device_->make_fft({.scalar = scalar, .transform = DeviceTransform::forward, .n = {n}, .batch = batch});
    const DeviceMemory work(device_, fft->work_bytes(), what);
    return 2.0 * static_cast<double>(batch * array) /
           seconds_of(clock_, [&](Queue& q) { fft->run(q, from_.data(), to_.data(), work.data()); });
  }

  void link() {
    constexpr std::size_t most = 256 << 20;  // pinned, and no cache to get past
    const std::size_t bytes = std::min(bytes_, most);
    const DeviceMemory host(device_, bytes, what, MemoryKind::pinned), back(device_, bytes, what, MemoryKind::pinned);
    clock_.queue().copy(host.data(), from_.data(), bytes);
    clock_.queue().synchronize();
    const auto come = [&](Queue& q) { q.copy(to_.data(), host.data(), bytes); };
    const auto leave = [&](Queue& q) { q.copy(back.data(), from_.data(), bytes); };
    const auto all = static_cast<double>(bytes);
    m_.to_device_bytes_per_s = all / seconds_of(clock_, come);
    m_.from_device_bytes_per_s = all / seconds_of(clock_, leave);
    m_.both_bytes_per_s = 2 * all / seconds_of(clock_, come, other_, leave);
  }

  void launches() {
    constexpr int many = 100;
    const auto little = swapped_rows(*device_, 64 * measured_element, 1);
    m_.launch_s = seconds_of(clock_,
                             [&](Queue& q) {
                               for (int i = 0; i < many; ++i) q.move(*little, from_to(from_.data(), to_.data()), 1);
                             }) /
                  many;
  }

  [[nodiscard]] std::shared_ptr<Device> first_in_reach() const {
    const DeviceDriver& driver = *find_driver(device_->space());
    for (int i = 1; i < driver.count(); ++i) {
      auto peer = driver.open((device_->number() + i) % driver.count());
      if (device_->reaches(*peer) && peer->reaches(*device_)) return peer;
    }
    return nullptr;
  }

  // Both ways at once, as in an exchange.
  void peers(const std::shared_ptr<Device>& peer) {
    const DeviceMemory there(peer, bytes_, what), there_to(peer, bytes_, what);
    Clock clock(peer);
    fill(clock.queue(), there.data(), bytes_);
    m_.peer_copy_bytes_per_s =
        all_bytes() / seconds_of(
                          clock_, [&](Queue& q) { q.copy(there_to.data(), from_.data(), bytes_); }, clock,
                          [&](Queue& q) { q.copy(to_.data(), there.data(), bytes_); });
    const auto list = swapped_rows(*peer, bytes_, usual_row);
    m_.peer_kernel_bytes_per_s =
        all_bytes() / seconds_of(
                          clock_, [&](Queue& q) { q.move(*rows_, from_to(from_.data(), there_to.data()), 1); }, clock,
                          [&](Queue& q) { q.move(*list, from_to(there.data(), to_.data()), 1); });
  }

  std::shared_ptr<Device> device_;
  DeviceMachine& m_;
  std::size_t bytes_;
  DeviceMemory from_, to_;
  Clock clock_, other_;
  std::unique_ptr<MoveList> rows_;
};

}  // namespace

DeviceMachine measure_device(const Comm& comm, const DeviceMachine& known, const std::shared_ptr<Device>& device) {
  DeviceMachine m = known;
  collectively(comm, [&] {
    constexpr int most = 3;  // times, where numbers contradict each other
    for (int i = 0; comm.rank() == 0 && i < most; ++i) {
      Measuring(device, m).all();
      if (contradiction_in(m).empty()) break;
    }
  });
  comm.broadcast(std::as_writable_bytes(std::span(&m, 1)), 0);
  return m;
}

}  // namespace shardfft
