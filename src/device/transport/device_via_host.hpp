// Messages between devices through memory of the hosts, over any transport for that.
#pragma once

#include "transport/transport.hpp"

namespace shardfft {

class ViaHost final : public Transport {
 public:
  /// `over`: nullptr, or what carries messages between hosts instead of the best transport that serves the ranks; it
  /// must outlive this.
  explicit ViaHost(const Transport* over = nullptr) : over_(over) {}
  [[nodiscard]] std::string_view name() const override { return "via_host"; }
  [[nodiscard]] std::string refuses(const Comm& comm) const override;
  [[nodiscard]] bool on_device() const override { return true; }
  [[nodiscard]] std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override;

 private:
  const Transport* over_;
};

}  // namespace shardfft
