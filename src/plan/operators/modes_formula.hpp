// The formula of an operator, written beside its function: what plans on devices run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shardfft/operators/formula.hpp"
#include "shardfft/plan.hpp"
#include "support/formula/operator_formula.hpp"

namespace shardfft {

/// What operators of a plan see, as terms. Complex elements have parts 0, real, and 1, imaginary. It computes in f64
/// unless `precision` says otherwise, whatever elements have.
class ModesFormula {
 public:
  explicit ModesFormula(const Plan& plan, Precision precision = f64);

  [[nodiscard]] Formula& formula() { return formula_; }
  [[nodiscard]] Term read(int component, int part) { return formula_.read(element(component, part)); }
  void write(int component, int part, const Term& term) { formula_.write(element(component, part), term); }
  /// A number of `table` for each index along an axis of the array, by global index.
  [[nodiscard]] Term along(int axis, std::span<const double> table) { return formula_.read(table_of(axis, table)); }
  /// A number beside each element, from an array that Plan::make_middle() made.
  [[nodiscard]] Term beside(const void* array, int part) {
    const std::size_t scalar = plan_.problem().precision == f32 ? sizeof(float) : sizeof(double);
    return formula_.read(
        beside_of(static_cast<const std::byte*>(array) + static_cast<std::size_t>(part) * scalar, complex_ ? 2 : 1));
  }

  // These number the arrays in the order of the calls.
  int element(int component, int part);
  int table_of(int axis, std::span<const double> table);
  int beside_of(const void* number, int step);

  /// `each`: component 0 alone is named, and every one is done like that.
  [[nodiscard]] std::shared_ptr<const OperatorFormula> made(bool each) { return made(formula_, each, {}); }
  /// An operator from a formula that names these arrays by their numbers.
  [[nodiscard]] std::shared_ptr<const OperatorFormula> made(const Formula& formula, bool each,
                                                            std::span<const double> parameters) const;

 private:
  int add(const OperatorArray& array);
  void add_tables(OperatorFormula& made) const;

  const Plan& plan_;
  Formula formula_;
  bool complex_;
  std::vector<OperatorArray> arrays_{};
  std::vector<std::vector<double>> tables_{};
};

/// What `write` adds, for a plan whose arrays are on a device: write(ModesFormula). Of others nothing.
template <class Write>
[[nodiscard]] std::shared_ptr<const OperatorFormula> on_device(const Plan& plan, bool each, const Write& write) {
  if (plan.space() == Space::host) return nullptr;
  ModesFormula formula(plan);
  write(formula);
  return formula.made(each);
}

}  // namespace shardfft
