#include "support/processor/startable_threads.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "support/comm/forked.hpp"

namespace shardfft {
namespace {

/// Counts of this thread, whose team OpenMP keeps until it needs a smaller one.
thread_local int known_to_work = 1, last_team = 1;

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

// Then threads that worked once need not find room for their stacks again.
bool memory_is_limited() {
  static const bool limited = [] {
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  }();
  return limited;
}

bool is_known(int wanted) {
  return wanted <= known_to_work && !lost_its_team() && (wanted <= last_team || !memory_is_limited());
}

// What OpenMP grants a team here, without trying.
StartableThreads granted(int wanted, const Attributes& attributes) {
  if (lost_its_team()) return {1, false, "the threads of OpenMP stayed in the parent of fork()"};
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

struct HeldThreads::WaitingThreads {
  WaitingThreads() = default;
  WaitingThreads(const WaitingThreads&) = delete;
  ~WaitingThreads() {
    ended.store(true);
    ended.notify_all();
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  }
  static void* wait(void* self) {
    static_cast<WaitingThreads*>(self)->ended.wait(false);
    return nullptr;
  }
  /// 0, or why the next one could not be started.
  int start(int count, const Attributes& attributes) {
    threads.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      pthread_t thread{};
      if (const int error = pthread_create(&thread, attributes.get(), wait, this); error != 0) return error;
      threads.push_back(thread);
    }
    return 0;
  }

  std::atomic<bool> ended{false};
  std::vector<pthread_t> threads{};
};

HeldThreads::HeldThreads(int wanted) : found_{.count = wanted} {
  if (is_known(wanted)) return;
  waiting_ = std::make_unique<WaitingThreads>();
  const Attributes attributes;
  found_ = granted(wanted, attributes);
  if (const int error = waiting_->start(found_.count - 1, attributes); error != 0)
    found_ = {static_cast<int>(waiting_->threads.size()) + 1, true,
              fmt::format("{}, with stacks of {} bytes", std::strerror(error), attributes.stack())};
  if (found_.count == wanted) known_to_work = wanted;
}

HeldThreads::~HeldThreads() = default;

StartableThreads startable_threads(int wanted) { return HeldThreads(wanted).found(); }

int usable(const StartableThreads& there) {
  return there.refused ? std::clamp(there.count / 2, 1, std::max(1, omp_get_num_procs())) : there.count;
}

int team_of(int wanted) {
  const int team = wanted <= 1 ? 1 : is_known(wanted) ? wanted : usable(startable_threads(wanted));
  if (team > 1) last_team = team;
  return team;
}

void start_team(int threads) {
  on_team(threads, [](TeamMember) { asm volatile("" ::: "memory"); });
}

}  // namespace shardfft
