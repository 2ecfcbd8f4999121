// What a transform in passes under --resume has done, so that the next run goes on where this one was killed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "shardfft/comm.hpp"

namespace shardfft::files {

using Json = nlohmann::json;

/// A tile of a pass that is done, and on the disk.
struct TileRecord {
  std::int64_t pass = 0, tile = 0;
  std::uint64_t hash_in = 0, hash_out = 0;  ///< of what was read of a scratch file, and of the result
  double error = 0, bound = 0;              ///< where tiles are verified
};

/// A folder beside OUT, "OUT.resume-<hash of identity>", with a file of records of each rank and all that is not whole
/// yet. Signals and KILL leave it. The object removes it: after errors, and when all is done.
class Journal {
 public:
  /// Collective. Goes on from what a run of this `identity` has left. Throws Error(io_failed) on every rank, also if
  /// another run works there now.
  Journal(const Comm& comm, const std::string& target, const Json& identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// "OUT.resume-<hash>", for folders of scratch files elsewhere, too.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string path(const std::string& file) const { return folder_ + "/" + file; }
  /// Whether a run was here before, and what it noted at begin().
  [[nodiscard]] bool goes_on() const { return !noted_.is_null(); }
  [[nodiscard]] const Json& noted() const { return noted_; }
  /// Tiles that earlier runs have done, on any rank.
  [[nodiscard]] const std::vector<TileRecord>& done() const { return done_; }
  /// Forgets the runs before.
  void start_anew();
  /// Collective: from now on a run that is killed can go on. Notes are what that needs to know beside the tiles.
  void begin(const Json& notes);
  /// After the tile's data have reached the disk. Throws Error(io_failed).
  void add(const TileRecord& record);
  /// A folder of the same life: made on rank 0, removed with this one.
  void adopt_folder(const std::string& folder);

 private:
  void take_folder();
  void read_records();
  void remove_all();
  [[noreturn]] void fail(const std::string& what, int why) const;

  Comm comm_;
  Json identity_;
  std::string name_, folder_, target_;
  std::vector<std::string> others_{};
  Json noted_{};
  std::vector<TileRecord> done_{};
  int lock_ = -1, fd_ = -1;
};

}  // namespace shardfft::files
