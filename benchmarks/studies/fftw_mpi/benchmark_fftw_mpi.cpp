// The peer of studies/benchmark: times FFTW on one problem and prints one JSON object. Our own driver of FFTW's
// documented interface; not part of the library, not installed.
//
//   benchmark_fftw_mpi MODE N ITERATIONS WARMUP WISDOM
//     MODE    natural, transposed (FFTW_MPI_TRANSPOSED_OUT), r2c: FFTW-MPI, as many ranks as were started, one thread
//     each;
//             threads: one process, FFTW's OpenMP threads, as OMP_NUM_THREADS says;
//             copy: no transform, the array is read and written twice with non-temporal stores, as a limit
//     WISDOM  file in which measured plans are kept between launches of one run
//
// In place and out of place are both planned with FFTW_MEASURE and timed, the better median counts. A time is that of
// the slowest rank.
#include <fftw3-mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <omp.h>

namespace {

struct Free {
  void operator()(double* p) const { fftw_free(p); }
};
using Memory = std::unique_ptr<double[], Free>;

Memory allocate(std::ptrdiff_t reals) { return Memory(fftw_alloc_real(static_cast<std::size_t>(reals))); }

struct Job {
  std::string mode;
  std::ptrdiff_t n = 0;
  int iterations = 0, warmup = 0;
  std::string wisdom;
  [[nodiscard]] bool local() const { return mode == "threads" || mode == "copy"; }
};

/// What was set up: `reals` numbers of input that this rank owns, and how to run.
struct Timed {
  std::string name;
  Memory in, out;              // out is empty when in place
  std::ptrdiff_t reals = 0;    // of the input, filled before each run
  double gain = 1;             // sum |out|^2 / sum |in|^2 over all ranks, 0 where it is not checked
  std::ptrdiff_t results = 0;  // reals of the output
  std::function<void()> run;
};

void fill(double* data, std::ptrdiff_t count) {
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < count; ++i) data[i] = static_cast<double>((i * 2654435761U) % 2048) / 1024 - 1;
}

double sum_of_squares(const double* data, std::ptrdiff_t count) {
  double sum = 0, all = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) sum += data[i] * data[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// Seconds of the slowest rank, for every iteration after the warm-up.
std::vector<double> seconds(const Job& job, Timed& timed) {
  std::vector<double> all;
  for (int i = -job.warmup; i < job.iterations; ++i) {
    fill(timed.in.get(), timed.reals);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    timed.run();
    double mine = MPI_Wtime() - begin, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i >= 0) all.push_back(slowest);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Parseval: throws when the transform is not one.
void check(Timed& timed) {
  if (timed.gain == 0) return;
  fill(timed.in.get(), timed.reals);
  const double before = sum_of_squares(timed.in.get(), timed.reals);
  timed.run();
  const double after = sum_of_squares(timed.out ? timed.out.get() : timed.in.get(), timed.results);
  if (!(std::abs(after / before / timed.gain - 1) < 1e-10))
    throw std::runtime_error(timed.name + ": Parseval's identity does not hold");
}

fftw_complex* as_complex(double* p) { return reinterpret_cast<fftw_complex*>(p); }

/// c2c over all ranks, slabs in; natural or transposed out.
Timed complex_plan(const Job& job, bool in_place) {
  const std::ptrdiff_t n = job.n;
  std::ptrdiff_t rows = 0, row0 = 0, rows_t = 0, row0_t = 0;
  const std::ptrdiff_t size =
      fftw_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &rows, &row0, &rows_t, &row0_t);
  const bool transposed = job.mode == "transposed";
  Timed t{.name = in_place ? "in place" : "out of place",
          .in = allocate(2 * size),
          .out = in_place ? Memory() : allocate(2 * size),
          .reals = 2 * rows * n * n,
          .gain = std::pow(static_cast<double>(n), 3),
          .results = 2 * (transposed ? rows_t : rows) * n * n,
          .run = {}};
  double* out = in_place ? t.in.get() : t.out.get();
  const fftw_plan plan = fftw_mpi_plan_dft_3d(n, n, n, as_complex(t.in.get()), as_complex(out), MPI_COMM_WORLD,
                                              FFTW_FORWARD, FFTW_MEASURE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0U));
  t.run = [plan] { fftw_execute(plan); };
  return t;
}

/// r2c over all ranks, slabs in, natural order out. FFTW pads each row of reals to n + 2 (n even) or n + 1; all of it
/// is filled, which its plans allow.
Timed real_plan(const Job& job, bool in_place) {
  const std::ptrdiff_t n = job.n, half = n / 2 + 1;
  std::ptrdiff_t rows = 0, row0 = 0;
  const std::ptrdiff_t size = fftw_mpi_local_size_3d(n, n, half, MPI_COMM_WORLD, &rows, &row0);
  Timed t{.name = in_place ? "in place" : "out of place",
          .in = allocate(2 * size),
          .out = in_place ? Memory() : allocate(2 * size),
          .reals = rows * n * 2 * half,
          .gain = 0,
          .results = 2 * rows * n * half,
          .run = {}};
  double* out = in_place ? t.in.get() : t.out.get();
  const fftw_plan plan = fftw_mpi_plan_dft_r2c_3d(n, n, n, t.in.get(), as_complex(out), MPI_COMM_WORLD, FFTW_MEASURE);
  t.run = [plan] { fftw_execute(plan); };
  return t;
}

