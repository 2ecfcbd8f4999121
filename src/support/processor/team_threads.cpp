#include "support/processor/team_threads.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "support/comm/forked.hpp"
#include "support/processor/signal.hpp"

namespace shardfft {
namespace {

/// What sweeps, kernels and codecs need of a thread's stack, with room to spare.
constexpr std::size_t least_stack = std::size_t{256} << 10;

/// Attributes as OpenMP gives them to its threads: from its variables, else from the system.
class Attributes {
 public:
  Attributes() {
    pthread_attr_init(&attributes_);
    std::size_t wanted = stack_size_of(std::getenv("OMP_STACKSIZE"));
    if (wanted == 0) wanted = stack_size_of(std::getenv("GOMP_STACKSIZE"));
    if (wanted > 0)
      pthread_attr_setstacksize(&attributes_, wanted);  // one that is refused leaves the default, as in OpenMP
  }
  Attributes(const Attributes&) = delete;
  ~Attributes() { pthread_attr_destroy(&attributes_); }
  [[nodiscard]] const pthread_attr_t* get() const { return &attributes_; }
  [[nodiscard]] std::size_t stack() const {
    std::size_t bytes = 0;
    return pthread_attr_getstacksize(&attributes_, &bytes) == 0 ? bytes : 0;
  }

 private:
  pthread_attr_t attributes_{};
};

/// What OpenMP's variables and the region that this thread is in allow, without trying.
StartedThreads allowed(int wanted, const Attributes& attributes) {
#if defined(__SANITIZE_THREAD__)
  if (fork_generation() > 0) return {1, false, "the thread sanitizer ends a child of fork() that starts threads"};
#endif
  if (omp_get_active_level() >= omp_get_max_active_levels())
    return {1, false, "OpenMP starts no team here: OMP_MAX_ACTIVE_LEVELS"};
  if (attributes.stack() < least_stack)
    return {1, false,
            fmt::format("their stacks have {} bytes and need {}: OMP_STACKSIZE, ulimit -s", attributes.stack(),
                        least_stack)};
  if (const int most = omp_get_thread_limit(); most < wanted)
    return {std::max(1, most), false, fmt::format("OMP_THREAD_LIMIT is {}", most)};
  return {.count = wanted};
}

/// Puts this thread where OpenMP would put thread `member` of a team of `team`. OMP_PROC_BIND has bound the one that
/// started it to one place, which it would share.
void bind_as_openmp(int member, int team, int home) {
  const omp_proc_bind_t how = omp_get_proc_bind();
  const int places = omp_get_num_places();
  if (how == omp_proc_bind_false || places == 0 || home < 0) return;
  const int step = how == omp_proc_bind_master ? 0 : how == omp_proc_bind_spread || team > places ? places : team;
  const int place = (home + static_cast<int>(std::int64_t{member} * step / team)) % places;
  std::vector<int> cores(static_cast<std::size_t>(omp_get_place_num_procs(place)));
  omp_get_place_proc_ids(place, cores.data());
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

/// Threads that all threads of this process keep, and those of other processes.
std::atomic<int> all_kept{0}, all_others{0};

/// How long a thread spins before it sleeps: longer than waking takes, and not at all where threads outnumber cores.
std::chrono::microseconds patience() {
  static const int cores = omp_get_num_procs();
  const int others = all_kept.load(std::memory_order_relaxed) + all_others.load(std::memory_order_relaxed);
  return std::chrono::microseconds(others >= cores ? 0 : 200);
}

}  // namespace

std::size_t stack_size_of(const char* text) {
  if (!text) return 0;
  const auto skip = [&] {
    while (std::isspace(static_cast<unsigned char>(*text))) ++text;
  };
  skip();
  unsigned long long number = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  if (error != std::errc{}) return 0;
  text = end;
  skip();
  int shift = 10;
  if (*text) {
    const std::size_t unit =
        std::string_view("bkmg").find(static_cast<char>(std::tolower(static_cast<unsigned char>(*text++))));
    if (unit == std::string_view::npos) return 0;
    shift = static_cast<int>(10 * unit);
  }
  skip();
  return *text || number > (ULLONG_MAX >> shift) ? 0 : static_cast<std::size_t>(number << shift);
}

void share_cores_with(int others) { all_others.store(others, std::memory_order_relaxed); }

int usable(const StartedThreads& there) {
  return there.refused ? std::clamp(there.count / 2, 1, std::max(1, omp_get_num_procs())) : there.count;
}

/// What the threads of one thread share. A member writes to its own lines only, but for the counts.
struct TeamThreads::SharedByTeam {
  struct alignas(64) Helper {
    SharedByTeam* shared = nullptr;
    int member = 0, team = 1, home = -1;  // home: OpenMP's place of the thread that started it
    bool ends = false;                    // instead of working, at its next turn
    pthread_t thread{};
    Signal turns{};

