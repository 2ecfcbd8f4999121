#include "passes/scratch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/disk/partial_file.hpp"
#include "files/file_runs.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::files {
namespace {

/// Cells of so many bytes or more begin where direct writes may, which takes little more room.
constexpr Index long_cell = least_direct;

/// Part of a cell: `count` bytes from byte `from` of it on, which lie in stretches in memory.
struct CellPiece {
  std::size_t cell = 0;
  Index from = 0, count = 0;
};

Box seen_from(const Box& tile, Box box) {
  for (int a = 0; a < box.dims(); ++a) box.lo[a] -= tile.lo[a], box.hi[a] -= tile.lo[a];
  return box;
}

std::vector<CellPiece> pieces_of(const std::vector<Cells::Cell>& cells, Index element_bytes, Index piece_bytes) {
  std::vector<CellPiece> pieces;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Index bytes = cells[c].box.count() * element_bytes, parts = (bytes + piece_bytes - 1) / piece_bytes;
    const Index even = std::min(up_to_direct((bytes + parts - 1) / parts), piece_bytes);  // no short one at the end
    for (Index from = 0; from < bytes; from += even) pieces.push_back({c, from, std::min(even, bytes - from)});
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

}  // namespace

Scratch::File::File(const Comm& comm, ScratchPlace where, Index bytes) : place(std::move(where)) {
  try {
    if (!place.kept && !unfinished_.begin(place.path)) fail("cannot be made", ENAMETOOLONG, "use a shorter path");
    collectively(comm, [&] {
      if (comm.rank() == 0) place.exists ? open_existing() : create(bytes);
    });
    collectively(comm, [&] {
      if (comm.rank() != 0) open_existing();
      if (place.exists && !place.spent) check_length(bytes);
      direct = std::make_unique<DirectFile>(fd, O_RDWR);
    });
  } catch (...) {
    if (fd >= 0) ::close(fd);
    throw;
  }
  // Ranks of other nodes would lose a file that has no name.
  if (place.kept || comm.nodes() > 1) return;
  if (comm.rank() == 0) ::unlink(place.path.c_str());
  unfinished_.forget();
}

Scratch::File::~File() { ::close(fd); }

void Scratch::File::create(Index bytes) {
  fd = ::open(place.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) fail("cannot be made", errno, "name a place where you may write");
  unfinished_.exists();
  if (const int why = take_room(fd, bytes))
    fail(fmt::format("cannot grow to {} bytes", bytes), why, remedy_of_room(why));
}

void Scratch::File::open_existing() {
  fd = ::open(place.path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0) return unfinished_.exists();
  if (place.exists) fail("is lost", errno, "run it again, which begins anew");
  fail("cannot be opened on every rank", errno, "name a file system that all nodes share");
}

void Scratch::File::check_length(Index bytes) const {
  struct stat found{};
  if (::fstat(fd, &found) != 0 || found.st_size != bytes) fail("is cut off", EIO, "run it again, which begins anew");
}

void Scratch::File::fail(const std::string& what, int why, const char* remedy) const {
  throw Error(Status::io_failed,
              fmt::format("the scratch file {} {}: {}; {}", place.said, what, std::strerror(why), remedy));
}

Scratch::Scratch(const Comm& comm, std::vector<ScratchPlace> places, Cells cells, Index element_bytes, int threads,
                 Index piece_bytes)
    : cells_(std::move(cells)), element_bytes_(element_bytes), threads_(threads), piece_bytes_(piece_bytes) {
  std::vector<Index> ends(places.size());
  ends.front() = product(cells_.shape()) * element_bytes;
  if (places.size() > 1 || ends.front() >= long_cell * cells_.count())
    starts_ = cells_.aligned_starts(element_bytes, direct_alignment, ends);
  for (std::size_t i = 0; i < places.size(); ++i)
    files_.push_back(std::make_unique<File>(comm, std::move(places[i]), ends[i]));
}

std::string Scratch::said() const {
  std::string all;
  for (const auto& file : files_) all += (all.empty() ? "" : " or ") + file->place.said;
  return all;
}

void Scratch::forget() const {
  for (const auto& file : files_) (void)!::ftruncate(file->fd, 0);
}

void Scratch::to_disk() const {
  for (const auto& file : files_)
    if (::fdatasync(file->fd) != 0) file->fail("cannot be brought to the disk", errno, "check the file system");
}

const Scratch::File& Scratch::file_of(const Cells::Cell& cell) const {
  return *files_[static_cast<std::size_t>(cell.number) % files_.size()];
}

Index Scratch::start_of(const Cells::Cell& cell) const {
  return starts_.empty() ? cell.start * element_bytes_ : starts_[static_cast<std::size_t>(cell.number)];
}

template <class Body>
void Scratch::for_each_piece_of(const Box& tile, Body&& body) const {
  const std::vector<Cells::Cell> cells = cells_.within(tile);
  const std::vector<CellPiece> pieces = pieces_of(cells, element_bytes_, piece_bytes_);
  const std::vector<int> order = c_order(tile.dims());
  const Shape extents = tile.shape();
  for_each_dealt(threads_, static_cast<Index>(pieces.size()), 1, [&](Index i) {
    const CellPiece& piece = pieces[static_cast<std::size_t>(i)];
    const Cells::Cell& cell = cells[piece.cell];
    body(FileRuns(seen_from(tile, cell.box), extents, order), piece, file_of(cell), start_of(cell) + piece.from);
  });
}

void Scratch::write(const Box& tile, const std::byte* memory) const {
  for_each_piece_of(tile, [&](const FileRuns& runs, const CellPiece& piece, const File& file, Index offset) {
    thread_local DirectBuffer buffer;
    const Index bytes = starts_.empty() ? piece.count : up_to_direct(piece.count);
    std::byte* const from = buffer.room(bytes);
    for_each_stretch(runs, element_bytes_, piece, [&](Index in_memory, Index in_piece, Index count) {
      std::memcpy(from + in_piece, memory + in_memory, static_cast<std::size_t>(count));
    });
    std::memset(from + piece.count, 0, static_cast<std::size_t>(bytes - piece.count));
    if (const int why = file.direct->write({from, static_cast<std::size_t>(bytes)}, offset))
      file.fail("cannot be written", why, "it needs more room");
  });
  for (const auto& file : files_)
    if (const int why = file->direct->settle())
      file->fail("cannot be brought to the disk", why, "check the file system");
}

void Scratch::read(const Box& tile, std::byte* memory) const {
  for_each_piece_of(tile, [&](const FileRuns& runs, const CellPiece& piece, const File& file, Index offset) {
    thread_local DirectBuffer buffer;
    const Index start = down_to_direct(offset), end = up_to_direct(offset + piece.count);
    std::byte* const to = buffer.room(end - start);
    if (const int why = file.direct->read(to, end - start, start, offset + piece.count - start))
      file.fail("cannot be read", why == DirectFile::end_of_file ? EIO : why, "check the file system");
    for_each_stretch(runs, element_bytes_, piece, [&](Index in_memory, Index in_piece, Index count) {
      std::memcpy(memory + in_memory, to + (offset - start) + in_piece, static_cast<std::size_t>(count));
    });
  });
}

}  // namespace shardfft::files
