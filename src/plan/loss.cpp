// What approximate mode lost, and what it saved.
#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/impl.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {

std::vector<double> summed(const Comm& comm, std::vector<double> values) {
  for (double& value : values) value = all_sum(comm, value);
  return values;
}

double Plan::error_bound() const { return loss().bound; }

Loss Plan::loss() const {
  const Impl& m = callable(impl_);
  const Pipeline& run = m.last ? *m.last : *m.pipelines.forward;
  // Some elements weigh twice as much as others, and their errors with them.
  const double weight = m.gate.variation().adjoint && m.gate.weighs_in_adjoints() ? 2 : 1;
  const double arithmetic = weight * exact_bound(m.transform(Direction::forward), problem().precision);
  const ErrorControl* errors = run.errors();
  const bool encodes = errors && !errors->losses().empty();
  if (&run == m.pipelines.both.get()) {
    // Relative to the largest |f| times the norm of the input: what may be lost, whatever was.
    Loss loss{.bound = 2 * arithmetic, .encoded = encodes ? m.recipe.encoding.undithered_tolerance : 0};
    loss.bound += loss.encoded;
    if (encodes) m.count_bytes(*errors, loss);
    return loss;
  }
  const bool forward = &run == m.pipelines.forward.get();
  Loss loss{.floor = m.floor(forward ? Direction::forward : Direction::backward)};
  const double norm = all_max(m.comm, m.seen.norm);
  const bool vanished = norm == 0 && all_max(m.comm, m.seen.vanished ? 1.0 : 0.0) > 0;
  loss.bound = arithmetic + (norm > 0 ? loss.floor / norm : vanished ? std::numeric_limits<double>::infinity() : 0);
  if (!encodes) return loss;
  loss.encoded = errors->relative_error(summed(m.comm, {errors->losses().begin(), errors->losses().end()}));
  loss.bound += loss.encoded;
  m.count_bytes(*errors, loss);
  return loss;
}

void Plan::Impl::count_bytes(const ErrorControl& errors, Loss& loss) const {
  const auto scalar = static_cast<double>(size_of(recipe.problem.scalar));
  for (const double n : summed(comm, errors.encoded_values())) loss.bytes_before += n * scalar;
  loss.bytes_after = all_sum(comm, errors.bytes_encoded());
  const double numbers = loss.bytes_before / scalar;
  if (numbers > 0) loss.bits = 8 * loss.bytes_after / numbers;
}

double Plan::Impl::floor(Direction direction) const {
  const CallerArray& result = direction == Direction::forward ? arrays.output : arrays.input;
  const double weight = gate.variation().adjoint && gate.weighs_in_adjoints() ? 2 : 1;
  return exact_floor(transform(direction, weight * gate.factor(direction, gate.variation())),
                     recipe.problem.asked.precision,
                     static_cast<double>(product(result.layout.global())) * (result.complex ? 2 : 1));
}

double Plan::Impl::far_above_floor(Direction direction) const {
  constexpr double far = 1000;
  return far * floor(direction) / exact_bound(transform(direction), recipe.problem.asked.precision);
}

// The eight probes of verify() see an error up to twice as large as it is: the mean of their squares has 16 degrees of
// freedom, and is more than four times what it stands for once in ten million results. (At 1.5 times as large it would
// be three in a thousand: docs/theory/verification.md.)
double Plan::Impl::bound_of_verify(Direction direction) const {
  constexpr double spread = 2;
  if (!recipe.encoding.codec && !recipe.encoding.storage) return 0;
  if (options().tolerance > 0) return spread * options().tolerance;
  const bool of_this =
      last && last == (direction == Direction::forward ? pipelines.forward.get() : pipelines.backward.get());
  const ErrorControl* errors = of_this ? last->errors() : nullptr;
  if (!errors) return 0;
  return spread * (exact_bound(transform(direction), recipe.problem.asked.precision) +
                   errors->relative_error(summed(comm, {errors->losses().begin(), errors->losses().end()})));
}

}  // namespace shardfft
