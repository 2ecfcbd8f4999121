#include "device/exchange/device_shares.hpp"

#include "shardfft/error.hpp"

namespace shardfft {

DeviceShares::DeviceShares(const std::shared_ptr<Device>& device, Queue& queue, const DeviceMessages& messages,
                           std::vector<std::uint32_t> unit_of, Index units)
    : scalar_(messages.type().scalar),
      format_(find_device_codec(messages.codec().number())->format()),
      units_(units),
      unit_of_(std::move(unit_of)),
      of_unit_(static_cast<std::size_t>(units)),
      unit_table_(device, queue, unit_of_, "units of encoded groups"),
      constants_(device, 3 * unit_of_.size() * sizeof(double), "shares of encoded groups"),
      tries_(device, DeviceMessages::tries_of_a_group * unit_of_.size() * sizeof(GroupTry), "tries of encoded groups") {
  for (std::size_t g = 0; g < unit_of_.size(); ++g) of_unit_[unit_of_[g]] += messages.values()[g];
}

void DeviceShares::begin(Queue& queue, const DeviceMessages& messages, const ErrorBudget& terms,
                         std::byte* pinned) const {
  if (terms.basis == ErrorBudget::Basis::given || terms.absolute > 0 || terms.forced)
    throw Error(Status::internal,
                "shares of norms on a device are of units' or groups' own norms; other terms are known to the host, "
                "which makes the tries of the groups itself");
  const std::size_t n = unit_of_.size();
  auto *parameter = reinterpret_cast<double*>(pinned), *allowed2 = parameter + 2 * n;
  for (std::size_t g = 0; g < n; ++g) {
    const Index values = messages.values()[g];
    const GroupBudget of_one = group_budget_of(terms, scalar_, values, of_unit_[unit_of_[g]], 1);
    const EncodeAttempts attempts = encode_attempts(terms, scalar_, messages.codec(), of_one, messages.stored()[g]);
    for (std::size_t a = 0; a < 2; ++a) parameter[a * n + g] = attempts.parameter[a];
    allowed2[g] = attempts.allowed2;
  }
  if (n > 0) queue.copy(constants_.data(), pinned, pinned_bytes());
}

void DeviceShares::set(Queue& queue, const double* norm2) const {
  if (unit_of_.empty()) return;
  const UsualNorms usual = usual_norm2(scalar_);
  const auto* parameter = reinterpret_cast<const double*>(constants_.data());
  const auto groups = static_cast<Index>(unit_of_.size());
  queue.run(SetTries{.scalar = scalar_,
                     .format = format_,
                     .groups = groups,
                     .units = units_,
                     .unit_of = unit_table_.data(),
                     .norm2 = norm2,
                     .least_norm2 = usual.above,
                     .most_norm2 = usual.below,
                     .parameter = parameter,
                     .allowed2 = parameter + 2 * groups,
                     .attempt = reinterpret_cast<GroupTry*>(tries_.data())});
}

}  // namespace shardfft
