// A route bound to memory: each step's sweep knows its patches, and its ends their messages.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "pipeline/bind/ends.hpp"
#include "pipeline/errors/error_control.hpp"
#include "pipeline/route/route.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {

/// How one run reaches memory, bits: the same on all ranks. Where every rank passed an array of the channel
/// (Channel::take_array) there is nothing to copy first or last: the first sweep reads the peers' inputs and the last
/// one writes into the peers' outputs; without copies the outputs hold the array from the first sweep on.
enum ArrayAccess : unsigned {
  by_copies = 0,
  reads_peers = 1,
  writes_peers = 2,
  full_width = 4,  ///< of a run that may lose nothing: no storage format. Not the caller's choice
};

struct BoundStep {
  std::unique_ptr<StepCodecs> codecs{};  ///< nullptr: nothing is encoded, and no norm is looked at
  std::unique_ptr<ReadEnd> read{};
  std::unique_ptr<WriteEnd> write{};
  bool skips_inbox = false;  ///< in runs that reach the ranks' outputs: what it would read lies in them
};

struct BoundRoute {
  std::vector<BoundStep> steps{};
  unsigned access = by_copies;  ///< those bits that make a difference
  std::size_t scratch_bytes = 0;
  /// By those bits: of each step its sweep; nullptr: a copy that is left out.
  std::array<std::vector<const Sweep*>, 8> sweeps{};
  std::vector<std::unique_ptr<Sweep>> owned{};
};

/// Its exchanges are numbers first_round, first_round + 1, ... of `channel`, which is bound. `axes`: of each stage.
/// `errors`: nullptr in exact mode.
[[nodiscard]] BoundRoute bind_route(const PipelineSpec& spec, const Route& route,
                                    const std::vector<std::vector<SweepAxis>>& axes, Channel& channel, int first_round,
                                    ErrorControl* errors);

/// Whether what some stage hands on to the next one may lie in the ranks' outputs, which all of them reach then.
/// Without an exchange it does, or else in runs that copy nothing.
[[nodiscard]] bool hands_on_in_outputs(const PipelineSpec& spec, const Route& route);

}  // namespace shardfft
