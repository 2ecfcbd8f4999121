#include "files/npy_input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/convert.hpp"
#include "files/file_runs.hpp"
#include "files/pieces.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

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

NpyInput::NpyInput(const Comm& comm, const std::string& path) : Impl(path, {}) {
  const std::optional<Hdf5Name> hdf5 = hdf5_name(path);
  path_ = hdf5 ? hdf5->file : path;
  collectively(comm, [&] {
    // A pipe would wait here for a writer that never comes.
    fd_ = OpenFile(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd_) cannot_read(path_, std::strerror(errno));
    struct stat status{};
    if (::fstat(fd_.get(), &status) == 0 && !S_ISREG(status.st_mode))
      cannot_read(path_, S_ISDIR(status.st_mode) ? "it is a folder" : "it is a device or pipe");
    unchanged_.add(path_, fd_.get());
    direct_ = std::make_unique<DirectFile>(fd_.get(), O_RDONLY);
    if (comm.rank() == 0)
      header_ = hdf5 ? hdf5_for(path_).open(*hdf5)->header() : parse_npy_header(slurp_header(fd_.get(), path), path);
  });
  static_assert(std::is_trivially_copyable_v<NpyHeader>);
  comm.broadcast(std::as_writable_bytes(std::span(&header_, 1)), 0);
  FileStamp of_first = unchanged_.first();
  comm.broadcast(std::as_writable_bytes(std::span(&of_first, 1)), 0);
  collectively(comm, [&] {
    if (header_.scattered)
      dataset_ = hdf5_for(path_).open(*hdf5);
    else
      check_size();
    if (dataset_)
      for (const std::string& other : dataset_->other_files()) unchanged_.add(other);
    if (!unchanged_.first().has_content_of(of_first)) UnchangedFiles::refuse(path_, "ranks see different ones");
    unchanged_.check();
  });
  info = {header_.shape, header_.dtype, c_order(header_.shape.dims())};
  if (header_.fortran_order) std::ranges::reverse(info.order);
}

void NpyInput::check_size() const {
  struct stat status{};
  if (::fstat(fd_.get(), &status) != 0) cannot_read(path_, std::strerror(errno));
  const Index needed = header_.data_offset + product(header_.shape) * header_.dtype.size;
  if (status.st_size < needed) {
    throw Error(Status::io_failed,
                fmt::format("'{}' must have {} bytes for {} {}; it has {}; it was cut off, copy or write it again",
                            path_, needed, to_string(header_.shape), to_string(header_.dtype), status.st_size));
  }
}

void NpyInput::read_bytes(std::byte* to, std::size_t bytes, Index offset) const {
  while (bytes > 0) {
    const ssize_t n = ::pread(fd_.get(), to, bytes, offset);
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

void NpyInput::read(const FilePart& part, std::byte* memory, Watcher& watcher) const {
  require_order(part, *this);
  if (dataset_)
    read_converted(header_.dtype, part, memory, watcher,
                   [&](const Box& box, std::byte* to) { dataset_->read(box, to); });
  else
    read_stretches(part, memory, watcher);
  if (part.streamed) drop_from_cache(fd_.get());  // short stretches
}

void NpyInput::read_stretches(const FilePart& part, std::byte* memory, Watcher& watcher) const {
  const Dtype target = plan_dtype(part.precision, part.complex);
  const Converter convert = find_converter(header_.dtype, part.precision, part.complex);
  const Index widest = std::max(header_.dtype.size, target.size);
  for_each_piece(part, widest, watcher, [&](Index in_file, Index in_memory, Index count) {
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
}

}  // namespace shardfft::files
