#include "answers/placed.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "answers/parts.hpp"
#include "files/file_impl.hpp"
#include "passes/plan.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "support/refuse.hpp"

namespace shardfft {

Options last_axis_first(Options options, const Problem& problem) {
  options.expert.axis_order.clear();
  for (int axis = problem.shape.dims(); axis-- > 0;) options.expert.axis_order.push_back(axis);
  return options;
}

void require_whole_spectrum(const Problem& problem, const char* call) {
  const auto is_fourier = [](AxisKind kind) { return kind == AxisKind::fourier; };
  if ((problem.kind != c2c && problem.kind != r2c) || !std::ranges::all_of(problem.kinds, is_fourier) ||
      !problem.axes.empty() || problem.support.dims() > 0 || problem.modes.dims() > 0)
    refuse_argument(
        fmt::format("{}() is of Fourier transforms c2c or r2c along all axes; got {}", call, to_string(problem)));
}

namespace files {
namespace {

/// One axis of a box: places of a file's array, and where they lie in the box.
struct Stretch {
  Index from, count, at;
};
std::vector<Stretch> stretches(Index lo, Index hi, Index all, Index centre, Index extent) {
  std::vector<Stretch> found;
  for (Index x = lo; x < hi;) {
    const Index place = (x + centre) % all, length = std::min(hi - x, all - place);
    if (const Index inside = std::min(length, extent - place); inside > 0) found.push_back({place, inside, x - lo});
    x += length;
  }
  return found;
}

/// A slab as a part of the box that it is moved into.
PartOfArray in_box(const Box& box, const Box& slab, const Coord& by, Index element_bytes) {
  Coord at = slab.lo;
  for (int a = 0; a < at.dims(); ++a) at[a] += by[a];
  return {box.shape(), slab.shape(), at, element_bytes};
}

}  // namespace

void require_c_order(const File& file) {
  if (file.info().order != c_order(file.info().shape.dims()))
    throw Error(Status::unsupported,
                fmt::format("answers take arrays in C order; '{}' has another; store it with numpy.ascontiguousarray",
                            file.name()));
}

void check_unchanged(const Comm& comm, const std::vector<File>& inputs) {
  collectively(comm, [&] {
    for (const File& input : inputs) input.check_unchanged();
  });
}

OutOfCore scratch_beside(const Comm& comm, const File& out, OutOfCore how) {
  const std::string path = out.impl().path();
  if (!how.scratch.empty() || path.empty()) return how;
  const std::string folder = std::filesystem::path(text_of_first(comm, resolved(path))).parent_path().string();
  how.scratch = {folder.empty() ? "." : folder};
  return how;
}

BoxIo::BoxIo(const Problem& problem, Index memory_bytes)
    : precision_(problem.precision),
      complex_(problem.kind == c2c),
      piece_bytes_(piece_bytes_in(memory_bytes)),
      buffer_bytes_(4 * piece_bytes_) {}

FilePart BoxIo::part(const File& file, const Box& box) const {
  FilePart part(file.info().shape, c_order(box.dims()), {box}, precision_, complex_, disk_threads);
  part.piece_bytes = piece_bytes_;
  part.streamed = true;
  return part;
}
void BoxIo::read(const File& file, const Box& box, std::byte* to) const { file.read(part(file, box), to); }
void BoxIo::write(const File& file, const Box& box, const std::byte* from) const { file.write(part(file, box), from); }

// Results are written through as much.
Index Placed::memory_bytes() const { return 2 * io_.buffer_bytes() + file_.impl().library_bytes(); }

void Placed::read(const Box& box, std::byte* to) {
  const Shape& inner = file_.info().shape;
  const Index element = io_.type().size;
  std::vector<std::vector<Stretch>> parts;
  Coord counts = all_;
  for (int a = 0; a < box.dims(); ++a) {
    parts.push_back(stretches(box.lo[a], box.hi[a], all_[a], centre_[a], inner[a]));
    counts[a] = std::ssize(parts.back());
  }
  if (product(counts) == 0) return void(std::memset(to, 0, static_cast<std::size_t>(box.count() * element)));
  std::vector<std::pair<Box, Coord>> boxes;  // of the file, and by how much they move to lie in the box
  for_each_position(whole(counts), {}, [&](const Coord& part) {
    Box of_file = box;
    Coord by = all_;
    for (int a = 0; a < box.dims(); ++a) {
      const Stretch& own = parts[static_cast<std::size_t>(a)][static_cast<std::size_t>(part[a])];
      of_file.lo[a] = own.from, of_file.hi[a] = own.from + own.count, by[a] = own.at - own.from;
    }
    boxes.emplace_back(of_file, by);
  });
  if (boxes[0].first.count() == box.count()) return io_.read(file_, boxes[0].first, to);
  std::memset(to, 0, static_cast<std::size_t>(box.count() * element));
  for (const auto& [of_file, by] : boxes)
    io_.for_each_slab(of_file, [&](const Box& slab) {
      buffer_.resize(static_cast<std::size_t>(slab.count() * element));
      io_.read(file_, slab, buffer_.data());
      put_part(in_box(box, slab, by, element), buffer_.data(), to);
    });
}

void Cropped::write(const Box& box, const std::byte* from) {
  const Box kept = intersect(box, whole(file_.info().shape));
  if (kept.count() == 0) return;
  if (kept.count() == box.count()) return io_.write(file_, box, from);
  const Index element = io_.type().size;
  Coord back = box.lo;
  for (int a = 0; a < box.dims(); ++a) back[a] = -box.lo[a];
  io_.for_each_slab(kept, [&](const Box& slab) {
    buffer_.resize(static_cast<std::size_t>(slab.count() * element));
    take_part(in_box(box, slab, back, element), from, buffer_.data());
    io_.write(file_, slab, buffer_.data());
  });
}

}  // namespace files
}  // namespace shardfft
