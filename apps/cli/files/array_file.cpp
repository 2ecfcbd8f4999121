#include "files/array_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/convert.hpp"
#include "files/file_runs.hpp"
#include "files/hdf5_file.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::cli {
namespace {

/// body(element in the file, element in memory, elements) for all of a rank's boxes, by several threads; the first
/// exception is thrown again here. `element_bytes`: in the file, or in memory if that is more.
void for_each_piece(const FilePart& part, const std::vector<int>& order, Index element_bytes, Progress& progress,
                    const std::function<void(Index, Index, Index)>& body) {
  const Index piece_elements = std::max<Index>(part.piece_bytes / element_bytes, 1);
  Index box_start = 0;
  progress.expect(part.count());
  for (const Box& box : part.boxes) {
    const FileRuns runs(box, part.global, order);
    const Index pieces = (runs.length() + piece_elements - 1) / piece_elements;
    const Index chunk = std::max<Index>(1, piece_elements / (4 * runs.length() + 1));
    for_each_dealt(part.threads, runs.count() * pieces, chunk, [&](Index i) {
      const Index run = i / pieces, start = i % pieces * piece_elements;
      const Index count = std::min(piece_elements, runs.length() - start);
      body(runs.file_start(run) + start, box_start + run * runs.length() + start, count);
      progress.advance(count);
    });
    box_start += box.count();
  }
}

/// body(box) for parts of a box that follow each other in C order: halves along the slowest axis that can be cut, until
/// `suits(box)`.
template <class Suits, class Body>
void for_each_slab(const Box& box, const Suits& suits, const Body& body) {
  int axis = 0;
  while (axis + 1 < box.dims() && box.extent(axis) == 1) ++axis;
  if (box.count() == 0) return;
  if (suits(box) || box.extent(axis) == 1) return body(box);
  Box first = box, second = box;
  first.hi[axis] = second.lo[axis] = box.lo[axis] + box.extent(axis) / 2;
  for_each_slab(first, suits, body);
  for_each_slab(second, suits, body);
}

void require_order(const FilePart& part, const std::vector<int>& order) {
  if (part.order != order)
    throw Error(Status::internal, "file and memory must have the same order of axes; one of another order was made");
}

[[noreturn]] void cannot_read(const std::string& path, const char* why) {
  throw Error(Status::io_failed,
              fmt::format("the input '{}' cannot be read: {}; name a .npy file that every rank can read", path, why));
}

constexpr const char* became_shorter = "it became shorter while it was read";

/// The bytes before the array.
std::string slurp_header(int fd, const std::string& path) {
  std::string text(npy_prologue_bytes, '\0');
  const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
  if (n < 0) cannot_read(path, std::strerror(errno));
  text.resize(npy_header_bytes(std::string_view(text).substr(0, static_cast<std::size_t>(n)), path));
  if (::pread(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    throw Error(Status::io_failed, fmt::format("'{}' is cut off inside its .npy header; copy or write it again", path));
  }
  return text;
}

}  // namespace

NpyInput::NpyInput(const Comm& comm, const std::string& path) {
  const std::optional<Hdf5Name> hdf5 = hdf5_name(path);
  path_ = hdf5 ? hdf5->file : path;
  collectively(comm, [&] {
    fd_ = ::open(path_.c_str(),
                 O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe would wait here for a writer that never comes
    if (fd_ < 0) cannot_read(path_, std::strerror(errno));
    struct stat status{};
    if (::fstat(fd_, &status) == 0 && !S_ISREG(status.st_mode))
      cannot_read(path_, S_ISDIR(status.st_mode) ? "it is a folder" : "it is a device or pipe");
    unchanged_.add(path_, fd_);
    direct_ = std::make_unique<DirectFile>(fd_, O_RDONLY);
    if (comm.rank() == 0) header_ = hdf5 ? hdf5_header(*hdf5) : parse_npy_header(slurp_header(fd_, path), path);
  });
  static_assert(std::is_trivially_copyable_v<NpyHeader>);
  comm.broadcast(std::as_writable_bytes(std::span(&header_, 1)), 0);
  FileStamp of_first = unchanged_.first();
  comm.broadcast(std::as_writable_bytes(std::span(&of_first, 1)), 0);
  collectively(comm, [&] {
    if (header_.scattered)
      dataset_ = std::make_unique<Hdf5Dataset>(*hdf5);
    else
      check_size();
    if (dataset_)
      for (const std::string& other : dataset_->other_files()) unchanged_.add(other);
    if (!unchanged_.first().has_content_of(of_first)) UnchangedFiles::refuse(path_, "ranks see different ones");
    unchanged_.check();
  });
}

NpyInput::~NpyInput() {
  if (fd_ >= 0) ::close(fd_);
}

std::vector<int> NpyInput::order() const {
  std::vector<int> order = c_order(header_.shape.dims());
  if (header_.fortran_order) std::reverse(order.begin(), order.end());
  return order;
}

void NpyInput::check_size() const {
  struct stat status{};
  if (::fstat(fd_, &status) != 0) cannot_read(path_, std::strerror(errno));
  const Index needed = header_.data_offset + product(header_.shape) * header_.dtype.size;
  if (status.st_size < needed) {
    throw Error(Status::io_failed,
                fmt::format("'{}' must have {} bytes for {} {}; it has {}; it was cut off, copy or write it again",
                            path_, needed, to_string(header_.shape), to_string(header_.dtype), status.st_size));
  }
}

void NpyInput::read_bytes(std::byte* to, std::size_t bytes, Index offset) const {
  while (bytes > 0) {
    const ssize_t n = ::pread(fd_, to, bytes, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) cannot_read(path_, std::strerror(errno));
    if (n == 0) cannot_read(path_, became_shorter);
    to += n;
    bytes -= static_cast<std::size_t>(n);
    offset += n;
  }
}

/// The bytes, in memory of this thread until its next call.
const std::byte* NpyInput::read_direct(Index bytes, Index offset) const {
  thread_local DirectBuffer buffer;
  const Index start = down_to_direct(offset), end = up_to_direct(offset + bytes);
  std::byte* const to = buffer.room(end - start);
  const int why = direct_->read(to, end - start, start, offset + bytes - start);
  if (why != 0) cannot_read(path_, why == DirectFile::end_of_file ? became_shorter : std::strerror(why));
  return to + (offset - start);
}

void NpyInput::read(const FilePart& part, std::byte* memory, Progress& progress) const {
  require_order(part, order());
  if (dataset_) return read_dataset(part, memory, progress);
  const Dtype target = plan_dtype(part.precision, part.complex);
  const Converter convert = find_converter(header_.dtype, part.precision, part.complex);
  const Index widest = std::max(header_.dtype.size, target.size);
  for_each_piece(part, order(), widest, progress, [&](Index in_file, Index in_memory, Index count) {
    const auto bytes = static_cast<std::size_t>(count * header_.dtype.size);
    const Index offset = header_.data_offset + in_file * header_.dtype.size;
    std::byte* const to = memory + in_memory * target.size;
    if (part.streamed && static_cast<Index>(bytes) >= least_direct) {
      const std::byte* const from = read_direct(static_cast<Index>(bytes), offset);
      if (header_.dtype != target) return convert(from, to, count);
      return void(std::memcpy(to, from, bytes));
    }
    if (header_.dtype == target) return read_bytes(to, bytes, offset);
    thread_local std::vector<std::byte> raw;
    raw.resize(bytes);
    read_bytes(raw.data(), bytes, offset);
    convert(raw.data(), to, count);
  });
  if (part.streamed) drop_from_cache(fd_);  // short stretches
}

void NpyInput::read_dataset(const FilePart& part, std::byte* memory, Progress& progress) const {
  const Dtype target = plan_dtype(part.precision, part.complex);
  const Converter convert = find_converter(header_.dtype, part.precision, part.complex);
  const std::byte* const end = memory + part.count() * target.size;
  // Elements of the file are read to the end of the memory that is not filled yet, and converted from there to its
  // start. Wider ones than those in memory do not all find room: half of the box, then half of what is left.
  const auto bytes_of = [&](const Box& box) { return box.count() * header_.dtype.size; };
  const auto has_room = [&](const Box& box) {
    constexpr Index slab_elements = 1 << 22;  // chunks that several slabs share are read and decompressed for each
    return bytes_of(box) <= end - memory && (part.streamed || box.count() <= slab_elements);
  };
  progress.expect(part.count());
  for (const Box& all : part.boxes)
    for_each_slab(all, has_room, [&](const Box& box) {
      std::array<std::byte, 16> last;  // the last element of all may be wider than its room
      std::byte* const raw = bytes_of(box) <= end - memory ? memory + (end - memory - bytes_of(box)) : last.data();
      dataset_->read(box, header_.dtype == target ? memory : raw);
      if (header_.dtype != target) convert(raw, memory, box.count());
      memory += box.count() * target.size;
      progress.advance(box.count());
    });
  if (part.streamed) drop_from_cache(fd_);
}

void write_part(const PartialFile& file, Index header_bytes, const FilePart& part, const std::byte* memory,
                Progress& progress) {
  const std::vector<int> order = c_order(part.global.dims());
  require_order(part, order);
  const Index size = plan_dtype(part.precision, part.complex).size;
  for_each_piece(part, order, size, progress, [&](Index in_file, Index in_memory, Index count) {
    file.write({memory + in_memory * size, static_cast<std::size_t>(count * size)}, header_bytes + in_file * size,
               part.streamed);
  });
  if (part.streamed) file.settle();
}

}  // namespace shardfft::cli
