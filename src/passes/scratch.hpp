// What lies between two passes, in a file beside the output.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "files/disk/direct_file.hpp"
#include "files/disk/unfinished.hpp"
#include "passes/pass.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::files {

/// One of the files of a scratch: its place.
struct ScratchPlace {
  std::string path{};
  std::string said{};   ///< in messages: "beside 'b.npy'"
  bool kept = false;    ///< it keeps its name until the caller removes it
  bool exists = false;  ///< it was kept
  bool spent = false;   ///< no tile is left to be read of it: forget() may have cut it off
};

/// Cells in a file, or dealt to several, that all ranks read and write. Those that are not kept: on one node they have
/// no name any more once every rank has opened them; on several they are removed with the object, and by signals that
/// end the program.
class Scratch {
 public:
  /// Collective: files in their full size. So many threads read and write pieces of so many bytes, a multiple of
  /// direct_alignment. Throws Error(io_failed) on every rank.
  Scratch(const Comm& comm, std::vector<ScratchPlace> places, Cells cells, Index element_bytes, int threads,
          Index piece_bytes);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// "beside 'b.npy'"
  [[nodiscard]] std::string said() const;
  /// Gives the room back; it is not read again. Not collective: every rank has read what it wanted.
  void forget() const;
  /// A tile of either pass, which lies in `memory` in C order. Several threads; throws Error(io_failed). Not
  /// collective.
  void write(const Box& tile, const std::byte* memory) const;
  void read(const Box& tile, std::byte* memory) const;

  /// Waits until all that this rank has written is on the disk. Throws Error(io_failed).
  void to_disk() const;

 private:
  /// One open file.
  class File {
   public:
    File(const Comm& comm, ScratchPlace place, Index bytes);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[noreturn]] void fail(const std::string& what, int why, const char* remedy) const;

    ScratchPlace place;
    int fd = -1;
    std::unique_ptr<DirectFile> direct{};

   private:
    void create(Index bytes);
    void open_existing();
    void check_length(Index bytes) const;

    Unfinished unfinished_{};
  };

  [[nodiscard]] const File& file_of(const Cells::Cell& cell) const;
  [[nodiscard]] Index start_of(const Cells::Cell& cell) const;
  /// body(stretches of its cell in memory, piece, file, byte in that) of each piece, by several threads.
  template <class Body>
  void for_each_piece_of(const Box& tile, Body&& body) const;

  Cells cells_;
  Index element_bytes_;
  int threads_;
  Index piece_bytes_;
  std::vector<Index> starts_{};  ///< byte of each cell in its file; empty: in one file, as elements follow each other
  std::vector<std::unique_ptr<File>> files_{};
};

}  // namespace shardfft::files
