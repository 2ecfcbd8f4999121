#include "peers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "compare/cases/variant.hpp"
#include "process.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/files.hpp"
#include "shardfft/text.hpp"

namespace shardfft::compare {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr std::array known{"shardfft", "fftw_mpi",   "fftw_threads", "mkl",           "mkl_cluster",
                           "spfft",    "mpi4py_fft", "ducc0",        "scipy",         "heffte",
                           "2decomp",  "pfft",       "dtfft",        "shardfft_cuda", "shardfft_hip",
                           "cufft",    "cufftxt",    "cufftmp",      "vkfft",         "fftw_mpi+shardfft",
                           "mkl_fft",  "pyfftw"};

/// Words that start the peer of a library; none when it is not in the folder. Python is that of $SHARDFFT_PYTHON unless
/// the file can be run itself.
Names program_of(const fs::path& folder, const std::string& library) {
  const fs::path binary = folder / ("peer_" + library), script = folder / ("peer_" + library + ".py");
  if (::access(binary.c_str(), X_OK) == 0) return {binary.string()};
  // Scripts are there before the library that they load is built.
  const fs::path support = folder / "support";
  if (fs::exists(support / "peer_common.py") && !fs::exists(support / "libpeer_support.so")) return {};
  const char* python = std::getenv("SHARDFFT_PYTHON");
  if (python == nullptr && ::access(script.c_str(), X_OK) == 0) return {script.string()};
  if (fs::exists(script)) return {python != nullptr ? python : "python3", script.string()};
  return {};
}

fs::path folder_of_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

Peer absent(const std::string& library, const std::string& reason) {
  Peer peer;
  peer.library = library;
  peer.reason = reason;
  return peer;
}

/// The command that builds what is missing, where the program was built or is installed.
std::string how_to_build(const std::string& target) {
  const fs::path build = folder_of_program().parent_path();
  if (fs::exists(build / "CMakeCache.txt"))
    return fmt::format("build it with: cmake --build {} --target {}", build.string(), target);
  return fmt::format("in the build folder: cmake --build . --target {}, then cmake --install . --component peers",
                     target);
}

Peer ask(const fs::path& folder, const Variant& variant) {
  constexpr double limit_s = 60;
  const std::string& library = variant.library;
  const Names program = program_of(folder, library);
  if (program.empty())
    return absent(library, fmt::format("not built: no peer_{} in {}; {}", library, folder.string(),
                                       how_to_build(library == "shardfft" ? "peer_shardfft" : "peers")));
  ProcessRequest request{.words = program, .environment = variant.environment, .limit_s = limit_s, .keep_output = true};
  request.words.emplace_back("--about");
  const ProcessOutcome outcome = run_process(request);
  if (!outcome.good()) return absent(library, fmt::format("peer_{} --about: {}", library, reason_of(outcome, limit_s)));
  try {
    return peer_from(outcome.output, program);
  } catch (const std::exception&) {
    return absent(library, fmt::format("peer_{} --about does not print what a peer must", library));
  }
}

bool holds(const Names& list, const std::string& word) { return std::ranges::find(list, word) != list.end(); }

void check_name(const Names& present, const std::string& name) {
  if (holds(present, name) || std::ranges::find(known, name) != known.end()) return;
  const Names all(known.begin(), known.end());
  throw Error(Status::invalid_argument,
              fmt::format("--with must name libraries among {}; got '{}'{}; choose from these, or write --with all",
                          fmt::join(all, ", "), name, did_you_mean(name, all)));
}

Names wanted(const Names& present, const Names& names) {
  Names chosen{"shardfft"};
  for (const std::string& name : names) {
    if (name != "all") check_name(present, variant_of(name).library);
    for (const std::string& one : name == "all" ? present : Names{name})
      if (!holds(chosen, one)) chosen.push_back(one);
  }
  return chosen;
}

}  // namespace

Peer peer_from(const std::string& about, Names program) {
  const Json json = parse_outside<Json>(about);
  if (!json.is_object()) throw Error(Status::invalid_argument, "it does not say what it is in an object of JSON");
  Peer peer;
  peer.program = std::move(program);
  json.at("library").get_to(peer.library);
  json.at("available").get_to(peer.available);
  peer.version = json.value("version", "");
  peer.reason = json.value("reason", "");
  peer.mpi = json.value("mpi", false);
  peer.threads = json.value("threads", false);
  peer.grid = json.value("grid", false);
  peer.batch = json.value("batch", false);
  peer.axes = json.value("axes", false);
  peer.kinds = json.value("kinds", Names{});
  peer.precisions = json.value("precisions", Names{});
  peer.layouts = json.value("layouts", Names{});
  peer.dims = json.value("dims", std::vector<int>{});
  if (!peer.available && peer.reason.empty()) peer.reason = "it says that it is not available here";
  return peer;
}

fs::path peers_folder() {
  if (const char* named = std::getenv("SHARDFFT_PEERS"); named != nullptr && *named != '\0') return named;
  return folder_of_program().parent_path() / "libexec" / "shardfft" / "peers";
}

Names names_of_peers(const fs::path& folder) {
  std::error_code failed;
  Names names;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with("peer_")) continue;
    name.erase(0, 5);
    if (name.ends_with(".py")) name.resize(name.size() - 3);
    if (name.find('.') == name.npos && !program_of(folder, name).empty() && !holds(names, name)) names.push_back(name);
  }
  std::ranges::sort(names, {}, [](const std::string& name) { return std::pair(name != "shardfft", name); });
  return names;
}

std::vector<Peer> choose_peers(const fs::path& folder, const Names& names) {
  const Names present = names_of_peers(folder);
  if (present.empty())
    throw Error(
        Status::unsupported,
        fmt::format("compare needs the programs of the libraries (peer_shardfft, ...); there are none in '{}'; {}, or "
                    "name their folder in SHARDFFT_PEERS",
                    folder.string(), how_to_build("peers")));
  std::vector<Peer> peers;
  for (const std::string& name : wanted(present, names)) {
    const Variant variant = variant_of(name);
    Peer& peer = peers.emplace_back(ask(folder, variant));
    peer.library = name;
    peer.environment = variant.environment;
  }
  return peers;
}

std::string refusal_of(const Peer& peer, const Case& c) {
  if (!peer.available) return peer.reason;
  if (!holds(peer.kinds, c.kind)) return "does no " + c.kind;
  if (!holds(peer.precisions, c.precision)) return "does no " + c.precision;
  const bool any_layout =
      !peer.mpi && c.ranks == 1;  // in one process, every layout is the whole array in natural order
  if (!any_layout && !holds(peer.layouts, c.layout)) return "does not serve the layout " + c.layout;
  if (!peer.axes && !c.axes.empty()) return "transforms all axes";
  if (const auto dims = c.transformed().size(); !std::ranges::count(peer.dims, static_cast<int>(dims)))
    return fmt::format("does no {}-dimensional transforms", dims);
  if (!peer.mpi && c.ranks > 1) return "is not distributed over ranks";
  if (!peer.threads && c.threads > 1) return "does not use threads";
  if (!peer.grid && !c.grid.empty()) return "takes no process grid";
  if (!peer.batch && c.batch > 1) return "transforms one field at a time";
  return {};
}

}  // namespace shardfft::compare
