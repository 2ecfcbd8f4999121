#include "files/array_file.hpp"

#include <algorithm>
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

constexpr Index piece_elements = 1 << 18;  ///< of one read or write: a few MB

/// body(element in the file, element in memory, elements) for all of a rank's boxes, by several threads; the first
/// exception is thrown again here.
void for_each_piece(const FilePart& part, const std::vector<int>& order, Progress& progress,
                    const std::function<void(Index, Index, Index)>& body) {
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

/// body(box) for parts of a box that follow each other in C order: halves along the slowest axis that can be cut.
void for_each_slab(const Box& box, const std::function<void(const Box&)>& body) {
  constexpr Index slab_elements = 1 << 22;  // chunks that several slabs share are read and decompressed for each
  int axis = 0;
  while (axis + 1 < box.dims() && box.extent(axis) == 1) ++axis;
  if (box.count() == 0) return;
  if (box.count() <= slab_elements || box.extent(axis) == 1) return body(box);
  Box first = box, second = box;
  first.hi[axis] = second.lo[axis] = box.lo[axis] + box.extent(axis) / 2;
  for_each_slab(first, body);
  for_each_slab(second, body);
}

std::vector<int> c_order(int dims) {
  std::vector<int> order(static_cast<std::size_t>(dims));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void require_order(const FilePart& part, const std::vector<int>& order) {
  if (part.order != order)
    throw Error(Status::internal, "file and memory must have the same order of axes; one of another order was made");
}

[[noreturn]] void cannot_read(const std::string& path, const char* why) {
  throw Error(Status::io_failed,
              fmt::format("the input '{}' cannot be read: {}; name a .npy file that every rank can read", path, why));
}

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
    if (n == 0) cannot_read(path_, "it became shorter while it was read");
    to += n;
    bytes -= static_cast<std::size_t>(n);
    offset += n;
  }
}

void NpyInput::read(const FilePart& part, std::byte* memory, Progress& progress) const {
  require_order(part, order());
  if (dataset_) return read_dataset(part, memory, progress);
  const Dtype target = plan_dtype(part.precision, part.complex);
  const Converter convert = find_converter(header_.dtype, part.precision, part.complex);
  for_each_piece(part, order(), progress, [&](Index in_file, Index in_memory, Index count) {
    const auto bytes = static_cast<std::size_t>(count * header_.dtype.size);
    const Index offset = header_.data_offset + in_file * header_.dtype.size;
    std::byte* const to = memory + in_memory * target.size;
    if (header_.dtype == target) return read_bytes(to, bytes, offset);
    thread_local std::vector<std::byte> raw;
    raw.resize(bytes);
    read_bytes(raw.data(), bytes, offset);
    convert(raw.data(), to, count);
  });
}

void NpyInput::read_dataset(const FilePart& part, std::byte* memory, Progress& progress) const {
  const Dtype target = plan_dtype(part.precision, part.complex);
  const Converter convert = find_converter(header_.dtype, part.precision, part.complex);
  std::vector<std::byte> raw;
  progress.expect(part.count());
  for (const Box& all : part.boxes)
    for_each_slab(all, [&](const Box& box) {
      const Index count = box.count();
      if (header_.dtype == target)
        dataset_->read(box, memory);
      else {
        raw.resize(static_cast<std::size_t>(count * header_.dtype.size));
        dataset_->read(box, raw.data());
        convert(raw.data(), memory, count);
      }
      memory += count * target.size;
      progress.advance(count);
    });
}

void write_part(const PartialFile& file, Index header_bytes, const FilePart& part, const std::byte* memory,
                Progress& progress) {
  const std::vector<int> order = c_order(part.global.dims());
  require_order(part, order);
  const Index size = plan_dtype(part.precision, part.complex).size;
  for_each_piece(part, order, progress, [&](Index in_file, Index in_memory, Index count) {
    file.write({memory + in_memory * size, static_cast<std::size_t>(count * size)}, header_bytes + in_file * size);
  });
}

}  // namespace shardfft::cli
