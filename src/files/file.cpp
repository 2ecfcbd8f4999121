#include <array>
#include <utility>

#include <fmt/format.h>

#include "files/convert.hpp"
#include "files/file_impl.hpp"
#include "files/file_runs.hpp"
#include "files/new_file.hpp"
#include "files/npy_input.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

/// body(box) for parts of a box that follow each other in memory of this order: halves along the slowest axis that can
/// be cut, until `suits(box)`.
template <class Suits, class Body>
void for_each_slab(const Box& box, const std::vector<int>& order, const Suits& suits, const Body& body) {
  if (box.count() == 0) return;
  auto axis = order.begin();
  while (axis + 1 < order.end() && box.extent(*axis) == 1) ++axis;
  if (suits(box) || box.extent(*axis) == 1) return body(box);
  Box first = box, second = box;
  first.hi[*axis] = second.lo[*axis] = box.lo[*axis] + box.extent(*axis) / 2;
  for_each_slab(first, order, suits, body);
  for_each_slab(second, order, suits, body);
}

Watcher& or_silent(Watcher* watcher) {
  static Watcher silent;
  return watcher ? *watcher : silent;
}

}  // namespace

void require_order(const FilePart& part, const File::Impl& file) {
  const bool same = part.global == file.info.shape;
  if (same ? part.order != file.info.order : !file.is_flat() || product(part.global) != product(file.info.shape))
    throw Error(Status::internal,
                "file and memory must have the same extents and order of axes; others were made; report this");
}

// Elements are read to the end of the memory that is not filled yet, and converted from there to its start. Wider ones
// than those in memory do not all find room: half of the box, then half of what is left.
void read_converted(const Dtype& type, const FilePart& part, std::byte* memory, Watcher& watcher,
                    const std::function<void(const Box&, std::byte*)>& read) {
  const Dtype target = plan_dtype(part.precision, part.complex);
  const Converter convert = find_converter(type, part.precision, part.complex);
  const std::byte* const end = memory + part.count() * target.size;
  const auto bytes_of = [&](const Box& box) { return box.count() * type.size; };
  const auto has_room = [&](const Box& box) {
    constexpr Index slab_elements = 1 << 22;  // chunks that several slabs share are read and decompressed for each
    return bytes_of(box) <= end - memory && (part.streamed || box.count() <= slab_elements);
  };
  watcher.expect(part.count());
  for (const Box& all : part.boxes)
    for_each_slab(all, part.order, has_room, [&](const Box& box) {
      std::array<std::byte, 16> last;  // the last element of all may be wider than its room
      std::byte* const raw = bytes_of(box) <= end - memory ? memory + (end - memory - bytes_of(box)) : last.data();
      read(box, type == target ? memory : raw);
      if (type != target) convert(raw, memory, box.count());
      memory += box.count() * target.size;
      watcher.advance(box.count());
    });
}

File::Impl::Impl(std::string called, ArrayInfo known) : name(std::move(called)), info(std::move(known)) {}

void File::Impl::read(const FilePart&, std::byte*, Watcher&) const {
  throw Error(Status::invalid_argument,
              fmt::format("a file is read after commit(); got '{}', which is new; open it then", name));
}
void File::Impl::write(const FilePart&, const std::byte*, Watcher&) const {
  throw Error(Status::invalid_argument,
              fmt::format("a file that open() opened is only read; got '{}'; make another with create()", name));
}
Index File::Impl::keep_at(const std::string&, Index) {
  throw Error(Status::unsupported,
              fmt::format("runs are resumed where the output is a new file of create(); got '{}'; leave it out", name));
}

File File::open(const Comm& comm, const std::string& path) { return File(std::make_shared<NpyInput>(comm, path)); }
File File::create(const Comm& comm, const std::string& path, const ArrayInfo& info) {
  return File(std::make_shared<NewFile>(comm, path, info));
}
const std::string& File::name() const { return impl_->name; }
const ArrayInfo& File::info() const { return impl_->info; }
void File::read(const FilePart& part, std::byte* memory, Watcher* watcher) const {
  impl_->read(part, memory, or_silent(watcher));
}
void File::write(const FilePart& part, const std::byte* memory, Watcher* watcher) const {
  if (const Dtype given = plan_dtype(part.precision, part.complex); given != impl_->info.type)
    throw Error(Status::invalid_argument, fmt::format("'{}' holds {}; got {}; make it with the type of what is written",
                                                      name(), to_string(impl_->info.type), to_string(given)));
  impl_->write(part, memory, or_silent(watcher));
}
void File::check_unchanged() const { impl_->check_unchanged(); }
void File::commit() { impl_->commit(); }

}  // namespace shardfft::files
