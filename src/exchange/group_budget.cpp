#include "exchange/group_budget.hpp"

#include <cmath>
#include <limits>

namespace shardfft {

GroupBudget group_budget_of(const ErrorBudget& terms, Scalar scalar, Index values, Index of_whole, double norm2) {
  const bool given = terms.basis == ErrorBudget::Basis::given;
  if (given) norm2 = terms.norm * terms.norm;
  const double n = static_cast<double>(values);
  if (terms.nothing || !is_usual(norm2, scalar)) return {.error = 0, .norm = 0, .values = values, .a_priori = true};
  GroupBudget allowed{.error = std::numeric_limits<double>::infinity(),
                      .norm = std::sqrt(norm2),
                      .values = values,
                      .a_priori = terms.a_priori};
  if (terms.forced) return allowed;
  if (terms.absolute > 0)
    allowed.error = terms.absolute * std::sqrt(n / terms.values);
  else
    allowed.error = terms.share * std::sqrt(norm2 * n / (given ? terms.values : static_cast<double>(of_whole)));
  return allowed;
}

EncodeAttempts encode_attempts(const ErrorBudget& terms, Scalar scalar, const Codec& codec, const GroupBudget& wanted,
                               Index stored) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  // With dither all losses of an exchange together are what is expected, if the steps are alike; they are not where
  // units have shares of their own, and one of them may hold nearly all there is.
  const bool unchecked =
      terms.forced || (terms.rounding == Rounding::dither && terms.basis == ErrorBudget::Basis::given);
  EncodeAttempts attempts{
      .parameter = {none, none},
      .allowed2 = unchecked ? std::numeric_limits<double>::max() : wanted.error * wanted.error * (1 + 1e-9)};
  if (!(wanted.error > 0)) return attempts;
  GroupBudget allowed = wanted;
  if (terms.rounding == Rounding::dither) allowed.values = stored;  // zeros that fill up blocks lose as much as others
  attempts.parameter[0] =
      terms.forced && !std::isnan(terms.parameter) ? terms.parameter : codec.parameter(scalar, allowed);
  if (allowed.a_priori || unchecked) return attempts;
  allowed.a_priori = true;
  attempts.parameter[1] = codec.parameter(scalar, allowed);
  return attempts;
}

}  // namespace shardfft
