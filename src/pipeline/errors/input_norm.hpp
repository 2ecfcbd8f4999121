// How large the caller's input is: a pass over it of its own, before a run begins.
#pragma once

#include <vector>

#include "pipeline/spec.hpp"

namespace shardfft {

class InputNorm final : public ArrayNorm {
 public:
  /// `array`: this rank's part, with patches that count from the run's input. Index arithmetic only.
  InputNorm(const CallerArray& array, Scalar scalar, const Weights& weights, int threads);

  [[nodiscard]] double norm2(const std::byte* input) override;
  [[nodiscard]] Index bytes() const override { return bytes_; }

 private:
  struct Block {
    Box box{};
    Index offset = 0;  ///< of its first element
    Coord strides{};
    double norm2 = 0;
  };
  void add(const Patch& patch);
  void look(Block& part, const std::byte* input) const;

  NumberType type_;
  Weights weights_;
  int threads_;
  std::vector<Block> parts_{};  ///< each is one thread's at a time
  Index bytes_ = 0;
};

}  // namespace shardfft
