#include "device/transport/inbox_keeper.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace shardfft {
namespace {

using Word = std::atomic<std::uint64_t>;
static_assert(Word::is_always_lock_free);

Word& word(const Segments& words, int owner, int reader) {
  return reinterpret_cast<Word*>(words.of(owner).data())[reader];
}

struct KeptInbox {
  std::shared_ptr<const void> mine;
  std::shared_ptr<const Segments> words;
  int me, ranks;

  [[nodiscard]] bool is_open() const {
    for (int r = 0; r < ranks; ++r)
      if (r != me && word(*words, me, r).load(std::memory_order_acquire) == 0 && words->what_ended(r).empty())
        return true;
    return false;
  }
};

/// Never destroyed: when the program ends, the vendor's library may be gone before it would be.
struct KeptInboxes {
  std::mutex mutex;
  std::vector<KeptInbox> all;
};
KeptInboxes& all_kept() {
  static KeptInboxes& all = *new KeptInboxes;
  return all;
}

// To free memory of a device may take long, so not under the lock.
void let_go() {
  std::vector<KeptInbox> closed;  // outlives the lock
  KeptInboxes& r = all_kept();
  const std::lock_guard lock(r.mutex);
  for (KeptInbox& kept : r.all)
    if (!kept.is_open()) closed.push_back(std::exchange(kept, {}));
  std::erase_if(r.all, [](const KeptInbox& kept) { return !kept.words; });
}

}  // namespace

InboxKeeper::InboxKeeper(const Comm& comm, std::shared_ptr<const void> mine)
    : mine_(std::move(mine)),
      words_(make_shared_segments(comm, {.inbox = comm.size() * static_cast<Index>(sizeof(Word))}, [](std::byte*) {})
                 .inboxes),
      me_(comm.rank()),
      ranks_(comm.size()) {
  let_go();
}

InboxKeeper::~InboxKeeper() {
  for (int owner = 0; owner < ranks_; ++owner) word(*words_, owner, me_).store(1, std::memory_order_release);
  {
    KeptInboxes& r = all_kept();
    const std::lock_guard lock(r.mutex);
    r.all.push_back({std::move(mine_), std::move(words_), me_, ranks_});
  }
  let_go();
}

std::size_t kept_for_others() {
  KeptInboxes& r = all_kept();
  const std::lock_guard lock(r.mutex);
  return r.all.size();
}

}  // namespace shardfft
