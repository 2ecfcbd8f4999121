// What surrounds plans: tuning, what there is, what is remembered.
#include "module.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/programs/inventory.hpp"
#include "shardfft/programs/wisdom.hpp"

namespace shardfft::python {
namespace {

nb::list backends(const std::vector<Backend>& all) {
  nb::list rows;
  for (const Backend& b : all) rows.append(nb::make_tuple(b.name, b.reason, b.about));
  return rows;
}

nb::dict inventory_of(const Comm& comm) {
  Inventory found;
  {
    const nb::gil_scoped_release free;
    found = inventory(comm);
  }
  nb::dict all;
  all["engines"] = backends(found.engines);
  all["transports"] = backends(found.transports);
  all["codecs"] = backends(found.codecs);
  return all;
}

nb::list options() {
  nb::list rows;
  for (const OptionRow& row : option_table())
    rows.append(nb::make_tuple(std::string(row.name), std::string(row.variable), std::string(row.help)));
  return rows;
}

nb::dict row_of(const KeptTuning& kept) {
  nb::dict row;
  row["id"] = kept.id, row["key"] = kept.key, row["date"] = kept.date, row["effort"] = kept.effort;
  row["damage"] = kept.damage;
  row["recipe"] = kept.measured.empty() ? std::string() : kept.measured.front().recipe;
  row["seconds"] = kept.measured.empty() ? 0.0 : kept.measured.front().seconds;
  row["model_seconds"] = kept.model_seconds;
  return row;
}

nb::list kept() {
  nb::list rows;
  if (const auto file = wisdom_file(); std::filesystem::exists(file))
    for (const KeptTuning& tuning : kept_tunings(file)) rows.append(row_of(tuning));
  return rows;
}

int forget(const std::vector<std::string>& keys) { return forget_tunings(wisdom_file(), keys); }

}  // namespace

void add_tools(nb::module_& module) {
  module.def("inventory", &inventory_of, nb::arg("comm"), "Collective: engines, transports and codecs of this build.");
  module.def("kept_tunings", &kept, "What tuning found so far, as rows.");
  module.def("forget_tunings", &forget, nb::arg("keys"), "Removes these; returns how many there were.");
  module.def("options", &options, "(name, variable, help) of each option of a plan.");
}

}  // namespace shardfft::python
