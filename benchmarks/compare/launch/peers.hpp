// The programs that are compared: one per library, each says what it can.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "compare/cases/case.hpp"

namespace shardfft::compare {

/// What `peer_X --about` says.
struct Peer {
  std::string library{}, version{};  ///< the library's name as --with gave it, its options included
  bool available = false;
  std::string reason{};  ///< why it is not available
  bool mpi = false, threads = false, grid = false, batch = false, axes = false;
  std::vector<std::string> kinds{}, precisions{}, layouts{};
  std::vector<int> dims{};
  std::vector<std::string> program{};                              ///< words that start it
  std::vector<std::pair<std::string, std::string>> environment{};  ///< what it is started with: its options
};

/// $SHARDFFT_PEERS, else libexec/shardfft/peers beside the folder of this program.
[[nodiscard]] std::filesystem::path peers_folder();

/// Names of all peers in the folder, shardfft first, the others in the order of the alphabet.
[[nodiscard]] std::vector<std::string> names_of_peers(const std::filesystem::path& folder);

/// Asks the peers of these names what they can; "all" is every one of the folder that is available. shardfft always
/// takes part, first. A library that is known but has no program here, or cannot run, is returned with its reason. A
/// name may have options (see variant.hpp). Throws Error(invalid_argument) for a name that nobody knows and
/// Error(unsupported) without a folder of peers.
[[nodiscard]] std::vector<Peer> choose_peers(const std::filesystem::path& folder,
                                             const std::vector<std::string>& names);

/// Why the peer does not run this case; empty when it does.
[[nodiscard]] std::string refusal_of(const Peer& peer, const Case& c);

/// Throws nlohmann's exceptions where the text is not as HARNESS says. `program` starts it.
[[nodiscard]] Peer peer_from(const std::string& about, std::vector<std::string> program);

}  // namespace shardfft::compare
