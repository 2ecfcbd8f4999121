// Groups of ranks.
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "module.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/exact_sum.hpp"
#include "shardfft/mpi_plugin.hpp"
#include "shardfft/programs/watched_ranks.hpp"

namespace shardfft::python {
namespace {

// A function of Python that ranks run, and what went wrong: the cause, not what the other ranks saw of it. Ranks that
// were interrupted may outlive the call.
struct Work {
  nb::callable body;
  std::mutex mutex{};
  std::vector<std::pair<bool, nb::python_error>> failures{};  // whether it is a consequence
  std::vector<unsigned long> threads{};                       // of Python, that are inside of `body`
};

std::shared_ptr<Work> work_of(const nb::callable& body) {
  return {new Work{.body = body}, [](Work* work) {
            const nb::gil_scoped_acquire held;
            delete work;
          }};
}

bool is_consequence(const nb::python_error& error) {
  const nb::object status = nb::getattr(error.value(), "status", nb::none());
  return !status.is_none() && nb::cast<std::string>(nb::str(status)) == name(Status::transport_failed);
}

void run(Work& work, const Comm& comm) {
  const nb::gil_scoped_acquire held;
  const unsigned long me = PyThread_get_thread_ident();
  work.threads.push_back(me);
  try {
    work.body(comm);
    std::erase(work.threads, me);
  } catch (nb::python_error& error) {
    std::erase(work.threads, me);
    const bool consequence = is_consequence(error);
    const std::lock_guard lock(work.mutex);
    work.failures.emplace_back(consequence, error);
    throw Error(Status::internal, "a rank failed");
  }
}

void on_ranks_of_python(int ranks, const nb::callable& body) {
  const auto work = work_of(body);
  std::optional<nb::python_error> interrupt;
  // The main thread runs handlers of signals. What they raise, as KeyboardInterrupt, is raised in the ranks, too.
  const auto is_interrupted = [&] {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() == 0) return false;
    nb::python_error raised;
    for (const unsigned long thread : work->threads) PyThreadState_SetAsyncExc(thread, raised.type().ptr());
    interrupt.emplace(std::move(raised));
    return true;
  };
  try {
    const nb::gil_scoped_release free;
    on_watched_ranks(ranks, [work](Comm comm) { run(*work, comm); }, is_interrupted);
  } catch (const Error&) {
    if (interrupt) throw std::move(*interrupt);
    const std::lock_guard lock(work->mutex);
    for (const bool consequence : {false, true})
      for (auto& [is_one, error] : work->failures)
        if (is_one == consequence) throw std::move(error);
    throw;
  }
  if (interrupt) throw std::move(*interrupt);
}

/// Collective. Number i of an array belongs to sum i % streams.
std::vector<double> exact_sums(const Comm& comm,
                               const std::vector<nb::ndarray<const double, nb::ndim<1>, nb::c_contig>>& arrays,
                               std::size_t streams) {
  const nb::gil_scoped_release free;
  std::vector<ExactSum> sums(streams);
  for (const auto& array : arrays)
    for (std::size_t i = 0; i < array.size(); ++i) sums[i % streams].add(array.data()[i]);
  return values_of(comm, sums);
}

struct Report {
  std::int64_t status;
  std::uint64_t call;
};

void agree(const Comm& comm, const std::string& call, Status mine, const std::string& text) {
  const Report report{.status = static_cast<std::int64_t>(mine), .call = std::hash<std::string>{}(call)};
  std::vector<Report> all(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&report, 1)), std::as_writable_bytes(std::span(all)));
  if (std::any_of(all.begin(), all.end(), [](const Report& r) { return r.status != 0; }))
    collectively(comm, [&] {
      if (mine != Status::ok) throw Error(mine, text);
    });
  if (std::any_of(all.begin(), all.end(), [&](const Report& r) { return r.call != all[0].call; }))
    require_same(comm, "the collective call that ranks make together", call);
}

void agree_of_python(const Comm& comm, const std::string& call, const std::string& status, const std::string& text) {
  const nb::gil_scoped_release free;
  Status mine = Status::ok;
  for (int number = 1; number <= static_cast<int>(Status::device_failed); ++number)
    if (status == name(static_cast<Status>(number))) mine = static_cast<Status>(number);
  agree(comm, call, mine, text);
}

}  // namespace

