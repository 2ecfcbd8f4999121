// The power of each shell of a spectrum.
#include <optional>

#include "plan/operators/shells.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {

std::vector<double> spectral::power_spectrum(const Plan& plan, View spectrum, std::span<const double> lengths,
                                             double width) {
  std::optional<Shells> shells;
  collectively(plan.comm(), [&] {
    shells.emplace(WaveNumbers(plan.problem(), lengths), width, /*centred=*/true, /*usual_is_longest=*/true);
  });
  std::vector<double> sums = sum_shells(plan, {&spectrum, 1}, *shells, 1, "power_spectrum");
  sums.resize(shells->count());
  return sums;
}

}  // namespace shardfft
