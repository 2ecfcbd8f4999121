#include "one_file.hpp"

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "compare/cases/case_file.hpp"
#include "planner/model/machine_file.hpp"
#include "planner/model/machine_sense.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "planner/wisdom/wisdom_text.hpp"
#include "report/data/results.hpp"
#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

namespace fs = std::filesystem;

/// A folder of this process, where wisdom is kept.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "shardfft-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
    ::setenv("SHARDFFT_WISDOM", name.c_str(), 1);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] fs::path written(const char* name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

const Folder& folder() {
  static const Folder one;
  return one;
}

/// What `read` finds wrong. It may refuse the text, for this reason alone.
template <class Read>
std::string refused_or(Status reason, Read&& read) {
  try {
    return read();
  } catch (const Error& e) {
    const std::string what = e.what();
    if (e.status() != reason) return "another kind of error: " + what;
    return what.find('\n') == what.npos ? "" : "more than one line: " + what;
  }
}

std::string try_wisdom(const std::string& text, int& found) {
  return refused_or(Status::io_failed, [&]() -> std::string {
    std::vector<DamagedEntry> damaged;
    for (const WisdomEntry& entry : all_entries(folder().written("wisdom.json", text), &damaged)) {
      ++found;
      if (entry.measured.empty()) return "an entry without a measurement";
      for (const Measured& m : entry.measured)
        if (!std::isfinite(m.seconds) || m.seconds < 0) return "seconds that are none";
      const std::string said = to_text(entry);
      if (to_text(entry_from(entry.key, nlohmann::json::parse(said))) != said) return "does not read what it writes";
    }
    return "";
  });
}

std::string with_the_name_of_this_machine(std::string text) {
  constexpr std::string_view here = "@HERE@";
  for (std::size_t at = 0; (at = text.find(here, at)) != text.npos;) text.replace(at, here.size(), machine_key());
  return text;
}

std::string try_machine(const std::string& text, int& found) {
  (void)folder().written("machine.json", with_the_name_of_this_machine(text));
  Machine m;
  load_measured(m, local());
  found = m.measured ? 1 : 0;
  if (const std::string why = contradiction_in(m, cores_of_node()); !why.empty()) return "a contradiction: " + why;
  for (const double rate : {m.memory_bytes_per_s, m.node_bytes_per_s, m.cache_bytes_per_s, m.mpi_far.bytes_per_s})
    if (!std::isfinite(rate) || rate <= 0) return "a rate that is none";
  return std::isfinite(m.team_s) && m.team_s >= 0 ? "" : "seconds that are none";
}

std::string try_results(const std::string& text, int& found) {
  return refused_or(Status::invalid_argument, [&]() -> std::string {
    const report::Results results = report::parse_results(text, "a file");
    if (results.cases.empty()) return "results of nothing";
    for (const report::Case& c : results.cases) {
      ++found;
      if (c.shape.empty() || !(c.elements() > 0)) return "a case without elements";
      for (const report::Entry& entry : c.entries)
        for (const auto& times : {entry.forward, entry.backward})
          if (times && !(std::isfinite(times->median) && times->median >= 0)) return "seconds that are none";
    }
    return "";
  });
}

std::string try_cases(const std::string& text, int& found) {
  return refused_or(Status::invalid_argument, [&]() -> std::string {
    const compare::CaseFile file = compare::read_case_file(folder().written("cases.toml", text).string());
    for (const compare::CaseRequest& request : file.requests) {
      ++found;
      if (request.work.shape.dims() < 1 || request.work.array_bytes() <= 0) return "a case without elements";
      if (request.work.ranks < 1 || request.work.threads < 1) return "a case without workers";
      if (compare::case_from(compare::to_json(request.work)) != request.work) return "does not read what it writes";
    }
    return "";
  });
}

constexpr std::array readers{FileReader{"wisdom", try_wisdom}, FileReader{"machine", try_machine},
                             FileReader{"results", try_results}, FileReader{"cases", try_cases}};

}  // namespace

std::span<const FileReader> file_readers() { return readers; }

}  // namespace shardfft::testing
