// Messages between nodes, all those of two nodes as one.
#pragma once

#include "transport/transport.hpp"

namespace shardfft {

/// The part of a mixed transport that serves ranks of different nodes. Writers store into memory that their node
/// shares, in the order in which the other node's ranks read; a courier sends it when all have stored, and the readers
/// read what arrived where it is.
class MpiNode final : public Transport {
 public:
  /// `cross` moves the messages of couriers, `inside` says within the node when they are complete.
  MpiNode(const Transport& inside, const Transport& cross) : inside_(inside), cross_(cross) {}
  [[nodiscard]] std::string_view name() const override { return "mpi_node"; }
  [[nodiscard]] std::string library() const override { return cross_.library(); }
  [[nodiscard]] std::string refuses(const Comm& comm) const override { return cross_.refuses(comm); }
  /// Traffic has messages between different nodes only.
  [[nodiscard]] std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override;

 private:
  const Transport &inside_, &cross_;
};

}  // namespace shardfft
