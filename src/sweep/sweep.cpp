#include "sweep/sweep.hpp"

namespace shardfft {
namespace {

template <class Changed>
Index elements(const SweepSpec& spec, Changed changed) {
  Index n = 0;
  for (const auto& boxes : spec.chunks)
    for (const Box& box : boxes) n += changed(box).count();
  return n;
}

Index element_bytes(const SweepSpec& spec, bool complex, const ScaledStorage* narrow) {
  return (narrow ? facts_of(narrow->format).bytes : static_cast<Index>(size_of(spec.scalar))) * (complex ? 2 : 1);
}

}  // namespace

Box after(const SweepSpec& spec, Box unit) {
  for (const SweepAxis& axis : spec.axes)
    unit.hi[axis.axis] = unit.lo[axis.axis] + (axis.kernel ? axis.kernel->out().length : axis.length_out());
  if (spec.operates && spec.operates->axis >= 0)
    unit.hi[spec.operates->axis] = unit.lo[spec.operates->axis] + spec.operates->components_out;
  return unit;
}

Index element_bytes_in(const SweepSpec& spec) { return element_bytes(spec, spec.complex_in, spec.from_narrow); }

Index element_bytes_out(const SweepSpec& spec) { return element_bytes(spec, spec.complex_out, spec.to_narrow); }

double SweepSpec::scale() const {
  double all = 1;
  for (const SweepAxis& axis : axes) all *= axis.scale;
  return all;
}

Index bytes_read(const SweepSpec& spec) {
  return elements(spec, [](const Box& box) { return box; }) * element_bytes_in(spec);
}

Index Sweep::bytes_memory() const { return bytes_read(spec()) + bytes_written(spec()); }

Index bytes_written(const SweepSpec& spec) {
  return elements(spec, [&](const Box& box) { return after(spec, box); }) * element_bytes_out(spec);
}

}  // namespace shardfft
