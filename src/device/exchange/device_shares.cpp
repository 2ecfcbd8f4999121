#include "device/exchange/device_shares.hpp"

#include "shardfft/error.hpp"

namespace shardfft {

DeviceShares::DeviceShares(const std::shared_ptr<Device>& device, Queue& queue, const DeviceMessages& messages,
                           std::span<const std::uint32_t> unit_of, Index units, const ErrorBudget& terms)
    : scalar_(messages.type().scalar),
      format_(find_device_codec(messages.codec().number())->format()),
      groups_(messages.groups()),
      units_(units) {
  if (terms.basis != ErrorBudget::Basis::own || terms.absolute > 0 || terms.forced)
    throw Error(Status::internal,
                "shares of norms on a device are of units' own norms; other terms are known to the host, which makes "
                "the tries of the groups itself");
  const auto n = static_cast<std::size_t>(groups_);
  std::vector<Index> of_unit(static_cast<std::size_t>(units));
  for (std::size_t g = 0; g < n; ++g) of_unit[unit_of[g]] += messages.values()[g];
  std::vector<double> parameter(2 * n), allowed2(n);
  for (std::size_t g = 0; g < n; ++g) {
    const GroupBudget of_one = group_budget_of(terms, scalar_, messages.values()[g], of_unit[unit_of[g]], 1);
    const EncodeAttempts attempts = encode_attempts(terms, scalar_, messages.codec(), of_one, messages.stored()[g]);
    for (std::size_t a = 0; a < 2; ++a) parameter[a * n + g] = attempts.parameter[a];
    allowed2[g] = attempts.allowed2;
  }
  unit_of_ = {device, queue, unit_of, "units of encoded groups"};
  parameter_ = {device, queue, parameter, "parameters of encoded groups"};
  allowed2_ = {device, queue, allowed2, "allowances of encoded groups"};
  tries_ = {device, DeviceMessages::tries_of_a_group * n * sizeof(GroupTry), "tries of encoded groups"};
}

void DeviceShares::set(Queue& queue, const double* norm2) const {
  if (groups_ == 0) return;
  const Range usual = usual_norm2(scalar_);
  queue.run(SetTries{.scalar = scalar_,
                     .format = format_,
                     .groups = groups_,
                     .units = units_,
                     .unit_of = unit_of_.data(),
                     .norm2 = norm2,
                     .least_norm2 = usual.above,
                     .most_norm2 = usual.below,
                     .parameter = parameter_.data(),
                     .allowed2 = allowed2_.data(),
                     .attempt = reinterpret_cast<GroupTry*>(tries_.data())});
}

}  // namespace shardfft
