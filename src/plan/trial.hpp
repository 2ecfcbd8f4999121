// One candidate of a tuning run: made, checked, timed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "planner/race.hpp"
#include "planner/variant.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// Runs candidates on data of its own. All calls are collective.
class Trials {
 public:
  /// `given`: options with the environment, which the candidates complete.
  Trials(const Comm& comm, const Problem& problem, const Options& given) : comm_(comm), problem_(problem), given_(given) {}

  /// `check`: the result is compared, too. The same on every rank. Throws Error(transport_failed, internal, mismatch) when the ranks may be out of step.
  Lap run(const Variant& variant, int runs, double limit, bool check);

 private:
  struct Hashes {
    std::uint64_t forward = 0, backward = 0;
  };
  void provide(const Plan& plan);
  void fill(const Plan& plan);
  void fill(const Plan& plan, Array& array);
  std::string what_is_wrong(Plan& plan, const std::string& engine);
  double best_of(Plan& plan, int runs, double limit);
  [[nodiscard]] bool makes_arrays() const;
  [[nodiscard]] bool on_device() const { return !given_.device.empty() && given_.arrays != "host"; }
  Array& in() { return in_; }
  Array& out() { return given_.in_place ? in_ : out_; }

  const Comm& comm_;
  const Problem& problem_;
  const Options& given_;
  Array in_{}, out_{}, copy_{};
  std::map<std::pair<std::string, std::uint64_t>, Hashes> right_{};  ///< by engine and hash of the input
};

}  // namespace shardfft
