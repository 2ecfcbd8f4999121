// One candidate of a tuning run: made, checked, timed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "planner/measure/race.hpp"
#include "planner/options/variant.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// Runs candidates on data of its own. All calls are collective.
class Trials {
 public:
  /// For tests: may change a result before it is looked at.
  using Spoil = std::function<void(Direction, Array& result)>;

  /// `given`: options with the environment, which the candidates complete.
  Trials(const Comm& comm, const Problem& problem, const Options& given, Spoil spoil = {})
      : comm_(comm), problem_(problem), given_(given), spoil_(std::move(spoil)) {}

  /// Makes a plan, looks at its results in both directions, and takes its time. Throws Error(transport_failed,
  /// internal, mismatch) when the ranks may be out of step.
  Lap run(const Tuning& variant, int runs, double limit);

 private:
  struct Hashes {
    std::uint64_t forward = 0, backward = 0;
    bool operator==(const Hashes&) const = default;
  };
  void require_room(const Plan& plan);
  void provide(const Plan& plan);
  void fill(const Plan& plan);
  void fill(const Plan& plan, Array& array);
  Array copy_of(const Plan& plan, Array& array) const;
  std::string what_is_wrong(Plan& plan, const Tuning& variant);
  double best_of(Plan& plan, int runs, double limit);
  [[nodiscard]] bool makes_arrays() const;
  [[nodiscard]] bool on_device() const { return !given_.device.empty() && given_.arrays != "host"; }
  Array& in() { return in_; }
  Array& out() { return given_.in_place ? in_ : out_; }

  const Comm& comm_;
  const Problem& problem_;
  const Options& given_;
  Spoil spoil_;
  Array in_{}, out_{};
  bool has_room_ = false;  ///< for arrays, found once
  std::map<std::pair<std::string, std::uint64_t>, Hashes>
      right_{};  ///< verified; by engine, or by variant where bits depend on that, and hash of the input
};

}  // namespace shardfft
