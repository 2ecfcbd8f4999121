#include "device/sweep/folded_fft.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/formula/formula_steps.hpp"

namespace shardfft {
namespace {

/// What becomes of one number of each pencil, in the places of both frequencies.
class FoldFormula {
 public:
  FoldFormula(Scalar scalar, Index pencils, const FoldedModes& folded) : bytes_(static_cast<Index>(size_of(scalar))) {
    Formula f(scalar == Scalar::f32 ? f32 : f64);
    for (const int part : {0, 1}) folded.in ? halve(f, folded, part) : add_up(f, folded, part);
    run_ = formula_steps(f, places_.size(), {});
    run_.extent[2] = static_cast<std::uint32_t>(pencils);
    for (int a = 0; a < run_.arrays; ++a) run_.array[a].step = static_cast<std::int32_t>(2 * folded.length);
  }

  [[nodiscard]] RunFormula on(std::byte* spectra) const {
    RunFormula run = run_;
    for (int a = 0; a < run.arrays; ++a) run.array[a].data = spectra + places_[static_cast<std::size_t>(a)] * bytes_;
    return run;
  }

 private:
  /// A new array of the formula: real (0) or imaginary (1) parts in a place of each pencil.
  int array(Index place, int part) {
    places_.push_back(2 * place + part);
    return static_cast<int>(places_.size()) - 1;
  }
  // The second one of a half spectrum is the conjugate of the first.
  void add_up(Formula& f, const FoldedModes& folded, int part) {
    const int kept = array(folded.middle, part);
    if (folded.mirrored > 0)
      f.write(kept, f.read(kept) + f.read(array(folded.mirrored, part)));
    else
      f.write(kept, part == 0 ? 2.0 * f.read(kept) : f.number(0));
  }
  void halve(Formula& f, const FoldedModes& folded, int part) {
    const int kept = array(folded.middle, part);
    const bool is_real = part == 1 && folded.mirrored == 0;
    const Term half = is_real ? f.number(0) : f.read(kept) * 0.5;
    f.write(kept, half);
    if (folded.mirrored > 0) f.write(array(folded.mirrored, part), half);
  }

  Index bytes_;
  std::vector<Index> places_{};  // of each array, in numbers
  RunFormula run_{};
};

class FoldedFft final : public Fft {
 public:
  FoldedFft(std::unique_ptr<Fft> whole, Scalar scalar, Index pencils, const FoldedModes& folded)
      : whole_(std::move(whole)), in_(folded.in), formula_(scalar, pencils, folded) {}
  [[nodiscard]] std::size_t work_bytes() const override { return whole_->work_bytes(); }
  void run(Queue& queue, std::byte* in, std::byte* out, std::byte* work) const override {
    if (in_) queue.run(formula_.on(in));
    whole_->run(queue, in, out, work);
    if (!in_) queue.run(formula_.on(out));
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{}, an even number of modes", whole_->describe());
  }

 private:
  std::unique_ptr<Fft> whole_;
  bool in_;
  FoldFormula formula_;
};

}  // namespace

std::unique_ptr<Fft> make_folded_fft(std::unique_ptr<Fft> whole, Scalar scalar, Index pencils,
                                     const FoldedModes& folded) {
  return std::make_unique<FoldedFft>(std::move(whole), scalar, pencils, folded);
}

}  // namespace shardfft
