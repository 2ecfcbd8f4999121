#include "device/pipeline/device_norm.hpp"

#include <numeric>

namespace shardfft {
namespace {

std::vector<Box> boxes_of(const CallerArray& array) {
  std::vector<Box> boxes;
  for (const Patch& patch : array.patches) boxes.push_back(patch.box);
  return boxes;
}

}  // namespace

DeviceNorm::DeviceNorm(std::shared_ptr<DeviceStaging> staging, const CallerArray& array, Scalar scalar,
                       const Weights& weights)
    : staging_(std::move(staging)),
      squares_(staging_->device(), staging_->queue(), {scalar, array.complex}, boxes_of(array), array.patches, weights),
      sums_(staging_->device(), static_cast<std::size_t>(squares_.units()) * sizeof(double), "norms of an array") {
  staging_->need(sums_.bytes());
  for (const Patch& patch : array.patches) bytes_ += patch.box.count() * array.element_bytes(scalar);
}

double DeviceNorm::norm2(const std::byte* array) {
  if (squares_.units() == 0) return 0;
  auto* of_boxes = reinterpret_cast<double*>(staging_->lend());
  auto* start = const_cast<std::byte*>(array);
  squares_.add_up(staging_->queue(), {{nullptr, start, start}}, reinterpret_cast<double*>(sums_.data()));
  staging_->queue().copy(of_boxes, sums_.data(), sums_.bytes());
  staging_->finish();
  return std::accumulate(of_boxes, of_boxes + squares_.units(), 0.0);
}

}  // namespace shardfft
