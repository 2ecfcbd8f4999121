#include "pipeline/bind/kernels.hpp"

#include <algorithm>
#include <utility>

#include "engine/pruned_kernel.hpp"

namespace shardfft {

std::shared_ptr<const Kernel> Kernels::get(const KernelRequest& asked) {
  KernelRequest request = asked;
  request.looks_only = look_only_;
  for (const auto& [made, kernel] : made_)
    if (made == request) return kernel;
  made_.emplace_back(request, make_kernel(engine_, request));
  return made_.back().second;
}

std::size_t Kernels::table_bytes() const {
  TableBytes found;
  for (const auto& [request, kernel] : made_) kernel->add_tables(found);
  return found.sum();
}

namespace {

// The half of a split axis that is transformed second is multiplied by twiddle factors first.
void add_twiddles(SweepAxis& axis, const AxisTransform& other, bool on_host, bool looks_only) {
  axis.other_map = {.n = other.length_out(), .owners = other.owners_out};
  if (on_host)
    axis.twiddles =
        looks_only ? std::make_shared<Twiddles>() : std::make_shared<Twiddles>(axis.whole, axis.n, axis.transform);
}

// The other half of a split axis; nullptr if there is none.
const AxisTransform* other_half(const PipelineSpec& spec, const AxisTransform& axis) {
  for (const Stage& stage : spec.stages)
    for (const AxisTransform& other : stage.axes)
      if (axis.whole > 0 && other.axis == axis.other) return &other;
  return nullptr;
}

// Rows of this rank: all that its boxes reach.
IndexRange rows_of(const Layout& layout, int axis, int me) {
  IndexRange rows{layout.global()[axis], 0};
  for (const Box& box : layout.boxes(me)) {
    if (box.empty()) continue;
    rows.lo = std::min(rows.lo, box.lo[axis]), rows.hi = std::max(rows.hi, box.hi[axis]);
  }
  return {std::min(rows.lo, rows.hi), rows.hi};
}

std::shared_ptr<const RowChirp> chirp_of(const PipelineSpec& spec, const Layout& layout) {
  const ChirpedAxis& a = *spec.chirped;
  const IndexRange rows = rows_of(layout, a.axis, spec.me);
  if (spec.looks_only) return std::make_shared<RowChirp>();
  return std::make_shared<RowChirp>(a.n, a.row, rows.lo, rows.hi, spec.chirps_back);
}

// The first transform takes the chirp's products, and the last one leaves sums that are to be multiplied by it.
void add_chirps(const PipelineSpec& spec, std::vector<std::vector<SweepAxis>>& all) {
  SweepAxis &first = all.front().front(), &last = all.back().back();
  first.chirp_rows = last.chirp_rows = spec.chirped->axis;
  first.chirp_before = last.chirp_after = chirp_of(spec, spec.stages.front().in);
  last.scale = scale_of(spec.scaling, static_cast<double>(spec.chirped->n));
}

// A device's library does not scale, and a kernel that does costs a launch for each tile. So one sweep scales for all:
// that of most axes, whose tiles stay in the cache, else one in the middle, which moves its elements anyway. Not if
// exchanges lose something: their tolerances go by the norm behind each sweep.
void scale_once(const PipelineSpec& spec, std::vector<std::vector<SweepAxis>>& sweeps) {
  if (spec.encoding.loses() || are_operated(spec.stages) || sweeps.empty()) return;
  auto* scales = &sweeps[(sweeps.size() - 1) / 2];
  double all = 1;
  for (auto& sweep : sweeps) {
    if (sweep.size() > scales->size()) scales = &sweep;
    for (SweepAxis& axis : sweep) all *= std::exchange(axis.scale, 1);
  }
  if (!scales->empty()) scales->back().scale = all;
}

}  // namespace

std::vector<std::vector<SweepAxis>> swept_axes(const PipelineSpec& spec, Kernels* kernels) {
  std::vector<std::vector<SweepAxis>> all;
  std::vector<AxisTransform> done;
  Scaling scaling = spec.scaling;
  for (const Stage& stage : spec.stages) {
    all.emplace_back();
    for (const AxisTransform& axis : stage.axes) {
      SweepAxis swept{axis};
      if (stage.operates && all.back().size() == stage.operates->before) scaling = spec.scaling_back;
      if (!spec.chirped) swept.scale = scale_of(scaling, static_cast<double>(axis.logical_length()));
      swept.weights = adjoint_weights(axis, other_half(spec, axis));
      if (kernels) swept.kernel = kernels->get(axis.request(spec.scalar));
      const auto other =
          std::find_if(done.begin(), done.end(), [&](const AxisTransform& a) { return a.axis == axis.other; });
      if (other != done.end())
        add_twiddles(swept, *other, kernels != nullptr, spec.looks_only);
      else
        swept.other = -1;
      all.back().push_back(std::move(swept));
      done.push_back(axis);
    }
  }
  if (spec.chirped) add_chirps(spec, all);
  if (!kernels) scale_once(spec, all);
  return all;
}

}  // namespace shardfft