void agree(const Comm& comm, const std::string& call) { agree(comm, call, Status::ok, {}); }

void add_comm(nb::module_& module) {
  nb::class_<Comm>(module, "Comm", "A group of ranks that transform together.")
      .def_prop_ro("rank", &Comm::rank)
      .def_prop_ro("size", &Comm::size)
      .def_prop_ro("nodes", &Comm::nodes)
      .def_prop_ro(
          "kind", [](const Comm& c) { return std::string(c.kind()); }, "local, threads, mpi or dry_run")
      .def("node", &Comm::node, nb::arg("rank"), "Number of the node that a rank runs on.")
      .def("barrier", &Comm::barrier, nb::call_guard<nb::gil_scoped_release>(), "Collective.")
      .def(
          "broadcast",
          [](const Comm& c, const nb::bytes& mine, int root) {
            std::vector<char> bytes(mine.c_str(), mine.c_str() + mine.size());
            {
              const nb::gil_scoped_release free;
              auto size = static_cast<std::int64_t>(bytes.size());
              c.broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
              bytes.resize(static_cast<std::size_t>(size));
              c.broadcast(std::as_writable_bytes(std::span(bytes)), root);
            }
            return nb::bytes(bytes.data(), bytes.size());
          },
          nb::arg("data"), nb::arg("root") = 0, "Collective: the bytes of `root`, of any length.")
      .def(
          "allgather",
          [](const Comm& c, const nb::bytes& mine) {
            std::vector<std::byte> all(mine.size() * static_cast<std::size_t>(c.size()));
            const std::vector<char> own(mine.c_str(), mine.c_str() + mine.size());
            {
              const nb::gil_scoped_release free;
              c.allgather(std::as_bytes(std::span(own)), all);
            }
            return nb::bytes(all.data(), all.size());
          },
          nb::arg("data"), "Collective: the bytes of all ranks, as many of each.")
      .def(
          "sum", [](const Comm& c, double value) { return all_sum(c, value); }, nb::arg("value"),
          nb::call_guard<nb::gil_scoped_release>(), "Collective: in rank order, so that its bits never change.")
      .def(
          "max", [](const Comm& c, double value) { return all_max(c, value); }, nb::arg("value"),
          nb::call_guard<nb::gil_scoped_release>(), "Collective.")
      .def("__repr__", [](const Comm& c) {
        return "<shardfft.Comm: rank " + std::to_string(c.rank()) + " of " + std::to_string(c.size()) + ", " +
               std::string(c.kind()) + ">";
      });
  module.def("local", &local, "This process alone.");
  module.def("dry_run", &dry_run, nb::arg("ranks"), nb::arg("rank") = 0, nb::arg("ranks_per_node") = 1,
             "Ranks of which only one exists, for plans that are looked at and never run.");
  module.def(
      "on_ranks", &on_ranks_of_python, nb::arg("ranks"), nb::arg("body"),
      "Runs body(comm) on as many threads, each a rank of one group; the first exception is raised again. What a "
      "handler of a signal raises ends the ranks.");
  module.def(
      "comm_of_mpi",
      [](std::uintptr_t address, std::size_t bytes) {
        return mpi_group(reinterpret_cast<const void*>(address), bytes);
      },
      nb::arg("address"), nb::arg("bytes"), nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "agree", &agree_of_python, nb::arg("comm"), nb::arg("call"), nb::arg("status"), nb::arg("text"),
      "Collective: raises the error of the lowest rank that has one, on all ranks, or says that ranks make different "
      "calls. No status: this rank has none.");
  module.def("exact_sums", &exact_sums, nb::arg("comm"), nb::arg("arrays"), nb::arg("streams"),
             "Collective: for each stream the sum of its numbers on all ranks, exact before it is rounded.");
  module.def("mpi_library", &mpi_library, "The MPI that is built in or loaded; empty where there is none.");
  module.def("load_mpi", [](const std::string& plugin) { load_mpi(plugin); }, nb::arg("plugin"));
}

}  // namespace shardfft::python
