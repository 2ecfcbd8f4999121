#include "run.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <omp.h>

#include "launch/launch.hpp"
#include "peers/measure/clock.hpp"
#include "peers/measure/memory.hpp"
#include "peers/measure/pages.hpp"
#include "result.hpp"
#include "shardfft/error.hpp"

namespace shardfft::peers {
namespace {

constexpr int bad_input = 2, failure = 1;

void say(const std::string& program, std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  fmt::print(stderr, "{}: {}\n", program, text);
}

/// What a task asks beyond what a library says that it can; the words are those of `shardfft compare`.
void require_served(const Comm& comm, const About& about, const Task& task) {
  if (!about.available) throw Unsupported(about.reason);
  if (task.batch > 1 && !about.batch) throw Unsupported("transforms one field at a time");
  if (!task.axes.empty() && !about.axes) throw Unsupported("transforms all axes");
  if (task.grid.dims() == 0) return;
  if (!about.grid) throw Unsupported("takes no process grid");
  if (product(task.grid) != comm.size())
    throw Unsupported(fmt::format("the numbers of --grid must multiply to the ranks, here {}; got {}", comm.size(),
                                  to_string(task.grid)));
}

/// Collective.
Json measured(const Comm& comm, const Arguments& arguments, Library& library) {
  const Task& task = arguments.task;
  omp_set_num_threads(task.threads);  // whatever OMP_NUM_THREADS says
  library.load(task);
  const MemoryWatch memory;
  std::unique_ptr<Transform> transform;
  Outcome o;
  o.plan_s = seconds_of(comm, [&] { transform = library.plan(comm, task); });
  transform->allocate();
  o.times = measure(comm, arguments, *transform);
  o.memory_peak_bytes = memory.peak_growth(comm);
  o.huge_page_bytes = huge_page_bytes(comm);
  o.nodes = comm.nodes();
  o.findings = check(comm, task, *transform);
  o.wrong_ways = transform->wrong_ways;
  o.small_pages = transform->small_pages;
  o.description = transform->describe();
  o.recipe_json = transform->recipe_json();
  o.plan_text = transform->plan_text();
  return record_of(library.about(), task, o);
}

/// Collective. Errors that all ranks have alike become a record; others leave as they are.
Json record_on(const Comm& comm, const Arguments& arguments, Library& library) {
  const About about = library.about();
  try {
    require_served(comm, about, arguments.task);
    return measured(comm, arguments, library);
  } catch (const Unsupported& e) {
    return record_without_times(about, arguments.task, "unsupported", e.what());
  } catch (const std::exception& e) {
    if (comm.size() > 1) throw;
    return record_without_times(about, arguments.task, "failed", e.what());
  }
}

int run_on(const Comm& comm, const Arguments& arguments, Library& library) {
  const Json record = record_on(comm, arguments, library);
  collectively(comm, [&] {
    if (comm.rank() == 0) write_whole(arguments.result, record);
  });
  return 0;
}

/// A library for one process that a launcher started several times: the first one says so, the others have nothing to
/// do.
int refuse_ranks(const cli::Launcher& launcher, const Arguments& arguments, const Library& library) {
  if (launcher.rank != 0) return 0;
  write_whole(arguments.result,
              record_without_times(library.about(), arguments.task, "unsupported",
                                   fmt::format("runs in one process; was started as {} ranks", launcher.ranks)));
  return 0;
}

/// The other ranks may not know: this one leaves its reason in the result file, where it can, and ends them all.
int give_up(cli::World& world, const Arguments& arguments, const Library& library, const std::string& reason) {
  try {
    write_whole(arguments.result, record_without_times(library.about(), arguments.task, "failed", reason));
  } catch (const Error&) {}  // the reason is on stderr
  world.abort(failure);
  return failure;
}

int run_in_world(cli::World& world, const std::string& program, const Arguments& arguments, Library& library) {
  try {
    return run_on(world.comm(), arguments, library);
  } catch (const Error& e) {
    if (world.comm().rank() == 0) say(program, e.what());
    if (e.status() == Status::io_failed) return bad_input;  // the same on all ranks
    return give_up(world, arguments, library, e.what());
  } catch (const std::exception& e) {
    const std::string reason = fmt::format("rank {}: {}", world.comm().rank(), e.what());
    say(program, reason);
    return give_up(world, arguments, library, reason);
  }
}

int run_asked(Library& library, const std::string& program, const Arguments& arguments) {
  if (arguments.task.call == Call::best) restart_with_huge_pages();
  const cli::Launcher launcher = cli::find_launcher();
  if (!library.about().mpi) {
    if (launcher.ranks > 1) return refuse_ranks(launcher, arguments, library);
    const Comm alone = local();
    return run_on(alone, arguments, library);
  }
  auto world = cli::join_mpi();
  if (!world) world = cli::join_world();
  if (launcher.ranks > 1 && world->comm().size() == 1)
    throw Error(
        Status::unsupported,
        fmt::format(
            "a launcher must start ranks that find each other; it started {} processes but each is alone; use the "
            "launcher of {}",
            launcher.ranks, cli::mpi_library()));
  return run_in_world(*world, program, arguments, library);
}

}  // namespace

int run(Library& library, const std::string& program, const std::vector<std::string>& words) {
  try {
    const Arguments arguments = parse(program, words);
    if (arguments.help) fmt::print("{}", arguments.text);
    if (arguments.about) fmt::print("{}\n", to_json(library.about()).dump());
    if (arguments.help || arguments.about)
      return std::fflush(stdout) == 0 ? 0 : failure;  // peers in Python end without the program's own end
    return run_asked(library, program, arguments);
  } catch (const Error& e) {
    if (cli::find_launcher().rank == 0) say(program, e.what());
    return bad_input;
  } catch (const std::exception& e) {
    say(program, e.what());
    return failure;
  }
}

}  // namespace shardfft::peers
