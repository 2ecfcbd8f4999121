// A file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

#include "files/disk/direct_file.hpp"
#include "files/disk/unfinished.hpp"
#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::files {

/// "target.word-<random>": a name beside `target` that nobody has, no longer than names may be there.
[[nodiscard]] std::string name_beside(const std::string& target, const char* word);

/// Gives an open file its length, and room for it where the file system can promise that. Returns 0, or as errno.
[[nodiscard]] int take_room(int fd, Index bytes);
/// What to do about that number.
[[nodiscard]] const char* remedy_of_room(int why);
/// Writes all of `data` at byte `offset`. Returns 0, or as errno.
[[nodiscard]] int write_all(int fd, std::span<const std::byte> data, Index offset);

/// Rank 0 makes `path`.partial-<random> beside `path`, in its full size; every rank writes its part; commit() renames
/// it to `path`. Where it is not committed, because of an error or of a signal (unfinished.hpp), the partial file is
/// removed; after SIGKILL it may stay, but `path` is as it was before.
class PartialFile {
 public:
  /// Collective. `header` becomes the start of the file, `bytes` its size. Throws Error(io_failed) on every rank; where
  /// `path` is none for a file it asks for `wanted`. `kept`: the name of the partial file, which may be there already
  /// and then is left as it is; nothing but the caller removes it.
  PartialFile(const Comm& comm, const std::string& path, const std::string& header, Index bytes,
              const std::string& wanted = "a file", const std::string& kept = "");
  /// A file that rank 0 makes with `maker(path)`. `least`: its bytes before anything else is written.
  using Maker = std::function<void(const std::string& path)>;
  PartialFile(const Comm& comm, const std::string& path, Index least, const Maker& maker, const std::string& wanted,
              const std::string& kept = "");
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// Writes all of `data` at byte `offset`; any thread, any rank. `streamed`: past the system's cache. Throws
  /// Error(io_failed).
  void write(std::span<const std::byte> data, Index offset, bool streamed = false) const;
  /// Waits for streamed bytes that the system's cache still has, when they are many. Not two threads at once. Throws
  /// Error(io_failed).
  void settle() const;
  /// Waits until all that this rank has written is on the disk. Throws Error(io_failed).
  void to_disk() const;
  /// Collective. When all ranks' bytes have reached the disk, `path` is the new file; its name reaches the disk, too.
  void commit();

 private:
  void open_on_all(const std::string& path, const Maker& fill, const std::string& wanted);
  void create(const Maker& fill, const std::string& wanted);
  void grow(Index bytes) const;
  void open_existing();
  [[noreturn]] void fail(const std::string& what) const;

  Comm comm_;
  std::string target_, partial_;
  bool kept_ = false;
  std::optional<mode_t> mode_{};  ///< of the file that it replaces
  int fd_ = -1;
  std::unique_ptr<DirectFile> direct_{};
  Unfinished unfinished_{};
};

}  // namespace shardfft::files
