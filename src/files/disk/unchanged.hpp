// Files that must stay as they are while they are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardfft::files {

/// What tells whether a file has changed.
struct FileStamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t bytes = 0, seconds = 0, nanoseconds = 0;       ///< its length, and the time of the last write
  std::int64_t changed_seconds = 0, changed_nanoseconds = 0;  ///< when this or its name or rights changed last

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
  /// Compares what all nodes see alike. Another node may number devices and inodes differently.
  [[nodiscard]] bool has_content_of(const FileStamp& other) const {
    return bytes == other.bytes && seconds == other.seconds && nanoseconds == other.nanoseconds;
  }
};

/// Remembers files as they were when reading began.
class UnchangedFiles {
 public:
  /// `fd`: open on `path`.
  void add(const std::string& path, int fd);
  void add(const std::string& path);  ///< one that others open; nothing where there is no file
  [[nodiscard]] const FileStamp& first() const { return files_.front().stamp; }
  /// All stamps, as numbers.
  [[nodiscard]] std::string text() const;
  /// Throws Error(io_failed) where one of them was written to, replaced or given other rights. One that was removed
  /// can still be read.
  void check() const;
  [[noreturn]] static void refuse(const std::string& path, const std::string& what);

 private:
  struct File {
    std::string path{};
    int fd = -1;
    FileStamp stamp{};
  };
  std::vector<File> files_{};
};

}  // namespace shardfft::files
