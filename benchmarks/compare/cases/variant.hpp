// A library with options of its own, as a contestant beside the same library with others:
// "shardfft_cuda+transport=peer_copy+chunks=4". And "fftw_mpi+shardfft": another library's program, run by shardfft
// through that library's interface; a library like the others.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace shardfft::compare {

struct Variant {
  std::string library{};  ///< "shardfft_cuda"
  std::vector<std::pair<std::string, std::string>>
      environment{};  ///< with which its program is started: SHARDFFT_TRANSPORT, peer_copy
};

/// shardfft a second time, as a contestant beside itself: its ratio is the noise of the comparison.
inline constexpr const char* shardfft_again = "shardfft+again";

/// The parts of a name of --with. Throws Error(invalid_argument) where an option means nothing, or is one of a library
/// other than shardfft: those choose by themselves what is best.
[[nodiscard]] Variant variant_of(const std::string& name);

/// Whether the library of this name is shardfft: itself, on another device, or with options.
[[nodiscard]] bool is_shardfft(const std::string& name);

}  // namespace shardfft::compare
