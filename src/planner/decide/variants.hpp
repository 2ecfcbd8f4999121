// What the tuner may try, in the order of the model.
#pragma once

#include <functional>
#include <vector>

#include "planner/decide/recipe.hpp"
#include "planner/options/variant.hpp"

namespace shardfft {

/// A variant and what the model expects of it.
struct Ranked {
  Tuning variant{};
  double seconds = 0;
  std::string recipe{};  ///< to_string() of what it comes to
  Coord grid{};          ///< factors larger than 1 of the process grid of the stage that is cut most
};

/// How far to look.
enum class Breadth {
  neighbours,  ///< one choice other than the recipe's own at a time
  usual,       ///< all combinations that are known to pay somewhere
  all          ///< all combinations
};

/// `base`: a complete recipe; what was given there is left as it is. The recipe's own variant comes first, the others
/// follow from cheap to dear; no two come to the same recipe. Not collective, the same on every rank.
[[nodiscard]] std::vector<Ranked> ranked_variants(const Recipe& base, const Comm& comm, Breadth breadth);

struct Listing {
  std::vector<Ranked> variants{};  ///< as ranked_variants() gives them
  bool all = true;                 ///< false when `time_left` ended it
};

/// Collective. The same where time is short: rank 0 alone completes the variants, those first that differ least from
/// the recipe's own, and tells the others.
///   time_left()  asked on rank 0 before every variant but the recipe's own; empty: there is time for all
[[nodiscard]] Listing list_variants(const Recipe& base, const Comm& comm, Breadth breadth,
                                    const std::function<bool()>& time_left);

/// The cheapest variant of each transport comes before all others, behind the first variant: what a model of devices
/// thinks cheapest may not open between processes, with all that it ranked first.
void begin_with_each_transport(std::vector<Ranked>& variants);

/// Variants that differ from the first one only in where the array lies between sweeps and in non-temporal stores come
/// behind it, before all others: which of these is fastest depends on how much of the common cache other programs
/// leave, which no model knows.
void begin_with_other_memory(std::vector<Ranked>& variants);

}  // namespace shardfft
