// What approximate plans do beside transforming: norms, what each exchange may lose, what was lost, and whether the
// tolerance holds.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pipeline/errors/budget.hpp"
#include "pipeline/place.hpp"
#include "pipeline/route/schedule.hpp"

namespace shardfft {

class ErrorControl {
 public:
  ErrorControl(const PipelineSpec& spec, const Route& route);

  // Made once; the spec, the route and the reductions outlive it.

  /// `codecs`: of each step, or nullptr. Its exchanges are rounds first_round, first_round + 1, ...
  void bind(Reductions& reductions, int first_round, std::span<StepCodecs* const> codecs);
  /// Before bind(): what sweeps on both sides of an exchange see of its storage format; nullptr: it has none.
  [[nodiscard]] const ScaledStorage* storage(int exchange) const;
  /// For CodecRequest: how the encoder of this step weights what it sees.
  [[nodiscard]] Weights weights(bool complex) const;
  /// The basis of this exchange's budget; negative: an exchange that loses nothing.
  [[nodiscard]] ErrorBudget::Basis basis_of(int exchange) const;
  /// Real numbers that this rank encodes, by encoded exchange, of which the sums over all ranks are wanted before the
  /// first run.
  [[nodiscard]] std::vector<double> encoded_values() const;
  /// encoded_values() for each part of the exchange between two sweeps that work part by part and of which the first
  /// finds the norm; empty without one.
  [[nodiscard]] std::vector<double> values_of_parts() const;
  void share_tolerance(std::span<const double> values_of_all_ranks, std::span<const double> parts_of_all_ranks);

  // In a run.

  void start(double factor);  ///< the first time; a run may begin() once more
  void begin();
  /// True when that turn is done. Sums over ranks are started early and waited for only where they are needed.
  [[nodiscard]] bool take(const Turn& turn, const Buffers& buffers, bool block);
  /// In this run nothing may be lost: what could lie in a shorter format does not.
  [[nodiscard]] bool exact() const { return exact_; }
  /// After the vote: the tolerance did not hold, and all is done again, exactly.
  [[nodiscard]] bool repeats() const { return repeats_; }
  [[nodiscard]] bool looks_at_input() const { return input_norm_ && sums_norm_ && !exact_; }
  [[nodiscard]] const ArrayNorm* input_norm() const { return input_norm_.get(); }

  // After a run.

  /// What this rank found: its parts of squared norms, of what the first look saw and of the reals at the end, then of
  /// the squares of what was lost in each encoded exchange.
  [[nodiscard]] std::span<const double> losses() const;
  [[nodiscard]] double bytes_encoded() const;  ///< of this rank's encoded messages
  /// From the sums of losses() over all ranks.
  [[nodiscard]] double relative_error(std::span<const double> of_all_ranks) const;

 private:
  struct EncodedStep {
    const RouteStep* route = nullptr;
    int round = -1;  // that it writes
    MessageWriter* writer = nullptr;
    Encoder* norms = nullptr;
    std::optional<std::size_t> item{};  // of the budget, where it encodes
    const Exchange* storage = nullptr;  // what it writes, where that may lie in a shorter format
    double norm2 = 0;                   // of this rank, of what it has looked at in earlier parts
    [[nodiscard]] double seen_norm2() const { return norm2 + norms->norm2(); }
  };
  void make_norms();
  [[nodiscard]] bool summed(std::span<double> total, bool block);
  [[nodiscard]] const EncodedStep* after_look_in_parts() const;
  [[nodiscard]] bool waits_for_parts(const EncodedStep& step) const {
    return sums_norm_ && &step == after_look_in_parts();
  }
  void look_at_input(const Buffers& buffers);
  [[nodiscard]] bool knows_budget(EncodedStep& step, int part, bool block);
  [[nodiscard]] bool knows_norm(const EncodedStep& step, bool block);
  [[nodiscard]] bool knows_norm_of_part(int part, bool block);
  [[nodiscard]] bool agrees_on_norm(bool block);
  void choose_scales();
  [[nodiscard]] ErrorBudget budget_of(const EncodedStep& step, int part) const;
  void sum_norm(EncodedStep& step);
  [[nodiscard]] bool votes(bool block);
  [[nodiscard]] double storage_loss2(const EncodedStep& step) const;
  /// Than the norm before says: some half spectra have no real array behind them, and modes or points may be cut. What
  /// was lost is relative to the norm of the result.
  [[nodiscard]] bool result_may_be_smaller() const;
  [[nodiscard]] bool must_check_result() const;  ///< that this did not break the tolerance, where there is one

  const PipelineSpec& spec_;
  const Route& route_;
  ToleranceBudget budget_;
  std::vector<ScaledStorage> storage_{};  ///< by exchange, with the scale of the run
  Reductions* reductions_ = nullptr;
  std::vector<EncodedStep> steps_{};
  std::unique_ptr<ArrayNorm> input_norm_{};   ///< where that must be known before the first step
  std::unique_ptr<ArrayNorm> result_norm_{};  ///< where sweeps do not look at it
  std::vector<double> part_values_{};         ///< by part, what all ranks encode
  bool sums_norm_ = false;                    ///< some exchange needs it
  std::uint64_t runs_ = 0;

  // State of a run.
  bool exact_ = false, repeats_ = false;
  double input_norm2_ = 0, result_norm2_ = 0;  ///< of this rank
  double norm2_ = 0;                           ///< of all ranks; of the parts that are known
  double part_norm2_ = 0;                      ///< of all ranks, of the last of these
  bool knows_norm_ = false, tells_norm_ = false, sums_losses_ = false, sums_votes_ = false;
  mutable std::vector<double> losses_{};
};

}  // namespace shardfft
