#include <fmt/format.h>

#include "device/fused.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace {

void check_axis(const char* name, const MoveAxis& axis, Index element) {
  if (axis.extent < 1) throw Error(Status::invalid_argument, fmt::format("fused transforms: extents are at least 1; got {} of {}", axis.extent, name));
  if (axis.from_step % element != 0 || axis.to_step % element != 0)
    throw Error(Status::invalid_argument, fmt::format("fused transforms: steps are multiples of {} bytes; got {} and {} of {}", element, axis.from_step, axis.to_step, name));
}

}  // namespace

const FusedKernels* find_fused(std::string_view space) {
  for (const FusedKernels* kernels : {
#if SHARDFFT_WITH_CUFFTDX
           &cuda_fused(),
#endif
#if SHARDFFT_WITH_PRETENDED
           &pretended_fused(),
#endif
           static_cast<const FusedKernels*>(nullptr)})
    if (kernels && kernels->space() == space) return kernels;
  return nullptr;
}

void check(const FusedSpec& spec, const std::byte* from, const std::byte* to) {
  const Index element = 2 * static_cast<Index>(size_of(spec.scalar));
  if (spec.outer_axes < 0 || spec.outer_axes > FusedSpec::most_outer)
    throw Error(Status::invalid_argument, fmt::format("fused transforms: pencils have 0 to {} outer axes; got {}", FusedSpec::most_outer, spec.outer_axes));
  check_axis("the pencil", spec.k, element);
  check_axis("the pencils of a block", spec.v, element);
  for (int axis = 0; axis < spec.outer_axes; ++axis) check_axis("an outer axis", spec.outer[axis], element);
  if ((reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to)) % static_cast<std::uintptr_t>(element) != 0)
    throw Error(Status::invalid_argument, fmt::format("fused transforms: arrays begin at multiples of {} bytes; got {} and {}", element, fmt::ptr(from), fmt::ptr(to)));
}

}  // namespace shardfft
