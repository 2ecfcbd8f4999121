// One persistent send or receive per message, or for each piece of one.
#pragma once

#include "transport/transport.hpp"

namespace shardfft {

class MpiP2p final : public Transport {
 public:
  /// Longer messages are sent in pieces of at most `piece_bytes` bytes, which MPI counts in an int; between nodes maybe
  /// shorter ones (mpi_eager.hpp). Tags tell those of two ranks apart, until they repeat after `tags` pieces: MPI
  /// promises 32768, for those that are received from the start of a round, those that follow a head, and heads.
  explicit MpiP2p(Index piece_bytes = Index{1} << 30, int tags = 16383) : piece_bytes_(piece_bytes), tags_(tags) {}
  [[nodiscard]] std::string_view name() const override { return "mpi_p2p"; }
  [[nodiscard]] std::string library() const override;
  [[nodiscard]] std::string refuses(const Comm& comm) const override;
  [[nodiscard]] std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override;

 private:
  Index piece_bytes_;
  int tags_;
};

}  // namespace shardfft
