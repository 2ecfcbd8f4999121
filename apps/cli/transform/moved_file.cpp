#include "transform/moved_file.hpp"

#include <cstdlib>
#include <cstring>
#include <numeric>

#include "options/task.hpp"
#include "shardfft/collective.hpp"

namespace shardfft::cli {
namespace {

std::vector<int> memory_order(const LayoutSpec& spec, int dims) {
  if (!spec.order.empty()) return spec.order;
  std::vector<int> order(static_cast<std::size_t>(dims));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// With one axis of one element more, the fastest one.
Shape longer(const Shape& shape) {
  std::vector<Index> extents(shape.begin(), shape.end());
  extents.push_back(1);
  return Shape(extents);
}
LayoutSpec longer(LayoutSpec spec, int dims) {
  spec.order = memory_order(spec, dims);
  spec.order.push_back(dims);
  return spec;
}

/// The first of two neighbours each, moved together.
void leave_out_imaginary_parts(std::byte* memory, Index count, std::size_t scalar) {
  for (Index i = 1; i < count; ++i)
    std::memmove(memory + static_cast<std::size_t>(i) * scalar, memory + static_cast<std::size_t>(2 * i) * scalar,
                 scalar);
}

}  // namespace

bool is_moved(const LayoutSpec& spec, const Shape& shape, Index element_bytes, const Comm& comm,
              const Options& options) {
  constexpr Index few = 1000, long_bytes = 4096;  // a call takes about as long as a copy of 4 KiB
  const char* device = std::getenv("SHARDFFT_DEVICE");
  if (spec.kind != LayoutSpec::Kind::cyclic || comm.size() == 1 || shape.dims() == max_dims ||
      !options.device.empty() || (device && *device))
    return false;
  Index together = element_bytes;  // bytes of one index along the cyclic axis that lie in one piece
  const std::vector<int> order = memory_order(spec, shape.dims());
  for (auto axis = order.rbegin(); axis != order.rend() && *axis != spec.axis; ++axis) together *= shape[*axis];
  return together < long_bytes && product(shape) * element_bytes / together / comm.size() > few;
}

MovedFile::MovedFile(const Comm& comm, LayoutSpec spec, const Shape& shape, Precision precision, bool complex,
                     const Options& options)
    : comm_(comm),
      spec_(std::move(spec)),
      slabs_(usual_file_layout(shape, memory_order(spec_, shape.dims())), shape, comm.size()),
      precision_(precision),
      complex_(complex),
      threads_(helper_threads(comm, options.threads)),
      transport_(options.expert.transport) {}

// A transform of one element is that element: along an axis of that length, a plan does nothing but bring each to its
// new owner. That of reals are complex numbers, whose axes are cut like theirs.
Plan MovedFile::mover(bool reads) const {
  const Shape& shape = slabs_.global();
  const LayoutSpec slabs = longer(usual_file_layout(shape, slabs_.order()), shape.dims()),
                   own = longer(spec_, shape.dims());
  const Kind kind = complex_ ? c2c : reads ? c2r : r2c;
  // Whatever the environment says of the transform itself: nothing is lost, and nothing measured.
  const Options options{.input = reads ? slabs : own,
                        .output = reads ? own : slabs,
                        .threads = threads_,
                        .destroy_input = reads,
                        .effort = "model",
                        .wisdom = false,
                        .expert = {.engine = "native", .transport = transport_, .codec = "none"}};
  return Plan(comm_, {.shape = longer(shape), .kind = kind, .precision = precision_, .axes = {shape.dims()}}, options);
}

void MovedFile::read(const files::File& input, View array, Progress& progress) const {
  Plan plan = mover(true);
  Array slab;
  collectively(comm_, [&] {
    slab = plan.make_input();
    input.read({slabs_, comm_.rank(), precision_, true, threads_}, slab.data(), &progress);
  });
  plan.forward(slab, array);
}

void MovedFile::write(const files::File& file, View array, Progress& progress) const {
  Plan plan = mover(false);
  Array slab;
  collectively(comm_, [&] { slab = plan.make_output(); });
  plan.forward(array, slab);
  collectively(comm_, [&] {
    if (!complex_)
      leave_out_imaginary_parts(slab.data(), slabs_.count(comm_.rank()), precision_ == Precision::f32 ? 4 : 8);
    file.write({slabs_, comm_.rank(), precision_, complex_, threads_}, slab.data(), &progress);
  });
}

}  // namespace shardfft::cli
