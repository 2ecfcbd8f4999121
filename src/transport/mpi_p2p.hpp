// One persistent send or receive per message.
#pragma once

#include "transport/transport.hpp"

namespace shardfft {

class MpiP2p final : public Transport {
 public:
  /// Longer messages are sent in pieces of at most `piece_bytes` bytes, which MPI counts in an int.
  explicit MpiP2p(Index piece_bytes = Index{1} << 30) : piece_bytes_(piece_bytes) {}
  [[nodiscard]] std::string_view name() const override { return "mpi_p2p"; }
  [[nodiscard]] std::string library() const override;
  [[nodiscard]] std::string refuses(const Comm& comm) const override;
  [[nodiscard]] std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override;

 private:
  Index piece_bytes_;
};

}  // namespace shardfft
