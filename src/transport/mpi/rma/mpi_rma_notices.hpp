// The reader's side of a round of one-sided messages (mpi_rma.cpp): what the writers tell of those that are there.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "shardfft/error.hpp"
#include "transport/arrivals.hpp"
#include "transport/mpi/mpi_remains.hpp"
#include "transport/mpi/mpi_requests.hpp"
#include "transport/mpi/rma/mpi_rma_puts.hpp"

namespace shardfft {

class RmaNotices {
 public:
  /// In the order of chunks for each source, as it sends them. `arrivals` will await them.
  void make_requests(const Round& round, int me, MPI_Comm comm, int tag, Arrivals& arrivals) {
    heard_.resize(round.in.size());
    for (std::size_t i = 0; i < round.in.size(); ++i) {
      if (round.in[i].peer == me) continue;
      message_.push_back(i);
      arrivals.await(round.in[i].chunk);
      check_mpi(MPI_Recv_init(&heard_[i], sizeof(RmaNotice), MPI_BYTE, round.in[i].peer, tag, comm,
                              &requests_.all.emplace_back()),
                "MPI_Recv_init");
    }
    requests_.reserve();
  }

  /// A new use of the round.
  void begin() { requests_.start(); }
  /// True when something came, which `arrivals` knows then. Lets MPI work, without waiting.
  bool listen(std::int64_t use, const Round& round, Arrivals& arrivals) {
    bool some = false;
    requests_.test([&](std::size_t i, const MPI_Status&) {
      const RmaNotice& notice = heard_[message_[i]];
      const Message& m = round.in[message_[i]];
      if (notice.use != use)
        throw Error(Status::internal,
                    fmt::format("mpi_rma: rank {} tells of use {} of a round, in use {}", m.peer, notice.use, use));
      arrivals.set(message_[i], notice.bytes);
      arrivals.came(m.chunk);
      some = true;
    });
    return some;
  }
  /// Messages of chunks 0 .. chunk of which nothing was heard.
  [[nodiscard]] std::vector<Message> missing(const Round& round, int chunk) const {
    std::vector<Message> late;
    for (std::size_t i = 0; i < message_.size(); ++i)
      if (const Message& m = round.in[message_[i]]; m.chunk <= chunk && requests_.is_active(i)) late.push_back(m);
    return late;
  }
  void give_up(MpiLeftovers& left) { requests_.give_up(left.receives); }

 private:
  std::vector<std::size_t> message_;  ///< of each request
  std::vector<RmaNotice> heard_;      ///< of each message
  MpiRequests requests_;
};

}  // namespace shardfft
