#include "analysis/arrays.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "options/plan_options.hpp"
#include "options/task.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "transform/transform.hpp"

namespace shardfft::cli {

Numbers common_numbers(const std::vector<const files::File*>& inputs) {
  Numbers numbers{.precision = f32};
  for (const files::File* file : inputs) {
    const files::Dtype& type = file->info().type;
    const bool single = (type.kind == 'f' && type.size <= 4) || (type.kind == 'c' && type.size == 8);
    if (!single) numbers.precision = f64;
    if (type.complex()) numbers.complex = true;
  }
  return numbers;
}

void require_c_order(const files::File& input, const std::string& path, const char* name) {
  const files::ArrayInfo& info = input.info();
  if (info.shape.dims() == 0 || is_empty(info.shape))
    throw Error(Status::invalid_argument, fmt::format("{} has elements along one axis or more; '{}' has the shape ({})",
                                                      name, path, to_string(info.shape)));
  if (!std::ranges::is_sorted(info.order) && info.shape.dims() > 1)
    throw Error(
        Status::invalid_argument,
        fmt::format("{} lies in C order; '{}' has Fortran order; store it with numpy.ascontiguousarray", name, path));
}

bool beyond(const Comm& comm, const Room& room, Index bytes) { return all_max(comm, bytes - room.each) > 0; }

files::OutOfCore passes_of(const TransformWords& words, const Room& room, Progress& progress) {
  return {.memory_bytes = room.asked ? room.each : 0, .scratch = scratch_folders(words), .watcher = &progress};
}

void read_into(const Comm& comm, const files::File& input, const Layout& layout, const Numbers& numbers, Array& array,
               Progress& progress) {
  const files::FilePart part{layout, comm.rank(), numbers.precision, numbers.complex, helper_threads(comm, 0)};
  collectively(comm, [&] { input.read(part, array.data(), &progress); });
  collectively(comm, [&] { input.check_unchanged(); });
}

Array read_whole(const Comm& comm, const files::File& input, const Numbers& numbers, Progress& progress) {
  Array array;
  collectively(comm, [&] {
    const Layout all(slabs(0), input.info().shape, 1);
    array = Array(static_cast<std::size_t>(product(input.info().shape) * numbers.bytes()));
    input.read({all, 0, numbers.precision, numbers.complex, helper_threads(comm, 0)}, array.data(), &progress);
    input.check_unchanged();
  });
  return array;
}

files::File new_file(const Comm& comm, const std::string& path, const Shape& shape, const Numbers& numbers) {
  return files::File::create(comm, path, {shape, files::plan_dtype(numbers.precision, numbers.complex), {}});
}

void write_from(const Comm& comm, files::File& result, const Layout& layout, const Numbers& numbers, const Array& array,
                Progress& progress) {
  const files::FilePart part{layout, comm.rank(), numbers.precision, numbers.complex, helper_threads(comm, 0)};
  collectively(comm, [&] { result.write(part, array.data(), &progress); });
  result.commit();
}

}  // namespace shardfft::cli