Timed threads_plan(const Job& job, bool in_place) {
  const std::ptrdiff_t n = job.n, size = n * n * n;
  const int length = static_cast<int>(n);
  Timed t{.name = in_place ? "in place" : "out of place",
          .in = allocate(2 * size),
          .out = in_place ? Memory() : allocate(2 * size),
          .reals = 2 * size,
          .gain = std::pow(static_cast<double>(n), 3),
          .results = 2 * size,
          .run = {}};
  double* out = in_place ? t.in.get() : t.out.get();
  const fftw_plan plan =
      fftw_plan_dft_3d(length, length, length, as_complex(t.in.get()), as_complex(out), FFTW_FORWARD, FFTW_MEASURE);
  t.run = [plan] { fftw_execute(plan); };
  return t;
}

void copy_non_temporal(const double* from, double* to, std::ptrdiff_t count) {
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t block = 0; block < count / 8; ++block) {
    const double* source = from + 8 * block;
    double* target = to + 8 * block;
#ifdef __SSE2__
    for (int i = 0; i < 8; i += 2) _mm_stream_pd(target + i, _mm_load_pd(source + i));
#else
    std::memcpy(target, source, 64);
#endif
  }
#ifdef __SSE2__
  _mm_sfence();
#endif
}

/// As many bytes as two sweeps move: the whole array read and written, twice.
Timed copy_plan(const Job& job) {
  const std::ptrdiff_t reals = 2 * job.n * job.n * job.n;
  Timed t{.name = "two passes",
          .in = allocate(reals),
          .out = allocate(reals),
          .reals = reals,
          .gain = 0,
          .results = reals,
          .run = {}};
  t.run = [in = t.in.get(), out = t.out.get(), reals] {
    copy_non_temporal(in, out, reals);
    copy_non_temporal(out, in, reals);
  };
  return t;
}

std::vector<std::function<Timed()>> candidates(const Job& job) {
  if (job.mode == "copy") return {[&] { return copy_plan(job); }};
  const auto both = [&](auto make) {
    return std::vector<std::function<Timed()>>{[&job, make] { return make(job, true); },
                                               [&job, make] { return make(job, false); }};
  };
  if (job.mode == "threads") return both(threads_plan);
  if (job.mode == "r2c") return both(real_plan);
  if (job.mode == "natural" || job.mode == "transposed") return both(complex_plan);
  throw std::runtime_error("MODE is natural, transposed, r2c, threads or copy, got " + job.mode);
}

void load_wisdom(const Job& job, int rank) {
  if (rank == 0) fftw_import_wisdom_from_filename(job.wisdom.c_str());
  if (!job.local()) fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
}

void save_wisdom(const Job& job, int rank) {
  if (!job.local()) fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
  if (rank == 0) fftw_export_wisdom_to_filename(job.wisdom.c_str());
}

void run(const Job& job) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  load_wisdom(job, rank);
  std::vector<double> best;
  std::string name;
  double planning = 0;
  for (const auto& make : candidates(job)) {
    const double begin = MPI_Wtime();
    Timed timed = make();
    planning += MPI_Wtime() - begin;
    check(timed);
    std::vector<double> times = seconds(job, timed);
    if (best.empty() || times[times.size() / 2] < best[best.size() / 2]) best = times, name = timed.name;
  }
  save_wisdom(job, rank);
  if (rank != 0) return;
  std::printf(R"({"mode": "%s", "n": %td, "ranks": %d, "threads": %d, "placement": "%s", )"
              R"("planning_s": %.3f, "library": "%s", )",
              job.mode.c_str(), job.n, ranks, job.local() ? omp_get_max_threads() : 1, name.c_str(), planning,
              fftw_version);
  std::printf(R"("forward_s": {"min": %.6e, "median": %.6e, "max": %.6e}})"
              "\n",
              best.front(), best[best.size() / 2], best.back());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s natural|transposed|r2c|threads|copy N ITERATIONS WARMUP WISDOM\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  fftw_init_threads();
  fftw_mpi_init();
  const Job job{argv[1], std::atoll(argv[2]), std::max(1, std::atoi(argv[3])), std::atoi(argv[4]), argv[5]};
  fftw_plan_with_nthreads(job.mode == "threads" ? omp_get_max_threads() : 1);
  try {
    run(job);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark_fftw_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
