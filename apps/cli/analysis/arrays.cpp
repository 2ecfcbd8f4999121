#include "analysis/arrays.hpp"

#include <fmt/format.h>

#include "options/plan_options.hpp"
#include "options/task.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"

namespace shardfft::cli {

Numbers common_numbers(const std::vector<const NpyInput*>& files) {
  Numbers numbers{.precision = f32};
  for (const NpyInput* file : files) {
    const Dtype& type = file->header().dtype;
    const bool single = (type.kind == 'f' && type.size <= 4) || (type.kind == 'c' && type.size == 8);
    if (!single) numbers.precision = f64;
    if (type.complex()) numbers.complex = true;
  }
  return numbers;
}

void require_c_order(const NpyInput& input, const std::string& path, const char* name) {
  const NpyHeader& header = input.header();
  if (header.shape.dims() == 0 || is_empty(header.shape))
    throw Error(Status::invalid_argument, fmt::format("{} has elements along one axis or more; '{}' has the shape ({})",
                                                      name, path, to_string(header.shape)));
  if (header.fortran_order && header.shape.dims() > 1)
    throw Error(
        Status::invalid_argument,
        fmt::format("{} lies in C order; '{}' has Fortran order; store it with numpy.ascontiguousarray", name, path));
}

void read_into(const Comm& comm, const NpyInput& input, const Layout& layout, const Numbers& numbers, Array& array,
               Progress& progress) {
  const FilePart part{layout, comm.rank(), numbers.precision, numbers.complex, helper_threads(comm, 0)};
  collectively(comm, [&] { input.read(part, array.data(), progress); });
  collectively(comm, [&] { input.check_unchanged(); });
}

Array read_whole(const Comm& comm, const NpyInput& input, const Numbers& numbers, Progress& progress) {
  Array array;
  collectively(comm, [&] {
    const Layout all(slabs(0), input.header().shape, 1);
    array = Array(static_cast<std::size_t>(product(input.header().shape) * numbers.bytes()));
    input.read({all, 0, numbers.precision, numbers.complex, helper_threads(comm, 0)}, array.data(), progress);
    input.check_unchanged();
  });
  return array;
}

Result new_file(const Comm& comm, const std::string& path, const Shape& shape, const Numbers& numbers) {
  TransformWords words;
  words.out = path;
  Task task;
  task.problem.precision = numbers.precision;
  task.out = shape;
  task.complex_out = numbers.complex;
  return make_result(comm, words, task);
}

void write_from(const Comm& comm, Result& result, const Layout& layout, const Numbers& numbers, const Array& array,
                Progress& progress) {
  const FilePart part{layout, comm.rank(), numbers.precision, numbers.complex, helper_threads(comm, 0)};
  collectively(comm, [&] { write_part(*result.file, result.start, part, array.data(), progress); });
  result.file->commit();
}

}  // namespace shardfft::cli
