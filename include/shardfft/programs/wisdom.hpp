// What tune() found, as it is kept in a file (wisdom_file()): for programs that show it and tidy it up.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace shardfft {

/// One candidate that was measured.
struct KeptChoice {
  std::string recipe{};  ///< as TuneRow::recipe
  double seconds = 0;    ///< of one run of the slowest rank: mean of forward and backward, the best of several
};

/// What is kept about one problem, on these ranks and this machine.
struct KeptTuning {
  std::string id{};                    ///< a short name: 8 hexadecimal digits
  std::string key{};                   ///< what it is about, as TuneReport::key
  std::string damage{};                ///< why it makes no sense; empty where it does. The rest is empty then
  std::string date{};                  ///< "2026-11-20"
  std::string effort{};                ///< measure or exhaustive
  std::vector<KeptChoice> measured{};  ///< fastest first
  double model_seconds = 0;            ///< with the model's own choices; 0 where they failed
  std::string json{};                  ///< all of it as one JSON object
};

/// All that a file keeps, damaged entries last. Throws Error(io_failed).
[[nodiscard]] std::vector<KeptTuning> kept_tunings(const std::filesystem::path& file);
/// A damaged entry in words, with the remedy.
[[nodiscard]] std::string damage_text(const KeptTuning& damaged);

/// Removes the entries with these keys, damaged or not; returns how many there were. Throws Error(io_failed).
int forget_tunings(const std::filesystem::path& file, const std::vector<std::string>& keys);
/// Takes the entries of `from` over into `file`, but damaged ones; of two about the same the later one wins. Returns
/// how many were taken. Throws Error(io_failed).
int merge_tunings(const std::filesystem::path& file, const std::filesystem::path& from);

/// Forgets what was measured of this machine and its devices. Returns how many of both there were. Throws
/// Error(io_failed).
[[nodiscard]] int forget_machine();

}  // namespace shardfft
