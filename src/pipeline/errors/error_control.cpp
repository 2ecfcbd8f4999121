#include "pipeline/errors/error_control.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "support/comm/backoff.hpp"

namespace shardfft {

ErrorControl::ErrorControl(const PipelineSpec& spec, const Route& route)
    : spec_(spec), route_(route), budget_(spec, route) {
  for (const Exchange& e : route.exchanges)
    storage_.push_back({.format = e.spec().storage_bytes > 0 ? *spec.encoding.storage : StorageFormat::f32});
}

void ErrorControl::bind(Reductions& reductions, int first_round, std::span<StepCodecs* const> codecs) {
  reductions_ = &reductions;
  for (std::size_t i = 0; i < route_.steps.size(); ++i) {
    const RouteStep& route = route_.steps[i];
    EncodedStep step{.route = &route, .round = first_round + route.writes};
    if (StepCodecs* c = codecs[i]) step.writer = c->writer(), step.norms = c->norms();
    if (route.writes >= 0) step.item = budget_.item_of(route.writes);
    if (storage(route.writes)) step.storage = route_.written_by(route);
    steps_.push_back(step);
  }
  make_norms();
}

const ScaledStorage* ErrorControl::storage(int exchange) const {
  if (exchange < 0) return nullptr;
  const auto number = static_cast<std::size_t>(exchange);
  return route_.exchanges[number].spec().storage_bytes > 0 ? &storage_[number] : nullptr;
}

// Squares of a half spectrum's elements, which stand for two numbers each of the whole one, count twice on the way back
// to reals: that is the norm of the result.
Weights ErrorControl::weights(bool complex) const {
  Weights weights;
  if (!complex || !spec_.from.complex || spec_.to.complex) return weights;
  for (const Stage& stage : spec_.stages)
    for (const AxisTransform& axis : stage.axes)
      if (axis.transform == Transform1d::c2r) weights = {.axis = axis.axis, .n = axis.modes(), .inside = 2};
  return weights;
}

ErrorBudget::Basis ErrorControl::basis_of(int exchange) const {
  const auto item = exchange < 0 ? std::nullopt : budget_.item_of(exchange);
  return item ? budget_.terms(*item, 0, 0, false).basis : ErrorBudget::Basis::given;
}

void ErrorControl::make_norms() {
  const Place& place = *spec_.place;
  if (route_.steps.front().after_norm)
    input_norm_ = place.make_norm(spec_.from, spec_.scalar, weights(spec_.from.complex), spec_.tuning.threads);
  const bool measures_result =
      std::any_of(route_.steps.begin(), route_.steps.end(), [](const RouteStep& step) { return step.measures_result; });
  if ((measures_result && place.norm_comes_first()) ||
      ((spec_.encoding.storage || is_pruned(spec_.stages)) && result_may_be_smaller()))
    result_norm_ = place.make_norm(spec_.to, spec_.scalar, Weights{}, spec_.tuning.threads);
}

std::vector<double> ErrorControl::encoded_values() const {
  std::vector<double> values(budget_.size());
  for (const EncodedStep& step : steps_)
    if (step.item && step.writer)
      values[*step.item] = static_cast<double>(step.writer->values());
    else if (step.storage)
      values[*step.item] = (spec_.complex_between() ? 2 : 1) * static_cast<double>(step.storage->elements_out());
  return values;
}

std::vector<double> ErrorControl::values_of_parts() const {
  std::vector<double> values;
  const EncodedStep* step = after_look_in_parts();
  if (!step || !step->item) return values;
  const int parts = step->route->parts, chunks = step->route->chunks.count / parts;
  for (int p = 0; p < parts; ++p)
    values.push_back(step->norms ? static_cast<double>(step->norms->values_of(chunks * p, chunks * (p + 1))) : 0);
  return values;
}

// The norm is summed in a run only where an exchange needs it.
void ErrorControl::share_tolerance(std::span<const double> of_all_ranks, std::span<const double> parts_of_all_ranks) {
  part_values_.assign(parts_of_all_ranks.begin(), parts_of_all_ranks.end());
  losses_.resize(budget_.empty() ? 0 : 2 + budget_.size());
  budget_.set_values(of_all_ranks);
  if (!part_values_.empty()) budget_.set_parts(*after_look_in_parts()->item, part_values_);
  sums_norm_ = false;
  for (std::size_t i = 0; i < budget_.size(); ++i) sums_norm_ |= budget_.needs_norm(i) && of_all_ranks[i] > 0;
}

// In place there is no input with which all could be done again.
void ErrorControl::start(double factor) {
  budget_.use(factor);
  exact_ = must_check_result() && !spec_.encoding.absolute && spec_.in_place;
  begin();
}

void ErrorControl::begin() {
  knows_norm_ = exact_ && input_norm_;  // nobody looks
  tells_norm_ = sums_losses_ = sums_votes_ = repeats_ = false;
  for (EncodedStep& step : steps_) step.norm2 = 0;
  ++runs_;
}

bool ErrorControl::take(const Turn& turn, const Buffers& buffers, bool block) {
  EncodedStep& step = steps_[static_cast<std::size_t>(turn.step)];
  switch (turn.what) {
    case Turn::Action::look:
      look_at_input(buffers);
      return true;
    case Turn::Action::budget:
      return knows_budget(step, turn.number, block);
    case Turn::Action::sum:
      sum_norm(step);
      return true;
    case Turn::Action::result:
      if (result_norm_ && !exact_) result_norm2_ = result_norm_->norm2(buffers.output);
      return true;
    case Turn::Action::vote:
      return votes(block);
    default:
      return true;
  }
}

// True when `total` holds the sums of what all ranks have started.
bool ErrorControl::summed(std::span<double> total, bool block) {
  Backoff backoff(/*sleeps=*/true);
  while (!reductions_->summed(total)) {
    if (!block) return false;
    backoff.pause();
  }
  return true;
}

void ErrorControl::look_at_input(const Buffers& buffers) {
  if (!looks_at_input()) return;
  input_norm2_ = input_norm_->norm2(buffers.input);
  reductions_->start_sum(std::span(&input_norm2_, 1));
}

// The step that goes on, part by part, after the one that finds the norm.
const ErrorControl::EncodedStep* ErrorControl::after_look_in_parts() const {
  for (std::size_t i = 1; i < steps_.size(); ++i)
    if (steps_[i - 1].route->measures_norm && steps_[i - 1].route->goes_on) return &steps_[i];
  return nullptr;
}

// Each part is encoded as soon as its own norm is known.
bool ErrorControl::knows_budget(EncodedStep& step, int part, bool block) {
  const bool of_part = waits_for_parts(step);
  if (of_part ? !knows_norm_of_part(part, block) : !knows_norm(step, block)) return false;
  if (of_part && step.route->parts == part + 1) knows_norm_ = true;
  if (part == 0 && step.writer) step.writer->begin(budget_of(step, part));
  if (part > 0 && of_part && step.item && step.norms) step.norms->go_on(budget_of(step, part));
  return true;
}

bool ErrorControl::knows_norm(const EncodedStep& step, bool block) {
  if (knows_norm_ || !sums_norm_ || !step.item || !budget_.needs_norm(*step.item)) return true;
  if (!tells_norm_ && !summed(std::span(&norm2_, 1), block)) return false;
  if (spec_.encoding.storage && !agrees_on_norm(block)) return false;
  return knows_norm_ = true;
}

bool ErrorControl::knows_norm_of_part(int part, bool block) {
  if (!summed(std::span(&part_norm2_, 1), block)) return false;
  norm2_ = part_norm2_ + (part == 0 ? 0 : norm2_);
  return true;
}

// The bits of a sum may differ from rank to rank, and so might powers of two that follow from it: a sum to which one
// rank alone contributes is the same everywhere.
bool ErrorControl::agrees_on_norm(bool block) {
  if (!tells_norm_) {
    const double said = spec_.me == 0 ? norm2_ : 0;
    reductions_->start_sum(std::span(&said, 1));
    tells_norm_ = true;
  }
  if (!summed(std::span(&norm2_, 1), block)) return false;
  tells_norm_ = false;
  choose_scales();
  return true;
}

// No number is larger than the norm of all, for which there is a factor of two to spare. Where the norm does not tell
// (Inf, NaN, nothing but zeros, or numbers whose squares are none), nothing may be lost.
void ErrorControl::choose_scales() {
  constexpr double least = 1e-280, most = 1e280;
  if (!(norm2_ >= least && norm2_ <= most)) {
    exact_ = true;
    return;
  }
  for (std::size_t i = 0; i < budget_.size(); ++i) {
    ScaledStorage& narrow = storage_[static_cast<std::size_t>(budget_.exchange(i))];
    int exponent = 0;
    static_cast<void>(std::frexp(budget_.terms(i, norm2_, 0, false).norm, &exponent));
    narrow.scale = std::ldexp(1.0, facts_of(narrow.format).top - 1 - exponent);
  }
}

ErrorBudget ErrorControl::budget_of(const EncodedStep& step, int part) const {
  if (!step.item) return {};
  const std::uint64_t seed = (runs_ << 8) + static_cast<std::uint64_t>(step.round);
  if (!waits_for_parts(step)) return budget_.terms(*step.item, norm2_, seed, exact_);
  return budget_.terms(*step.item, part_norm2_, seed, exact_, part_values_[static_cast<std::size_t>(part)]);
}

// What the step has looked at, in the part that it has done.
void ErrorControl::sum_norm(EncodedStep& step) {
  const double mine = step.norms->take_norm2();
  step.norm2 += mine;
  if (sums_norm_) reductions_->start_sum(std::span(&mine, 1));
}

// Half spectra that no real array has lose a part of their norm on the way back to reals, so do arrays of which fewer
// modes or points are kept, and the norm that was found may promise too much: then all is done again, and nothing is
// lost. That needs an input that is still there. The sums of losses may differ from rank to rank in their last bits,
// and so may what ranks conclude; a sum of ones and zeros is the same everywhere, and all go the same way.
bool ErrorControl::votes(bool block) {
  if (!must_check_result() || spec_.encoding.absolute || exact_)
    return true;  // what is lost, as a norm, only shrinks with it
  if (!sums_votes_) {
    std::array<double, 8> sums{};
    const std::span<double> of_all = std::span(sums).first(2 + budget_.size());
    if (!sums_losses_) reductions_->start_sum(losses());
    sums_losses_ = true;
    if (!summed(of_all, block)) return false;
    sums_losses_ = false;
    const double too_much = relative_error(of_all) <= budget_.tolerance() ? 0 : 1;
    reductions_->start_sum(std::span(&too_much, 1));
    sums_votes_ = true;
  }
  double votes = 0;
  if (!summed(std::span(&votes, 1), block)) return false;
  sums_votes_ = false;
  repeats_ = exact_ = votes > 0;
  return true;
}

// The loss of all ranks. Rank 0 alone reports it: it follows from the norm, whatever the data.
double ErrorControl::storage_loss2(const EncodedStep& step) const {
  if (spec_.me != 0 || exact_) return 0;
  const double lost = facts_of(*spec_.encoding.storage).roundoff * budget_.terms(*step.item, norm2_, 0, false).norm;
  return lost * lost;
}

bool ErrorControl::result_may_be_smaller() const {
  return !budget_.empty() && !are_operated(spec_.stages) &&
         ((spec_.from.complex && !spec_.to.complex) || is_pruned(spec_.stages));
}

bool ErrorControl::must_check_result() const { return result_may_be_smaller() && !spec_.encoding.forced; }

std::span<const double> ErrorControl::losses() const {
  std::fill(losses_.begin(), losses_.end(), 0.0);
  if (losses_.empty()) return losses_;
  if (input_norm_) losses_[0] = input_norm2_;
  if (result_norm_) losses_[1] = result_norm2_;
  for (const EncodedStep& step : steps_) {
    if (step.norms && step.route->measures_norm) losses_[0] = step.seen_norm2();
    if (step.norms && step.route->measures_result) losses_[1] = step.seen_norm2();
    if (step.writer && step.item) losses_[2 + *step.item] = step.writer->lost2();
    if (step.storage) losses_[2 + *step.item] = storage_loss2(step);
  }
  return losses_;
}

double ErrorControl::bytes_encoded() const {
  double bytes = 0;
  for (const EncodedStep& step : steps_)
    if (step.item && step.writer) {
      bytes += static_cast<double>(step.writer->bytes());
    } else if (step.storage) {
      const ExchangeSpec& e = step.storage->spec();
      bytes += static_cast<double>(step.storage->elements_out() * (exact_ ? e.element_bytes : e.storage_bytes));
    }
  return bytes;
}

double ErrorControl::relative_error(std::span<const double> of_all_ranks) const {
  if (budget_.empty()) return 0;
  const std::span<const double> lost2 = of_all_ranks.subspan(2);
  if (!result_may_be_smaller()) return budget_.relative_error(lost2, of_all_ranks[0]);
  const double error = budget_.relative_error(lost2, of_all_ranks[1] / budget_.growth2_to_result());
  return error < 1    ? error / (1 - error)
         : error == 0 ? 0
                      : std::numeric_limits<double>::infinity();  // of what the result would be without it
}

}  // namespace shardfft
