#include "device/sweep/folded_fft.hpp"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace shardfft {
namespace {

/// Formulas over one number of each pencil; values are numbered as they come.
class FoldSteps {
 public:
  FoldSteps(Scalar scalar, Index pencils, const FoldedModes& folded)
      : step_(static_cast<std::int32_t>(2 * folded.length)), bytes_(static_cast<Index>(size_of(scalar))) {
    task_.scalar = scalar;
    task_.extent[2] = static_cast<std::uint32_t>(pencils);
  }
  /// Real (0) or imaginary (1) part in a place of each pencil.
  int array(Index place, int part) {
    offset_[task_.arrays] = (2 * place + part) * bytes_;
    task_.array[task_.arrays] = {.step = step_};
    return task_.arrays++;
  }
  int read(int array) { return add_step(FormulaOperation::read, array, 0); }
  int number(double value) {
    task_.number[numbers_] = value;
    return add_step(FormulaOperation::number, numbers_++, 0);
  }
  int sum(int a, int b) { return add_step(FormulaOperation::add, a, b); }
  int product(int a, int b) { return add_step(FormulaOperation::multiply, a, b); }
  void write(int array, int value) { task_.step[task_.steps++] = {FormulaOperation::write, byte(array), byte(value)}; }

  [[nodiscard]] RunFormula on(std::byte* spectra) const {
    RunFormula task = task_;
    for (int a = 0; a < task.arrays; ++a) task.array[a].data = spectra + offset_[a];
    return task;
  }

 private:
  static std::uint8_t byte(int number) { return static_cast<std::uint8_t>(number); }
  int add_step(FormulaOperation operation, int a, int b) {
    task_.step[task_.steps++] = {operation, byte(values_), byte(a), byte(b)};
    return values_++;
  }

  RunFormula task_{};
  std::int32_t step_;
  Index bytes_;
  Index offset_[4] = {};
  int values_ = 0, numbers_ = 0;
};

// The second one of a half spectrum is the conjugate of the first.
FoldSteps sums_of(Scalar scalar, Index pencils, const FoldedModes& folded) {
  FoldSteps s(scalar, pencils, folded);
  for (const int part : {0, 1}) {
    const int kept = s.array(folded.middle, part);
    if (folded.mirrored > 0) {
      s.write(kept, s.sum(s.read(kept), s.read(s.array(folded.mirrored, part))));
    } else {
      const int value = part == 0 ? s.read(kept) : s.number(0);
      s.write(kept, part == 0 ? s.sum(value, value) : value);
    }
  }
  return s;
}

FoldSteps halves_of(Scalar scalar, Index pencils, const FoldedModes& folded) {
  FoldSteps s(scalar, pencils, folded);
  for (const int part : {0, 1}) {
    const int kept = s.array(folded.middle, part);
    const bool is_real = part == 1 && folded.mirrored == 0;
    const int half = is_real ? s.number(0) : s.product(s.read(kept), s.number(0.5));
    s.write(kept, half);
    if (folded.mirrored > 0) s.write(s.array(folded.mirrored, part), half);
  }
  return s;
}

class FoldedFft final : public Fft {
 public:
  FoldedFft(std::unique_ptr<Fft> whole, Scalar scalar, Index pencils, const FoldedModes& folded)
      : whole_(std::move(whole)),
        in_(folded.in),
        steps_(folded.in ? halves_of(scalar, pencils, folded) : sums_of(scalar, pencils, folded)) {}
  [[nodiscard]] std::size_t work_bytes() const override { return whole_->work_bytes(); }
  void run(Queue& queue, std::byte* in, std::byte* out, std::byte* work) const override {
    if (in_) queue.run(steps_.on(in));
    whole_->run(queue, in, out, work);
    if (!in_) queue.run(steps_.on(out));
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{}, an even number of modes", whole_->describe());
  }

 private:
  std::unique_ptr<Fft> whole_;
  bool in_;
  FoldSteps steps_;
};

}  // namespace

std::unique_ptr<Fft> make_folded_fft(std::unique_ptr<Fft> whole, Scalar scalar, Index pencils,
                                     const FoldedModes& folded) {
  return std::make_unique<FoldedFft>(std::move(whole), scalar, pencils, folded);
}

}  // namespace shardfft
