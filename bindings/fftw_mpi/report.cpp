#include "report.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include <fmt/format.h>

#include "group.hpp"

namespace shardfft::fftw_mpi {
namespace {

struct Count {
  long plans = 0, runs = 0;
  double planning = 0, running = 0;
};

std::mutex mutex;
Count counts[2][whats];
constexpr std::string_view names[whats] = {"c2c", "r2c", "c2r", "transpose", "r2r"};

Count& count_of(Whose whose, What what) { return counts[static_cast<int>(whose)][static_cast<int>(what)]; }

std::string row_of(Whose whose, What what) {
  const Count& c = count_of(whose, what);
  if (c.plans == 0) return {};
  return fmt::format("{:<10} {:<10} {:>8} {:>12.6f} {:>8} {:>12.6f}\n", names[static_cast<int>(what)],
                     whose == Whose::ours ? "shardfft" : "fftw", c.plans, c.planning, c.runs, c.running);
}

void print_report() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  const std::lock_guard lock(mutex);
  std::string text = fmt::format("FFTW-MPI plans of rank 0\n{:<10} {:<10} {:>8} {:>12} {:>8} {:>12}\n", "kind", "by",
                                 "plans", "planning s", "runs", "running s");
  for (int what = 0; what < whats; ++what)
    for (const Whose whose : {Whose::ours, Whose::theirs}) text += row_of(whose, static_cast<What>(what));
  std::fputs(text.c_str(), stderr);
}

}  // namespace

bool is_reporting() {
  static const bool wanted = [] {
    const char* text = std::getenv("SHARDFFT_FFTW_REPORT");
    return text != nullptr && *text != '\0' && std::string_view(text) != "0";
  }();
  return wanted;
}

void count_plan(Whose whose, What what, double seconds) {
  if (!is_reporting()) return;
  at_finalize(print_report);
  const std::lock_guard lock(mutex);
  Count& c = count_of(whose, what);
  ++c.plans;
  c.planning += seconds;
}

void count_run(Whose whose, What what, double seconds) {
  const std::lock_guard lock(mutex);
  Count& c = count_of(whose, what);
  ++c.runs;
  c.running += seconds;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace shardfft::fftw_mpi
