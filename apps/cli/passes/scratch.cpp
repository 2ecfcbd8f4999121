#include "passes/scratch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file_runs.hpp"
#include "files/partial_file.hpp"
#include "launch/surroundings.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::cli {
namespace {

constexpr Index scratch_piece_bytes = 1 << 20;  ///< of one read or write

/// Part of a cell: `count` bytes from byte `from` of it on, which lie in stretches in memory.
struct CellPiece {
  std::size_t cell = 0;
  Index from = 0, count = 0;
};

Box seen_from(const Box& tile, Box box) {
  for (int a = 0; a < box.dims(); ++a) box.lo[a] -= tile.lo[a], box.hi[a] -= tile.lo[a];
  return box;
}

std::vector<CellPiece> pieces_of(const std::vector<Cells::Cell>& cells, Index element_bytes) {
  std::vector<CellPiece> pieces;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Index bytes = cells[c].box.count() * element_bytes;
    for (Index from = 0; from < bytes; from += scratch_piece_bytes)
      pieces.push_back({c, from, std::min(scratch_piece_bytes, bytes - from)});
  }
  return pieces;
}

/// copy(byte in memory, byte in the piece, bytes) for each stretch of a piece.
template <class Copy>
void for_each_stretch(const FileRuns& runs, Index element_bytes, const CellPiece& piece, Copy&& copy) {
  const Index length = runs.length() * element_bytes;
  for (Index done = 0; done < piece.count;) {
    const Index at = piece.from + done, inside = at % length;
    const Index count = std::min(length - inside, piece.count - done);
    copy(runs.file_start(at / length) * element_bytes + inside, done, count);
    done += count;
  }
}

int read_all(int fd, std::byte* to, Index bytes, Index offset) {
  while (bytes > 0) {
    const ssize_t n = ::pread(fd, to, static_cast<std::size_t>(bytes), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    to += n, bytes -= n, offset += n;
  }
  return 0;
}

}  // namespace

Scratch::Scratch(const Comm& comm, const std::string& target, Cells cells, Index element_bytes, int threads)
    : cells_(std::move(cells)), element_bytes_(element_bytes), threads_(threads) {
  target_ = text_of_first(comm, resolved(target));
  path_ = text_of_first(comm, name_beside(target_, "scratch"));
  try {
    if (!remove_when_killed(path_)) fail("cannot be made", ENAMETOOLONG, "use a shorter path");
    collectively(comm, [&] {
      if (comm.rank() == 0) create(product(cells_.shape()) * element_bytes);
    });
    collectively(comm, [&] {
      if (comm.rank() != 0) open_existing();
    });
  } catch (...) {
    if (fd_ >= 0) ::close(fd_), ::unlink(path_.c_str());
    forget_when_killed(path_);
    throw;
  }
  // Ranks of other nodes would lose a file that has no name.
  if (comm.nodes() > 1) return;
  if (comm.rank() == 0) ::unlink(path_.c_str());
  forget_when_killed(path_);
}

Scratch::~Scratch() {
  ::close(fd_);
  if (forget_when_killed(path_)) ::unlink(path_.c_str());
}

void Scratch::forget() const { (void)!::ftruncate(fd_, 0); }

void Scratch::create(Index bytes) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd_ < 0) fail("cannot be made", errno, "name a place where you may write");
  if (const int why = take_room(fd_, bytes))
    fail(fmt::format("cannot grow to {} bytes", bytes), why, remedy_of_room(why));
}

void Scratch::open_existing() {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (fd_ < 0) fail("cannot be opened on every rank", errno, "name a file system that all nodes share");
}

void Scratch::fail(const std::string& what, int why, const char* remedy) const {
  throw Error(Status::io_failed,
              fmt::format("the scratch file beside '{}' {}: {}; {}", target_, what, std::strerror(why), remedy));
}

template <class Body>
void Scratch::for_each_piece_of(const Box& tile, Body&& body) const {
  const std::vector<Cells::Cell> cells = cells_.within(tile);
  const std::vector<CellPiece> pieces = pieces_of(cells, element_bytes_);
  std::vector<int> order(static_cast<std::size_t>(tile.dims()));
  std::iota(order.begin(), order.end(), 0);
  const Shape extents = tile.shape();
  for_each_dealt(threads_, static_cast<Index>(pieces.size()), 1, [&](Index i) {
    const CellPiece& piece = pieces[static_cast<std::size_t>(i)];
    const Cells::Cell& cell = cells[piece.cell];
    body(FileRuns(seen_from(tile, cell.box), extents, order), piece, cell.start * element_bytes_ + piece.from);
  });
}

void Scratch::write(const Box& tile, const std::byte* memory) const {
  for_each_piece_of(tile, [&](const FileRuns& runs, const CellPiece& piece, Index offset) {
    thread_local std::vector<std::byte> buffer;
    buffer.resize(static_cast<std::size_t>(piece.count));
    for_each_stretch(runs, element_bytes_, piece, [&](Index in_memory, Index in_piece, Index count) {
      std::memcpy(buffer.data() + in_piece, memory + in_memory, static_cast<std::size_t>(count));
    });
    if (const int why = write_all(fd_, buffer, offset)) fail("cannot be written", why, "it needs more room");
  });
}

void Scratch::read(const Box& tile, std::byte* memory) const {
  for_each_piece_of(tile, [&](const FileRuns& runs, const CellPiece& piece, Index offset) {
    thread_local std::vector<std::byte> buffer;
    buffer.resize(static_cast<std::size_t>(piece.count));
    if (const int why = read_all(fd_, buffer.data(), piece.count, offset))
      fail("cannot be read", why, "check the file system");
    for_each_stretch(runs, element_bytes_, piece, [&](Index in_memory, Index in_piece, Index count) {
      std::memcpy(memory + in_memory, buffer.data() + in_piece, static_cast<std::size_t>(count));
    });
  });
}

}  // namespace shardfft::cli
