// What lies between two passes, in a file beside the output.
#pragma once

#include <string>
#include <vector>

#include "passes/pass.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::cli {

/// A file of cells that all ranks read and write. On one node it has no name any more once every rank has opened it; on
/// several it is removed with the object, and by signals that end the program.
class Scratch {
 public:
  /// Collective: `target`.scratch-<random>, in its full size. Throws Error(io_failed) on every rank.
  Scratch(const Comm& comm, const std::string& target, Cells cells, Index element_bytes, int threads);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::string& target() const { return target_; }
  /// Gives the room back; it is not read again. Not collective: every rank has read what it wanted.
  void forget() const;
  /// A tile of either pass, which lies in `memory` in C order. Several threads; throws Error(io_failed). Not
  /// collective.
  void write(const Box& tile, const std::byte* memory) const;
  void read(const Box& tile, std::byte* memory) const;

 private:
  void create(Index bytes);
  void open_existing();
  [[noreturn]] void fail(const std::string& what, int why, const char* remedy) const;
  /// body(stretches of its cell in memory, piece, byte in the file) of each piece, by several threads.
  template <class Body>
  void for_each_piece_of(const Box& tile, Body&& body) const;

  Cells cells_;
  Index element_bytes_;
  int threads_;
  std::string target_, path_;
  int fd_ = -1;
};

}  // namespace shardfft::cli
