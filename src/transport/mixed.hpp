// One transport for the ranks of a node and another between nodes.
#pragma once

#include "transport/transport.hpp"

namespace shardfft {

class Mixed final : public Transport {
 public:
  /// `inside` serves each node's ranks as a group of their own, `between` the whole group. Both must outlive this.
  Mixed(std::string_view its_name, const Transport& inside, const Transport& between,
        const Transport* its_substitute = nullptr)
      : name_(its_name), inside_(inside), between_(between), fallback_(its_substitute) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] StoreReach store_reach() const override { return StoreReach::node; }
  [[nodiscard]] std::string refuses(const Comm& comm) const override;
  [[nodiscard]] std::string probe(const Comm& comm) const override { return between_.probe(comm); }
  [[nodiscard]] const Transport* fallback() const override { return fallback_; }
  [[nodiscard]] std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override;

 private:
  std::string_view name_;
  const Transport &inside_, &between_;
  const Transport* fallback_;
};

}  // namespace shardfft
