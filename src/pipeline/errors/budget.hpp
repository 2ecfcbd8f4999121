// What each encoded exchange may lose so that the whole transform keeps its tolerance, and what a run has lost. See
// docs/theory/approximate.md.
#pragma once

#include <optional>
#include <span>

#include "pipeline/route/route.hpp"

namespace shardfft {

class ToleranceBudget {
 public:
  /// None of the exchanges is encoded: empty.
  ToleranceBudget(const PipelineSpec& spec, const Route& route);

  /// The factor of the runs that follow; it changes norms, not shares.
  void use(double factor);

  [[nodiscard]] bool empty() const { return items_.empty(); }
  /// Encoded exchanges, in order: their numbers.
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] int exchange(std::size_t item) const { return items_[item].exchange; }
  [[nodiscard]] std::optional<std::size_t> item_of(int exchange) const;
  /// Whether the terms of this exchange need the norm that the step which looks has found.
  [[nodiscard]] bool needs_norm(std::size_t item) const { return items_[item].after_look; }

  /// Real numbers that all ranks encode in each exchange; the shares follow from them.
  void set_values(std::span<const double> of_items);
  /// After that: of an item whose terms are for one part at a time, what is encoded in each part.
  void set_parts(std::size_t item, std::span<const double> of_parts);

  /// `norm2`: of all ranks, of what the step that looks has made (nothing when it is not needed); `exact`: nothing may
  /// be lost. `part_values`, not 0: of a part of the exchange, of whose norm `norm2` is: real numbers that all ranks
  /// encode in it. Parts hold different elements: what each may lose of its own norm is together what the exchange may
  /// lose.
  [[nodiscard]] ErrorBudget terms(std::size_t item, double norm2, std::uint64_t seed, bool exact,
                                  double part_values = 0) const;
  /// Relative L2 error of the result that losing `lost2` (sums of squares of all ranks, by item) can cause, when the
  /// step that looks found `norm2`. 0 where nothing was lost, infinite where the norm does not tell.
  [[nodiscard]] double relative_error(std::span<const double> lost2, double norm2) const;
  /// Squared norm of the result / that of what the step that looks makes, which must not be called when empty.
  [[nodiscard]] double growth2_to_result() const {
    return items_[0].growth * items_[0].to_result * items_[0].growth * items_[0].to_result;
  }
  [[nodiscard]] bool dithers() const { return dithers_; }
  /// What the codecs may lose: the tolerance, which may depend on whether it is dithered.
  [[nodiscard]] double tolerance() const { return dithers_ ? encoding_.tolerance : encoding_.undithered_tolerance; }

 private:
  struct Item {
    int exchange = 0;
    bool after_look = false;
    bool by_groups = false;  ///< each group has a share of its own norm
    double growth = 1;  ///< norm of what is exchanged / norm of what the step that looks makes, or of the input where
                        ///< that is looked at
    double to_result = 1;     ///< norm of the result / norm of what is exchanged
    double weight = 1;        ///< an error can grow by this much more than the norm that was measured
    double smaller = 1;       ///< the result's norm may be so much smaller than the norm that was measured lets expect
    double share_factor = 1;  ///< of the tolerance, for what that norm leaves out
    double numbers = 0;       ///< real ones, of the whole array that is exchanged
    double values = 0, share = 0;
    double least_values = 0;  ///< of those that have a share together, in the smallest part: how few numbers may have
                              ///< to even out what chance does
  };
  /// What exchange number `k` may lose.
  void add(const PipelineSpec& spec, const Route& route, std::size_t k);
  void add_operated(const PipelineSpec& spec, const Route& route);
  void share_out();
  [[nodiscard]] double margin(const Item& item) const;
  [[nodiscard]] static double absolute(const Item& item);  ///< of the tolerance, what is exchanged may lose
  [[nodiscard]] double allowed(const Item& item, double norm2) const;

  Encoding encoding_;
  std::vector<Item> items_{};
  std::vector<double> growth_{};  ///< norm after each step / norm before the first one, with a factor of 1
  double condition_ = 1;
  double kept_ = 1;                    ///< of the norm of noise, where what is found out later is cut
  std::size_t factor_from_ = 0;        ///< the step that multiplies with the factor
  std::optional<std::size_t> look_{};  ///< the step that looks; none: before all
  bool dithers_ = false;
  /// The norm that is found is that of what was encoded already, which is off by as much as the result.
  bool looks_late_ = false;
  bool operated_ = false;  ///< what is lost is relative to the norm of the input times the operator's largest factor
  bool grows_ = false;     ///< groups have shares of own norms, which earlier losses may have made larger
};

}  // namespace shardfft
