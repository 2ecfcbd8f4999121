#include "ours.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "agreement.hpp"
#include "fftw3-mpi.h"
#include "plan.hpp"
#include "report.hpp"
#include "theirs.hpp"

namespace shardfft::fftw_mpi {

struct Handle {
  std::shared_ptr<Plan> plan;
};

namespace {

/// Handles that live. No destructor: programs may destroy plans as late as they like.
struct Living {
  std::shared_mutex mutex{};
  std::unordered_set<const void*> ours{};
  std::unordered_map<const void*, What> theirs{};
};
Living& living() {
  static auto* all = new Living;
  return *all;
}

Handle* new_handle(std::shared_ptr<Plan> plan) {
  auto* handle = new Handle{std::move(plan)};
  const std::unique_lock lock(living().mutex);
  living().ours.insert(handle);
  return handle;
}

/// One line on rank 0.
void say(const Request& request, const std::string& text) {
  int rank = 0;
  MPI_Comm_rank(request.comm, &rank);
  if (rank == 0) std::fprintf(stderr, "shardfft: %s: %s\n", full_name(request).c_str(), text.c_str());
}

/// One axis has parts of our own: FFTW's plan would not fit them.
bool others_may(const Request& request) { return request.n.size() > 1; }

/// Our plan in a function of FFTW's would crash.
bool programs_reach_us() {
  static const bool reach = any_function("fftw_execute") == reinterpret_cast<void*>(&fftw_execute) &&
                            any_function("fftwf_execute") == reinterpret_cast<void*>(&fftwf_execute);
  return reach;
}

/// This rank's sides, or why it has none: also what the C library says of the request.
Sides own_sides(const Request& request, int ranks) {
  Sides sides;
  if (!programs_reach_us()) {
    sides.refused = "fftw_execute is FFTW's own; link libshardfft_fftw3_mpi before libfftw3";
    sides.others_may = true;
    return sides;
  }
  sides = sides_of(request, ranks);
  if (!sides.refused.empty()) return sides;
  try {
    check_parts(request, sides);
  } catch (const std::exception& failure) {
    sides.refused = failure.what();
    sides.others_may = others_may(request);
  }
  return sides;
}

Answer answer_to(const Request& request) {
  const Group group = group_of(request.comm);
  const Sides sides = own_sides(request, shardfft_comm_size(group.get()));
  const Agreed agreed = agree(group, request, sides);
  if (!agreed.refused.empty()) return {nullptr, agreed.refused, agreed.others_may};
  try {
    return {new_handle(std::make_shared<Plan>(request, sides, group, agreed)), {}, false};
  } catch (const std::exception& failure) { return {nullptr, failure.what(), others_may(request)}; }
}

/// `work` on a plan; a failure ends the program, as FFTW's functions return nothing.
template <class Work>
void or_die(Handle* handle, Work work) noexcept {
  try {
    work(*handle->plan);
  } catch (const std::exception& failure) {
    die(fmt::format("a plan of {}: {}", full_name(handle->plan->request()), failure.what()));
  }
}

}  // namespace

Answer ask(const Request& request) noexcept {
  try {
    const double begin = now();
    Answer answer = answer_to(request);
    if (answer.plan != nullptr) count_plan(Whose::ours, request.what, now() - begin);
    return answer;
  } catch (const std::exception& failure) { die(failure.what()); }
}

void settle(const Request& request, const Answer& answer, const void* theirs, bool loaded, double seconds) noexcept {
  if (theirs != nullptr) {
    if (!is_reporting()) return;
    count_plan(Whose::theirs, request.what, seconds);
    say(request, fmt::format("passed on to FFTW: {}", answer.refused));
    const std::unique_lock lock(living().mutex);
    living().theirs[theirs] = request.what;
    return;
  }
  const char* also = !answer.others_may ? ""
                     : loaded           ? "; FFTW has none, either"
                                        : "; FFTW, which may have one, is not loaded";
  say(request, fmt::format("no plan: {}{}", answer.refused, also));
}

Handle* find(const void* plan) noexcept {
  const std::shared_lock lock(living().mutex);
  return living().ours.contains(plan) ? static_cast<Handle*>(const_cast<void*>(plan)) : nullptr;
}

void run(Handle* handle) noexcept { run(handle, handle->plan->request().in, handle->plan->request().out); }

void run(Handle* handle, void* in, void* out) noexcept {
  or_die(handle, [&](Plan& plan) { counted_run(Whose::ours, plan.request().what, [&] { plan.run(in, out); }); });
}

Handle* copy(Handle* handle) noexcept { return new_handle(handle->plan); }

void destroy(Handle* handle) noexcept {
  {
    const std::unique_lock lock(living().mutex);
    living().ours.erase(handle);
  }
  delete handle;
}

double flops(Handle* handle) noexcept { return handle->plan->flops(); }

char* text_of(Handle* handle) noexcept {
  char* text = nullptr;
  or_die(handle, [&](Plan& plan) { text = strdup(plan.describe().c_str()); });
  return text;
}

void forget_theirs(const void* plan) noexcept {
  if (!is_reporting()) return;
  const std::unique_lock lock(living().mutex);
  living().theirs.erase(plan);
}

bool is_theirs(const void* plan, What& what) noexcept {
  if (!is_reporting()) return false;
  const std::shared_lock lock(living().mutex);
  const auto found = living().theirs.find(plan);
  if (found == living().theirs.end()) return false;
  what = found->second;
  return true;
}

void die(const std::string& text) noexcept {
  std::fprintf(stderr, "shardfft: %s\n", text.c_str());
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // launchers lose what they have not passed on
  int running = 0, ended = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  if (running && !ended) MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace shardfft::fftw_mpi
