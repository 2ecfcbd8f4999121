// What all ranks must agree on before a plan is made or passed on to FFTW.
#pragma once

#include <string>

#include "group.hpp"
#include "request.hpp"

namespace shardfft::fftw_mpi {

/// The answer of all ranks together, the same on each of them.
struct Agreed {
  std::string refused{};    ///< why shardfft has no plan; empty if it may have one
  bool others_may = false;  ///< FFTW may have one: every rank asked for the same, within the rules
  bool in_place = false;
  int threads = 1;      ///< as rank 0 says
  double seconds = -1;  ///< as rank 0 says
};

/// Collective. Compares what the ranks ask for. `mine`: this rank's sides, or why there are none. An argument that
/// breaks a rule on one rank, or differs from that of rank 0, refuses the plan on all ranks.
Agreed agree(const Group& group, const Request& request, const Sides& mine);

}  // namespace shardfft::fftw_mpi
