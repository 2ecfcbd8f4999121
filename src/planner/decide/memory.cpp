#include "planner/decide/memory.hpp"

#include <algorithm>

#include "planner/decide/backends.hpp"

namespace shardfft {
namespace {

constexpr double most_common_room = Index{64} << 20;

// The part of the cores' common cache that arrays of one transform may fill. Others use part of a very large one.
double common_room(const Machine& m) { return std::min(static_cast<double>(m.l3_bytes) / 2, most_common_room); }

bool shares_common_cache(const Machine& m) { return static_cast<double>(m.l3_bytes) / 2 > most_common_room; }

// Windows have strides that suit the caches, and sweeps that never write where they read; an array that lies in the
// caller's output all the time takes less room in the cores' common cache, and its lines are written while they are
// still near. Which of them counts depends on whether it fits there (docs/performance/lessons.md).
bool fits_common_cache(const Machine& m, const CheckedProblem& p, bool in_place) {
  return bytes_of(p) <= common_room(m) * (in_place ? 2 : 1);
}

// Bypassing the cache pays once a core's share of the array cannot stay in its own cache until the next sweep, even
// where a common cache could hold it: stores that do not first read the line they overwrite save more than that cache
// gives back (docs/performance/lessons.md). In the output the next sweep reads what was just written, and only arrays
// much larger than that, which the common cache cannot hold beside what is transformed, are better written past the
// cache.
bool worth_non_temporal(const Machine& m, const CheckedProblem& p, int cores, bool buffers) {
  const double share = bytes_of(p) / std::max(1, cores), own = static_cast<double>(m.l2_bytes);
  return buffers ? share >= 1.5 * own : share >= 8 * own && 2 * bytes_of(p) > common_room(m);
}

// A very large common cache is slow, and lines that were just written past it are not in it: an array that would be
// stored so goes through buffers there, unless it comes from where it goes (docs/performance/lessons.md).
bool better_in_output(const Machine& m, const CheckedProblem& p, int cores, bool in_place) {
  return fits_common_cache(m, p, in_place) &&
         (in_place || !shares_common_cache(m) || !worth_non_temporal(m, p, cores, false));
}

// The array can lie in the caller's output where it loses nothing and every rank of one node reaches it: that of
// processors, or of one rank's device.
bool needs_buffers(const Recipe& r, const Comm& comm) {
  return (r.device && (!r.holder() || comm.size() > 1)) || r.encoding.codec ||
         (comm.size() > 1 && (r.choices.options.in_place || !stores_everywhere(comm, *r.transports.front())));
}

// Reals have no room for what lies between two sweeps on the way back to them: that goes through a third array, which
// no sweep has read, unless the half spectrum may be overwritten. Measured on two cores: stored past the cache, half
// spectra of 16 MB are 1.2 times as fast, of 24 to 33 MB 1.5 times; below, what comes next and finds the reals out of
// the cache loses more (docs/performance/lessons.md).
bool streams_back(const Recipe& r, int cores) {
  const Options& o = r.choices.options;
  return r.problem.real && !o.in_place && !o.destroy_input &&
         bytes_of(r.problem) / std::max(1, cores) >= 3.5 * static_cast<double>(r.machine.l2_bytes);
}

int number_of(const Engine& engine) {
  const auto all = engines();
  return static_cast<int>(std::find(all.begin(), all.end(), &engine) - all.begin());
}

}  // namespace

double bytes_of(const CheckedProblem& p) { return p.largest_array() * p.element_bytes(); }

// Encoded exchanges have more to hide: encoding before, decoding after.
int default_chunks(const Comm& comm, const Transport& first, const CheckedProblem& p, bool encoded) {
  if (stores_everywhere(comm, first)) return 1;
  const double message = bytes_of(p) / comm.size() / comm.size();
  constexpr double worth_splitting = 256 << 10;
  return std::clamp(static_cast<int>(message / worth_splitting), 1, encoded ? 8 : 4);
}

Model model_of(const Recipe& r, const Comm& comm) {
  Model m{.machine = r.machine, .comm = &comm, .sharers = ranks_on_first_node(comm), .tuning = r.tuning};
  m.tuning.threads = r.threads_of_first;
  m.engine = number_of(*r.engine);
  m.scalar = r.problem.scalar;
  m.path = path_of(comm, *r.transports.front());
  m.cached = !worth_non_temporal(r.machine, r.problem, comm.size() * r.threads_of_first, true);
  m.fits_common_cache = fits_common_cache(r.machine, r.problem, r.choices.options.in_place);
  m.stays_in_common_cache = r.tuning.intermediate == Intermediate::output &&
                            r.tuning.non_temporal != NonTemporal::all &&
                            2 * bytes_of(r.problem) <= common_room(r.machine);
  return m;
}

// Chooses the place of the array between sweeps, and its stores. Halves of a long axis are faster with buffers.
void choose_memory(Recipe& r, const Comm& comm) {
  const Options& o = r.choices.options;
  Tuning& t = r.tuning;
  const int cores = comm.size() * r.threads_of_first;
  const bool buffers =
      needs_buffers(r, comm) ||
      (o.expert.intermediate == Intermediate::automatic
           ? r.split || r.chirped || (!r.device && !better_in_output(r.machine, r.problem, cores, o.in_place))
           : o.expert.intermediate == Intermediate::buffers);
  t.intermediate = buffers ? Intermediate::buffers : Intermediate::output;
  t.non_temporal = o.expert.non_temporal != NonTemporal::automatic            ? o.expert.non_temporal
                   : worth_non_temporal(r.machine, r.problem, cores, buffers) ? NonTemporal::all
                   : streams_back(r, cores)                                   ? NonTemporal::synthesis
                                                                              : NonTemporal::none;
  t.huge_pages = comm.size() > 1 && o.expert.huge_pages != HugePages::off ? HugePages::on : HugePages::automatic;
}

}  // namespace shardfft
