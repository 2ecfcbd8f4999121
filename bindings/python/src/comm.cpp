// Groups of ranks.
#include <mutex>

#include "module.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/mpi_plugin.hpp"

namespace shardfft::python {
namespace {

// What went wrong on a rank of on_ranks(): the cause, not what the other ranks saw of it.
struct Failures {
  std::mutex mutex;
  std::vector<std::pair<bool, nb::python_error>> all;  // whether it is a consequence
};

bool is_consequence(const nb::python_error& error) {
  const nb::object status = nb::getattr(error.value(), "status", nb::none());
  return !status.is_none() && nb::cast<std::string>(nb::str(status)) == name(Status::transport_failed);
}

void on_ranks_of_python(int ranks, const nb::callable& body) {
  Failures failures;
  try {
    const nb::gil_scoped_release free;
    on_ranks(ranks, [&](Comm comm) {
      const nb::gil_scoped_acquire held;
      try {
        body(comm);
      } catch (nb::python_error& error) {
        const bool consequence = is_consequence(error);
        const std::lock_guard lock(failures.mutex);
        failures.all.emplace_back(consequence, error);
        throw Error(Status::internal, "a rank failed");
      }
    });
  } catch (const Error&) {
    for (const bool consequence : {false, true})
      for (auto& [is_one, error] : failures.all)
        if (is_one == consequence) throw std::move(error);
    throw;
  }
}

void agree(const Comm& comm, const std::string& status, const std::string& text) {
  const nb::gil_scoped_release free;
  collectively(comm, [&] {
    for (int number = 1; number <= static_cast<int>(Status::device_failed); ++number)
      if (status == name(static_cast<Status>(number))) throw Error(static_cast<Status>(number), text);
  });
}

}  // namespace

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
  module.def("on_ranks", &on_ranks_of_python, nb::arg("ranks"), nb::arg("body"),
             "Runs body(comm) on as many threads, each a rank of one group; the first exception is raised again.");
  module.def(
      "comm_of_mpi",
      [](std::uintptr_t address, std::size_t bytes) {
        return mpi_group(reinterpret_cast<const void*>(address), bytes);
      },
      nb::arg("address"), nb::arg("bytes"), nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "agree", &agree, nb::arg("comm"), nb::arg("status"), nb::arg("text"),
      "Collective: raises the error of the lowest rank that has one, on all ranks. No status: this rank has none.");
  module.def("mpi_library", &mpi_library, "The MPI that is built in or loaded; empty where there is none.");
  module.def("load_mpi", [](const std::string& plugin) { load_mpi(plugin); }, nb::arg("plugin"));
}

}  // namespace shardfft::python
