#include "pipeline/bind/kernels.hpp"

#include <algorithm>

namespace shardfft {

std::shared_ptr<const Kernel> Kernels::get(const KernelRequest& asked) {
  KernelRequest request = asked;
  request.looks_only = look_only_;
  for (const auto& [made, kernel] : made_)
    if (made == request) return kernel;
  made_.emplace_back(request, engine_.make(request));
  return made_.back().second;
}

namespace {

// The half of a split axis that is transformed second is multiplied by twiddle factors first.
void add_twiddles(SweepAxis& swept, const StageAxis& axis, const StageAxis& other, bool on_host, bool looks_only) {
  swept.other = axis.other;
  swept.other_map = {.n = other.transform == Transform1d::r2c ? other.n / 2 + 1 : other.n, .owners = other.owners_out};
  swept.whole = axis.whole;
  if (on_host)
    swept.twiddles =
        looks_only ? std::make_shared<Twiddles>() : std::make_shared<Twiddles>(axis.whole, axis.n, axis.transform);
}

}  // namespace

std::vector<std::vector<SweepAxis>> swept_axes(const PipelineSpec& spec, Kernels* kernels) {
  std::vector<std::vector<SweepAxis>> all;
  std::vector<StageAxis> done;
  for (const Stage& stage : spec.stages) {
    all.emplace_back();
    for (const StageAxis& axis : stage.axes) {
      SweepAxis swept{.axis = axis.axis,
                      .n = axis.n,
                      .transform = axis.transform,
                      .owners_in = axis.owners_in,
                      .owners_out = axis.owners_out,
                      .scale = scale_of(spec.scaling, static_cast<double>(axis.n))};
      if (kernels) swept.kernel = kernels->get(axis.request(spec.scalar));
      const auto other =
          std::find_if(done.begin(), done.end(), [&](const StageAxis& a) { return a.axis == axis.other; });
      if (other != done.end()) add_twiddles(swept, axis, *other, kernels != nullptr, spec.looks_only);
      all.back().push_back(std::move(swept));
      done.push_back(axis);
    }
  }
  return all;
}

}  // namespace shardfft
