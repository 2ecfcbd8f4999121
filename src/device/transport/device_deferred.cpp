#include "device/transport/device_deferred.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

namespace shardfft {
namespace {

/// Deferred sends of all threads. Each is called and ended by its own thread only, so the list's lock may be released
/// before the call.
struct Deferred {
  std::mutex mutex;
  std::vector<DeferredSends*> all;
};

Deferred& all_deferred() {
  static Deferred all;
  return all;
}

std::size_t chunks_of_all(const Traffic& traffic) {
  std::size_t chunks = 0;
  for (const Round& round : traffic.rounds) chunks += static_cast<std::size_t>(round.chunks);
  return chunks;
}

}  // namespace

DeferredSends::DeferredSends(Channel& channel, std::size_t most)
    : channel_(channel), owner_(std::this_thread::get_id()) {
  waiting_.reserve(most);
  Deferred& r = all_deferred();
  std::lock_guard lock(r.mutex);
  r.all.push_back(this);
}

DeferredSends::~DeferredSends() {
  Deferred& r = all_deferred();
  std::lock_guard lock(r.mutex);
  std::erase(r.all, this);
}

void DeferredSends::add(int round, int chunk, const Event* after) {
  owner_ = std::this_thread::get_id();
  if (empty()) {
    waiting_.clear();
    first_ = 0;
  }
  waiting_.push_back({round, chunk, after});
  help();
}

void DeferredSends::give_up() { first_ = waiting_.size(); }

void DeferredSends::help() {
  while (!empty() && (!waiting_[first_].after || waiting_[first_].after->done())) {
    const DeferredSend next = waiting_[first_++];
    channel_.send(next.round, next.chunk);
  }
}

bool DeferredSends::holds(int round, int chunk) const {
  return std::any_of(waiting_.begin() + static_cast<std::ptrdiff_t>(first_), waiting_.end(),
                     [&](const DeferredSend& w) { return w.round == round && w.chunk <= chunk; });
}

bool help_deferred_sends() {
  static thread_local std::vector<DeferredSends*> mine;
  mine.clear();
  {
    Deferred& r = all_deferred();
    std::lock_guard lock(r.mutex);
    std::copy_if(r.all.begin(), r.all.end(), std::back_inserter(mine),
                 [](const DeferredSends* sends) { return sends->owner() == std::this_thread::get_id(); });
  }
  bool left = false;
  for (DeferredSends* sends : mine) {
    sends->help();
    left = left || !sends->empty();
  }
  return left;
}

void help_until_done(const Comm& comm, const Event& event) {
  Backoff backoff(/*sleeps=*/false);
  while (!event.done()) {
    (void)help_deferred_sends();
    if (backoff.pause()) comm.impl().check_peers();
  }
}

DeferredChannel::DeferredChannel(const Comm& comm, Queue& queue, const Traffic& traffic, std::unique_ptr<Channel> inner)
    : comm_(comm), queue_(queue), inner_(std::move(inner)), deferred_(*inner_, chunks_of_all(traffic)) {
  for (const Round& round : traffic.rounds) {
    DeferredRound& state = rounds_.emplace_back();
    state.chunks = round.chunks;
    state.own.resize(static_cast<std::size_t>(round.chunks));
    for (const Message& m : round.in)
      state.own[static_cast<std::size_t>(m.chunk)] =
          state.own[static_cast<std::size_t>(m.chunk)] || m.peer == comm.rank();
  }
}

void DeferredChannel::bind_inner(DeviceMemory memory) {
  memory_of_inner_ = std::make_shared<DeviceMemory>(std::move(memory));
  inner_->bind(memory_of_inner_->data());
}

// Peers may wait for deferred sends before they enter the handshake: those go first.
void DeferredChannel::handshake(const Comm& comm, std::byte mine, std::span<std::byte> all) {
  help_until(comm_, [] { return false; });
  inner_->handshake(comm, mine, all);
}

bool DeferredChannel::ready(int round) {
  deferred_.help();
  return deferred_.empty() && may_begin(round) && inner_->ready(round);
}

// `inner_` has not seen the sends that are still deferred, and rounds may share a send buffer. So all of them are
// handed over first.
void DeferredChannel::begin(int round) {
  await_begin(round);
  help_until(comm_, [&] { return deferred_.empty() && inner_->ready(round); });
  inner_->begin(round);
  at(round).sent = at(round).taken = 0;
  begin_stores(round);
}

void DeferredChannel::send(int round, int chunk) {
  at(round).sent = chunk + 1;
  deferred_.add(round, chunk, hand_over(round, chunk));
}

void DeferredChannel::progress(int round) {
  deferred_.help();
  inner_->progress(round);
}

void DeferredChannel::take_up_to(int round, int end) {
  for (int& taken = at(round).taken; taken < end; ++taken) take(round, taken);
}

bool DeferredChannel::arrived(int round) {
  deferred_.help();
  if (at(round).sent < at(round).chunks || deferred_.holds(round, at(round).chunks) || !inner_->arrived(round))
    return false;
  take_up_to(round, at(round).chunks);
  return true;
}

bool DeferredChannel::arrived(int round, int chunk) {
  deferred_.help();
  for (int own = at(round).sent; own <= chunk; ++own)
    if (at(round).own[static_cast<std::size_t>(own)]) return false;
  if (!inner_->arrived(round, chunk)) return false;
  take_up_to(round, chunk + 1);
  return true;
}

void DeferredChannel::wait(int round) {
  help_until(comm_, [&] { return !deferred_.holds(round, at(round).chunks) && inner_->arrived(round); });
  inner_->wait(round);
  take_up_to(round, at(round).chunks);
}

// The peers' chunks come at the same time as mine leave, and the caller may wait elsewhere next: so not before mine are
// gone.
void DeferredChannel::wait(int round, int chunk) {
  help_until(comm_, [&] { return !deferred_.holds(round, chunk) && inner_->arrived(round, chunk); });
  inner_->wait(round, chunk);
  take_up_to(round, chunk + 1);
}

void DeferredChannel::release(int round) {
  give_back(round);
  inner_->release(round);
}

void DeferredChannel::drain(int round) {
  help_until(comm_, [&] { return inner_->ready(round); });
  inner_->drain(round);
}

void DeferredChannel::end(bool in_run, std::shared_ptr<const void> memory) {
  deferred_.give_up();
  inner_->end(in_run, std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
                          std::move(memory), memory_of_inner_));
}

bool DeferredChannel::summed(std::span<double> total) {
  deferred_.help();
  return inner_->summed(total);
}

}  // namespace shardfft
