// A plan of FFTW-MPI's interface that runs on shardfft.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "agreement.hpp"
#include "group.hpp"
#include "request.hpp"

namespace shardfft::fftw_mpi {

/// Throws std::runtime_error if the C library has no such problem or layouts. Not collective.
void check_parts(const Request& request, const Sides& sides);

class Plan {
 public:
  /// Collective, after agree(). Throws std::runtime_error on every rank.
  Plan(Request request, const Sides& sides, Group group, const Agreed& agreed);

  /// Collective. Arrays as those that were planned, elsewhere. In place if they are the same: that may be otherwise
  /// than planned, and costs a second plan once. Throws std::runtime_error.
  void run(void* in, void* out);
  void run() { run(request_.in, request_.out); }

  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] double flops() const;  ///< 5 N log2 N, half of that with reals, of all ranks
  [[nodiscard]] std::string describe();

 private:
  /// The plan of the library for arrays that are, or are not, the same.
  struct Way {
    LibraryPlan plan{};
    std::size_t in_bytes = 0, out_bytes = 0;
  };
  Way& way(bool in_place);
  Way make_way(bool in_place) const;
  [[nodiscard]] bool is_backward() const { return request_.what == What::c2c && request_.sign > 0; }

  Request request_;
  Group group_;  ///< the communicator of the request may be gone
  Sides sides_;
  bool in_place_ = false;  ///< as planned
  std::array<Way, 2> ways_{};
};

}  // namespace shardfft::fftw_mpi
