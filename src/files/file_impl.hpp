// What there is behind a File.
#pragma once

#include <string>

#include "files/npy.hpp"
#include "shardfft/files.hpp"

namespace shardfft::files {

struct File::Impl {
  Impl(std::string called, ArrayInfo known);
  virtual ~Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string name;
  ArrayInfo info;

  virtual void read(const FilePart& part, std::byte* memory, Watcher& watcher) const;
  virtual void write(const FilePart& part, const std::byte* memory, Watcher& watcher) const;
  virtual void check_unchanged() const {}
  virtual void commit() {}  ///< collective

  /// Whether elements follow each other in a file, so that any stretch can be read and written.
  [[nodiscard]] virtual bool is_flat() const { return false; }
  [[nodiscard]] virtual Chunks chunks() const { return {}; }
  /// Memory that reading and writing takes beside buffers of pieces.
  [[nodiscard]] virtual Index library_bytes() const { return 0; }
  /// Which file this is, and when it changed last.
  [[nodiscard]] virtual std::string stamp() const { return {}; }
  /// A new file: what it will be called; empty for others.
  [[nodiscard]] virtual std::string path() const { return {}; }
  /// Collective. A new file lies at `kept` until commit(), and stays there without it; what is there already stays as
  /// it is, and has `start` bytes before the first element. Returns that number.
  virtual Index keep_at(const std::string& kept, Index start);
  /// Waits until all that this rank has written is on the disk.
  virtual void to_disk() const {}
};

/// Memory and file must have the same order of axes, and the same extents, but for flat files.
void require_order(const FilePart& part, const File::Impl& file);

/// Reads boxes of another type than that in memory without memory of its own.
///   type  of what `read(box, to)` reads: elements of a box in the order of the file
void read_converted(const Dtype& type, const FilePart& part, std::byte* memory, Watcher& watcher,
                    const std::function<void(const Box&, std::byte*)>& read);

}  // namespace shardfft::files
