#include "energy.hpp"

#include <filesystem>
#include <fstream>

#include "shardfft/collective.hpp"

namespace shardfft::peers {
namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

}  // namespace

bool is_first_of_node(const Comm& comm) {
  for (int r = 0; r < comm.rank(); ++r)
    if (comm.node(r) == comm.node(comm.rank())) return false;
  return true;
}

EnergyCounter::EnergyCounter(const Comm& comm, const std::string& root) : comm_(comm), reads_(is_first_of_node(comm)) {
  std::error_code ignored;
  if (!reads_) return;
  for (const auto& entry : std::filesystem::directory_iterator(root, ignored)) {
    std::string name;
    std::ifstream(entry.path() / "name") >> name;
    const auto range = number_in(entry.path() / "max_energy_range_uj");
    // "package-0" holds its cores and its memory controller; "intel-rapl:0:0" and the like are parts of it.
    if (name.starts_with("package") && range && number_in(entry.path() / "energy_uj"))
      packages_.push_back({entry.path() / "energy_uj", *range, 0});
  }
}

void EnergyCounter::start() {
  for (Package& p : packages_) p.begin = number_in(p.file).value_or(0);
}

void EnergyCounter::stop() {
  for (const Package& p : packages_) {
    const std::uint64_t end = number_in(p.file).value_or(p.begin);
    microjoules_ += static_cast<double>(end >= p.begin ? end - p.begin : end + p.range - p.begin);
  }
}

std::optional<double> EnergyCounter::joules() const {
  const Index blind = all_sum(comm_, Index{reads_ && packages_.empty()});
  const double sum = all_sum(comm_, microjoules_ * 1e-6);
  return blind > 0 ? std::nullopt : std::optional(sum);
}

}  // namespace shardfft::peers