    static void* start(void* self) {
      static_cast<Helper*>(self)->live();
      return nullptr;
    }
    void live() {
      bind_as_openmp(member, team, home);
      for (std::uint32_t turn = 0;;) {
        turn = turns.after(turn, patience());
        if (ends) return;
        shared->work(member);
        shared->busy.take_one();
      }
    }
  };

  std::vector<std::unique_ptr<Helper>> helpers{};  // member i + 1
  int team = 1;
  void* what = nullptr;
  void (*call)(void*, TeamMember) = nullptr;
  std::mutex lock{};
  std::exception_ptr failure{};
  Signal busy{};  // helpers that are not done
  Signal meetings{};
  alignas(64) std::atomic<int> arrived{0};  // at the next meeting

  void work(int member) {
    try {
      call(what, {member, team});
    } catch (...) {
      const std::lock_guard guard(lock);
      if (!failure) failure = std::current_exception();
    }
  }
};

TeamThreads::TeamThreads() : generation_(fork_generation()), shared_(std::make_unique<SharedByTeam>()) {}

TeamThreads::~TeamThreads() {
  forget_parent();
  keep(1);
}

TeamThreads& TeamThreads::of_this_thread() {
  thread_local TeamThreads threads;
  return threads;
}

int TeamThreads::count() const {
  return generation_ == fork_generation() ? static_cast<int>(shared_->helpers.size()) + 1 : 1;
}

// In a child of fork() the threads are gone; what they shared may be in any state.
void TeamThreads::forget_parent() {
  if (generation_ == fork_generation()) return;
  all_kept -= static_cast<int>(shared_->helpers.size());
  (void)shared_.release();
  shared_ = std::make_unique<SharedByTeam>();
  generation_ = fork_generation();
}

StartedThreads TeamThreads::start(int wanted) {
  forget_parent();
  if (wanted <= count()) return {.count = wanted};
  const Attributes attributes;
  StartedThreads found = allowed(wanted, attributes);
  shared_->helpers.reserve(static_cast<std::size_t>(found.count));
  while (count() < found.count) {
    auto helper = std::make_unique<SharedByTeam::Helper>();
    helper->shared = shared_.get();
    helper->member = count();
    helper->team = found.count;
    helper->home = omp_get_place_num();
    if (const int error =
            pthread_create(&helper->thread, attributes.get(), SharedByTeam::Helper::start, helper.get())) {
      found = {count(), true, fmt::format("{}, with stacks of {} bytes", std::strerror(error), attributes.stack())};
      break;
    }
    shared_->helpers.push_back(std::move(helper));
    ++all_kept;
  }
  return found;
}

void TeamThreads::keep(int count) {
  auto& helpers = shared_->helpers;
  const auto first = helpers.begin() + std::min<std::ptrdiff_t>(count - 1, std::ssize(helpers));
  for (auto helper = first; helper != helpers.end(); ++helper) {
    (*helper)->ends = true;
    (*helper)->turns.add_one();
  }
  for (auto helper = first; helper != helpers.end(); ++helper) pthread_join((*helper)->thread, nullptr);
  all_kept -= static_cast<int>(helpers.end() - first);
  helpers.erase(first, helpers.end());
}

void TeamThreads::run(int team, void* work, void (*call)(void*, TeamMember)) {
  SharedByTeam& all = *shared_;
  all.team = team;
  all.what = work;
  all.call = call;
  all.busy.set(static_cast<std::uint32_t>(team - 1));
  for (int i = 0; i + 1 < team; ++i) all.helpers[static_cast<std::size_t>(i)]->turns.add_one();
  all.work(0);
  for (std::uint32_t busy = all.busy.value(); busy != 0;) busy = all.busy.after(busy, patience());
  if (all.failure) std::rethrow_exception(std::exchange(all.failure, nullptr));
}

void TeamThreads::meet() {
  SharedByTeam& all = *shared_;
  const std::uint32_t meeting = all.meetings.value();
  if (all.arrived.fetch_add(1) + 1 < all.team) {
    all.meetings.after(meeting, patience());
    return;
  }
  all.arrived.store(0);
  all.meetings.add_one();
}

}  // namespace shardfft
