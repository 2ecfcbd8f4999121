// What was chosen: plain data, the same on all ranks but for `threads`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "grid/chirped_axis.hpp"
#include "grid/swept_side.hpp"
#include "pipeline/route/stages.hpp"
#include "planner/decide/encoding.hpp"
#include "planner/decide/rank_device.hpp"
#include "planner/model/machine.hpp"
#include "planner/options/choices.hpp"
#include "planner/problem/problem.hpp"
#include "support/tuning.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// What wisdom said about this problem.
struct Remembered {
  std::string date{}, effort{};
  double seconds = 0;               ///< measured
  std::string runner_up{};          ///< the next best that was measured; empty when there is none
  std::string runner_up_changes{};  ///< its choices that are not those of the best
  double runner_up_seconds = 0;
  std::string transport{};  ///< with which it was measured
  bool complete = true;     ///< false when the time ran out
  double tune_seconds = 0;  ///< the time that there was
};

/// What the model of a device expects of one step of analysis.
struct ExpectedStep {
  std::string label{};
  double seconds = 0;
};

/// In which order the axes are transformed, as axis_order() and synthesis_order() give them. No variant changes that.
struct AxisOrders {
  std::vector<AxisTransform> analysis{};
  std::optional<std::vector<AxisTransform>> synthesis{};  ///< where somebody asked
};

/// What apply() goes through.
struct AppliedStages {
  std::vector<Stage> stages{};
  SweptSide side{};  ///< how sweeps see the caller's two arrays
  Layout middle{};   ///< of the array that is never stored
};

struct Recipe {
  CheckedProblem problem{};
  Options given{};    ///< with the environment, before wisdom filled anything in
  Choices choices{};  ///< with what wisdom knew
  Machine machine{};
  Layout space{}, spectrum{};               ///< the caller's two layouts
  std::optional<AxisOrders> orders{};       ///< found once, since that takes as long as all else
  std::vector<Stage> analysis{};            ///< stages from space to spectrum, of the array that is swept
  std::vector<Stage> synthesis{};           ///< and back
  std::optional<AxisSplit> split{};         ///< of the caller's array into that one; none: they are the same
  std::optional<ChirpedAxis> chirped{};     ///< else, the axis that is a convolution; both lists of stages are of that
  SweptSide space_side{}, spectrum_side{};  ///< how sweeps see them
  std::optional<AppliedStages> applied{};   ///< where options.apply asks for it
  const Engine* engine = nullptr;           ///< of the host
  std::shared_ptr<RankDevice> device{};     ///< this rank's; nullptr: the host transforms
  /// The device that holds the caller's arrays; nullptr if the host does.
  [[nodiscard]] RankDevice* holder() const { return choices.options.arrays == "host" ? nullptr : device.get(); }
  std::vector<const Transport*> transports{};  ///< to be tried in this order
  std::vector<std::string> closed{};           ///< names of transports that were seen not to work on these ranks
  /// All choices. `decomposition` and `ranks_grid` are as asked for: the stages tell what they came to.
  Tuning tuning{};
  /// On a device: pencils are transformed inside the kernel that gathers and scatters them, where it can.
  [[nodiscard]] bool fused() const { return tuning.engine == "fused"; }
  std::string notice{};      ///< why a rank has fewer threads than it should; it was said
  int threads_of_first = 1;  ///< those of rank 0, for which the model computes
  /// Whether those sweeps bypass the cache that lead from space to the spectrum, or those back.
  [[nodiscard]] bool non_temporal_in(bool analysis) const {
    return tuning.non_temporal == NonTemporal::all || (tuning.non_temporal == NonTemporal::synthesis && !analysis);
  }
  Encoding encoding{};
  std::string saves_nothing{};  ///< why it was given up for all exchanges, found once their messages were known
  double seconds = 0;  ///< what the model expects of one transform; means nothing on a device that was not measured
  std::vector<ExpectedStep> expected{};  ///< on a device that was measured: of its steps
  std::optional<Remembered> wisdom{};    ///< where that is what the choices come from
};

/// Axes that one sweep may do where nobody says otherwise.
[[nodiscard]] int usual_fuse(const Recipe& recipe);

/// What each choice came to, in words, and who made it. Choices that play no part are left out.
[[nodiscard]] std::vector<Choice> choices_of(const Recipe& recipe);
/// Everything in which two recipes of a problem can differ, threads aside; the same on all ranks.
[[nodiscard]] std::string to_string(const Recipe& recipe);
/// The recipe as a candidate of the tuner.
[[nodiscard]] Tuning variant_of(const Recipe& recipe);

}  // namespace shardfft
