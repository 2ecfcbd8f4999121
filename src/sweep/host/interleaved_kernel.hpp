// Transforms whose elements alternate with those of others, as one kernel.
#pragma once

#include <vector>

#include "engine/engine.hpp"

namespace shardfft {

/// `copies` transforms of the same kind along one pencil, element k of number c at k copies + c: pencils of a field
/// whose components lie beside each other are rows of memory then, `copies` times as long. A tile has one tile of the
/// given kernel after the other, which its formats say by their places. For kernels that take lanes.
class InterleavedKernel final : public Kernel {
 public:
  InterleavedKernel(std::shared_ptr<const Kernel> one, Scalar scalar, Index copies);
  [[nodiscard]] static std::size_t buffer_bytes(const Kernel& one, Scalar scalar, Index copies);

  [[nodiscard]] const TileFormat& in() const override { return in_.format; }
  [[nodiscard]] const TileFormat& out() const override { return out_.format; }
  [[nodiscard]] std::size_t buffer_bytes() const override { return static_cast<std::size_t>(copies_) * copy_bytes_; }
  [[nodiscard]] std::byte* run(std::byte* a, std::byte* b) const override;
  [[nodiscard]] double nominal_flops() const override { return static_cast<double>(copies_) * one_->nominal_flops(); }
  [[nodiscard]] std::string describe() const override;

 private:
  struct PlacedFormat {
    std::vector<Index> places{};
    TileFormat format{};
  };
  [[nodiscard]] PlacedFormat placed(const TileFormat& of_one, Scalar scalar) const;

  std::shared_ptr<const Kernel> one_;
  Index copies_;
  std::size_t copy_bytes_;  // of a buffer, for one of them: whole rows of a tile
  PlacedFormat in_, out_;
};

}  // namespace shardfft
