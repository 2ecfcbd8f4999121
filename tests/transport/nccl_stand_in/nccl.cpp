// Messages between emulated devices as NCCL moves them. Hosts meet in ncclGroupEnd, as NCCL's may; there each
// receiver's stream is asked for a copy, after what the sender's was asked for before, and the sender's goes on after
// the copy.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "device/transport/nccl/nccl_library.hpp"

using namespace shardfft;

namespace {

/// A message at its sender.
struct Offer {
  const void* from = nullptr;
  std::size_t bytes = 0;
  std::shared_ptr<Device> device{};
  std::shared_ptr<Event> ready{}, copied{};
  enum class State { open, taken, refused } state = State::open;
};

/// The ranks of one communicator.
struct World {
  std::mutex mutex{};
  std::condition_variable change{};
  int came = 0;
  std::vector<bool> left{};
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Offer>>> offers{};  ///< from, to
  std::vector<std::shared_ptr<Event>> events{};                                ///< kept: streams wait for them later

  /// False: `peer` has left, and done() will not be.
  template <class Done>
  bool await(std::unique_lock<std::mutex>& lock, int peer, Done done) {
    change.wait(lock, [&] { return done() || left[static_cast<std::size_t>(peer)]; });
    return done();
  }
};

struct Call {
  bool sends = false;
  void* memory = nullptr;
  std::size_t bytes = 0;
  int peer = 0;
  ncclComm_t comm = nullptr;
  void* stream = nullptr;
};

std::mutex worlds_mutex;
std::map<int, std::shared_ptr<World>> worlds;
std::atomic<std::size_t> moved{0};
thread_local int depth = 0;
thread_local std::vector<Call> group;
thread_local bool refuses = false;      // all that is asked for
thread_local bool lost_a_call = false;  // of this group

}  // namespace

struct ncclComm {
  std::shared_ptr<World> world{};
  int rank = 0;
  std::shared_ptr<Device> device{};
};

namespace {

ncclResult_t ask(Call call) {
  if (depth == 0) return ncclInvalidUsage;  // this transport groups all that it asks for
  if (!call.comm || call.peer == call.comm->rank) return ncclInvalidArgument;
  if (refuses) return lost_a_call = true, ncclInternalError;
  group.push_back(call);
  return ncclSuccess;
}

std::shared_ptr<Event> record(World& world, const Call& call, Queue& queue) {
  const auto event = world.events.emplace_back(call.comm->device->make_event());
  queue.record(*event);
  return event;
}

ncclResult_t receive(const Call& call, Queue& queue) {
  World& world = *call.comm->world;
  std::unique_lock lock(world.mutex);
  auto& offers = world.offers[{call.peer, call.comm->rank}];
  if (!world.await(lock, call.peer, [&] { return !offers.empty(); })) return ncclRemoteError;
  const auto offer = offers.front();
  offers.pop_front();
  const bool fits = offer->bytes == call.bytes && call.comm->device->reaches(*offer->device);
  if (fits) {
    queue.wait(*offer->ready);
    if (call.bytes > 0) queue.copy(call.memory, offer->from, call.bytes);
    offer->copied = record(world, call, queue);
    moved += call.bytes;
  }
  offer->state = fits ? Offer::State::taken : Offer::State::refused;
  world.change.notify_all();
  return fits ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t await_copy(const Call& call, const Offer& offer, Queue& queue) {
  World& world = *call.comm->world;
  std::unique_lock lock(world.mutex);
  if (!world.await(lock, call.peer, [&] { return offer.state != Offer::State::open; })) return ncclRemoteError;
  if (offer.state == Offer::State::refused) return ncclInvalidArgument;
  queue.wait(*offer.copied);
  return ncclSuccess;
}

std::shared_ptr<Offer> offer_of(const Call& call, Queue& queue) {
  World& world = *call.comm->world;
  std::lock_guard lock(world.mutex);
  auto offer = std::make_shared<Offer>(Offer{call.memory, call.bytes, call.comm->device, record(world, call, queue)});
  world.offers[{call.comm->rank, call.peer}].push_back(offer);
  world.change.notify_all();
  return offer;
}

void leave(ncclComm_t comm) {
  std::lock_guard lock(comm->world->mutex);
  comm->world->left[static_cast<std::size_t>(comm->rank)] = true;
  comm->world->change.notify_all();
}

}  // namespace

const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclInvalidArgument ? "invalid argument" : result == ncclRemoteError ? "remote error" : "wrong use";
}
ncclResult_t ncclGetVersion(int* version) { return *version = 22703, ncclSuccess; }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::lock_guard lock(worlds_mutex);
  const int number = static_cast<int>(worlds.size());
  worlds[number] = std::make_shared<World>();
  id->internal[0] = static_cast<char>(number % 128), id->internal[1] = static_cast<char>(number / 128);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  std::shared_ptr<World> world;
  {
    std::lock_guard lock(worlds_mutex);
    world = worlds.at(id.internal[0] + 128 * id.internal[1]);
  }
  *comm = new ncclComm{world, rank, find_driver(nccl::space)->open(nccl::CurrentDevice::current)};
  std::unique_lock lock(world->mutex);
  world->left.resize(static_cast<std::size_t>(ranks));
  ++world->came;
  world->change.notify_all();
  world->change.wait(lock, [&] { return world->came == ranks; });
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) { return leave(comm), delete comm, ncclSuccess; }
ncclResult_t ncclCommAbort(ncclComm_t comm) { return ncclCommDestroy(comm); }

ncclResult_t ncclGroupStart() { return ++depth, ncclSuccess; }

ncclResult_t ncclGroupEnd() {
  if (depth-- != 1) return ncclInvalidUsage;
  const std::vector<Call> calls = std::exchange(group, {});
  if (std::exchange(lost_a_call, false)) return ncclInternalError;  // and nothing is moved
  std::vector<std::unique_ptr<Queue>> queues;
  std::vector<std::shared_ptr<Offer>> offers;
  for (const Call& call : calls) {
    queues.push_back(call.comm->device->queue_of(call.stream));
    offers.push_back(call.sends ? offer_of(call, *queues.back()) : nullptr);
  }
  ncclResult_t result = ncclSuccess;
  const auto note = [&](ncclResult_t one) { result = result == ncclSuccess ? one : result; };
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (!calls[i].sends) note(receive(calls[i], *queues[i]));
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (calls[i].sends) note(await_copy(calls[i], *offers[i], *queues[i]));
  return result;
}

ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm, void* stream) {
  return ask({true, const_cast<void*>(from), count, peer, comm, stream});
}
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm, void* stream) {
  return ask({false, to, count, peer, comm, stream});
}

namespace shardfft::nccl {

std::string why_not() { return {}; }

const Calls& calls() {
#define SHARDFFT_TAKE(name) .name = &nccl##name,
  static const Calls all{SHARDFFT_NCCL_CALLS(SHARDFFT_TAKE)};
#undef SHARDFFT_TAKE
  return all;
}

std::size_t bytes_moved() { return moved; }
void refuse_calls(bool on) { refuses = on; }
int open_groups() { return depth; }

}  // namespace shardfft::nccl
