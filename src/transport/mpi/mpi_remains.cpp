#include "transport/mpi/mpi_remains.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "support/comm/comm_mpi.hpp"

namespace shardfft {
namespace {

struct KeptRemains {
  std::unique_ptr<MpiRemains> remains;
  int ranks = 0;
  bool claimed = false;  ///< by a thread that asks the other ranks about it
};
struct RemainsRegister {
  std::mutex mutex;
  std::int64_t count = 0;  ///< numbers that this rank has given
  std::map<MpiNumber, KeptRemains> all;
  std::vector<std::shared_ptr<const void>> kept_for_ever;
};
/// Never destroyed: plans may be static objects.
RemainsRegister& register_of_all() {
  static RemainsRegister& all = *new RemainsRegister;
  return all;
}

/// Claims the unclaimed numbers of all groups with this many ranks.
std::vector<MpiNumber> claim(int ranks) {
  std::vector<MpiNumber> numbers;
  RemainsRegister& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  std::erase_if(r.all, [](const auto& entry) { return !entry.second.claimed && entry.second.remains->is_over(); });
  for (auto& [number, kept] : r.all)
    if (kept.ranks == ranks && !std::exchange(kept.claimed, true)) numbers.push_back(number);
  return numbers;
}

std::unique_ptr<MpiRemains> take(const MpiNumber& number) {
  RemainsRegister& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  return std::move(r.all.extract(number).mapped().remains);
}

void disclaim(const std::vector<MpiNumber>& numbers) {
  RemainsRegister& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  for (const MpiNumber& number : numbers)
    if (const auto kept = r.all.find(number); kept != r.all.end()) kept->second.claimed = false;
}

/// What a rank says about one of the numbers that rank 0 has claimed.
struct Claim {
  std::int64_t mine = 0;
  MpiCalls calls{};
};

std::vector<Claim> claims_of(const std::vector<MpiNumber>& candidates, const std::vector<MpiNumber>& mine) {
  std::vector<Claim> claims;
  RemainsRegister& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  for (const MpiNumber& number : candidates)
    claims.push_back(std::binary_search(mine.begin(), mine.end(), number) ? Claim{1, r.all.at(number).remains->calls()}
                                                                          : Claim{});
  return claims;
}

void free_on_all(const Comm& group, const std::vector<MpiNumber>& candidates, const std::vector<MpiNumber>& mine) {
  const std::vector<Claim> claims = claims_of(candidates, mine);
  std::vector<Claim> of_all(claims.size() * static_cast<std::size_t>(group.size()));
  group.allgather(std::as_bytes(std::span(claims)), std::as_writable_bytes(std::span(of_all)));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    bool on_all = true;
    MpiCalls least = of_all[i].calls, most = least;
    for (std::size_t r = i; r < of_all.size(); r += candidates.size()) {
      on_all = on_all && of_all[r].mine;
      if (of_all[r].calls.count < least.count) least = of_all[r].calls;
      if (of_all[r].calls.count > most.count) most = of_all[r].calls;
    }
    if (on_all) take(candidates[i])->free_together(least, most);
  }
}

}  // namespace

// Two threads of the same ranks may be here, each with a communicator of its own: what threads have claimed on all
// ranks is freed by them. These are all ranks that have it, for it has no more.
MpiNumber meet(const Comm& group) {
  const std::vector<MpiNumber> mine = claim(group.size());
  struct {
    MpiNumber next;
    std::uint64_t candidates = 0;
  } first;
  {
    RemainsRegister& r = register_of_all();
    const std::lock_guard lock(r.mutex);
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (group.rank() == 0) first = {{me, ++r.count}, mine.size()};
  }
  group.broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  std::vector<MpiNumber> candidates = mine;
  candidates.resize(first.candidates);
  group.broadcast(std::as_writable_bytes(std::span(candidates)), 0);
  if (!candidates.empty()) free_on_all(group, candidates, mine);
  disclaim(mine);
  return first.next;
}

void leave_behind(const MpiNumber& number, int ranks, std::unique_ptr<MpiRemains> remains) {
  RemainsRegister& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  r.all.emplace(number, KeptRemains{std::move(remains), ranks});
}

void keep_for_ever(std::shared_ptr<const void> memory) {
  RemainsRegister& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  r.kept_for_ever.push_back(std::move(memory));
}

std::size_t left_behind() {
  RemainsRegister& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  return r.all.size();
}

// The last first: what comes meanwhile is for the first.
void MpiLeftovers::cancel() {
  for (auto request = receives.rbegin(); request != receives.rend(); ++request) MPI_Cancel(&*request);
}

bool MpiLeftovers::ended() {
  for (auto* requests : {&sends, &receives}) {
    int done = 0;
    if (!requests->empty())
      check_mpi(MPI_Testall(static_cast<int>(requests->size()), requests->data(), &done, MPI_STATUSES_IGNORE),
                "MPI_Testall");
    if (!requests->empty() && !done) continue;
    for (MPI_Request& request : *requests)  // of those that are persistent
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    requests->clear();
  }
  const bool all = sends.empty() && receives.empty();
  if (all) memory.clear();
  return all;
}

}  // namespace shardfft
