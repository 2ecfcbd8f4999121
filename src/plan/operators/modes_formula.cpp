#include "plan/operators/modes_formula.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "grid/cyclic_axis.hpp"
#include "planner/decide/rank_device.hpp"
#include "support/formula/formula_steps.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

// A device finds an element's number at its place along an axis, which may be ordered by owner.
std::vector<double> in_order_of(const Plan& plan, int axis, std::vector<double> table) {
  const Index owners = owners_of(plan.middle())[axis];
  if (plan.space() == Space::host || owners == 1) return table;
  const std::vector<double> by_index = table;
  const CyclicMap map{static_cast<Index>(table.size()), owners};
  for (std::size_t at = 0; at < table.size(); ++at)
    table[at] = by_index[static_cast<std::size_t>(map.index(static_cast<Index>(at)))];
  return table;
}

template <class T>
std::vector<T> one_behind_the_other(const std::vector<std::vector<double>>& tables) {
  std::vector<T> all;
  for (const auto& table : tables)
    for (const double number : table) all.push_back(static_cast<T>(number));
  return all;
}

}  // namespace

ModesFormula::ModesFormula(const Plan& plan, Precision precision)
    : plan_(plan), formula_(precision), complex_(plan.middle_is_complex()) {}

int ModesFormula::add(const OperatorArray& array) {
  arrays_.push_back(array);
  return static_cast<int>(arrays_.size()) - 1;
}

int ModesFormula::element(int component, int part) {
  const auto known = std::find_if(arrays_.begin(), arrays_.end(), [&](const OperatorArray& other) {
    return other.of == OperatorArray::Of::component && other.number == component && other.part == part;
  });
  if (known != arrays_.end()) return static_cast<int>(known - arrays_.begin());
  return add({.of = OperatorArray::Of::component, .number = component, .part = part});
}

int ModesFormula::table_of(int axis, std::span<const double> table) {
  tables_.push_back(in_order_of(plan_, axis, {table.begin(), table.end()}));
  return add({.of = OperatorArray::Of::axis, .number = axis});
}

int ModesFormula::beside_of(const void* number, int step) {
  if (plan_.middle_bytes() > 0 && plan_.space() != Space::host && owner_of(number).is_host())
    refuse_argument(fmt::format(
        "an array beside what operators see is where the plan's arrays are, on device {}; got memory of the "
        "host; make it with make_middle(), and copy() it there",
        name(plan_.space())));
  return add({.of = OperatorArray::Of::beside, .data = static_cast<const std::byte*>(number), .step = step});
}

void ModesFormula::add_tables(OperatorFormula& made) const {
  const bool narrow = made.run.scalar == Scalar::f32;
  const std::vector<float> floats = narrow ? one_behind_the_other<float>(tables_) : std::vector<float>{};
  const std::vector<double> doubles = narrow ? std::vector<double>{} : one_behind_the_other<double>(tables_);
  const View all = narrow ? View(floats) : View(doubles);
  auto there = std::make_shared<Array>(plan_.make_array(all.bytes));
  plan_.copy(all, *there);
  const std::byte* at = there->data();
  std::size_t table = 0;
  for (int a = 0; a < made.run.arrays; ++a)
    if (made.array[a].of == OperatorArray::Of::axis) {
      made.array[a].data = at;
      at += tables_[table++].size() * (narrow ? sizeof(float) : sizeof(double));
    }
  made.tables = std::move(there);
}

std::shared_ptr<const OperatorFormula> ModesFormula::made(const Formula& formula, bool each,
                                                          std::span<const double> parameters) const {
  auto made = std::make_shared<OperatorFormula>(
      OperatorFormula{.run = formula_steps(formula, arrays_.size(), parameters),
                      .each = each,
                      .scalar = plan_.problem().precision == f32 ? Scalar::f32 : Scalar::f64,
                      .complex = complex_,
                      .space = plan_.space()});
  std::copy(arrays_.begin(), arrays_.end(), made->array);
  add_tables(*made);
  return made;
}

}  // namespace shardfft
