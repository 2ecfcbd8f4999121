#include "pipeline/errors/budget.hpp"

#include <algorithm>
#include <cmath>

#include "support/end_weights.hpp"

namespace shardfft {
namespace {

// Statistical mode: above `many_values` numbers the loss is taken as its expectation plus `deviations` standard
// deviations. More has a probability below 1e-11.
constexpr double many_values = 1e4, deviations = 7;
// Codecs know what they lost to about 1e-6 of it, and 3e-7 of what they may lose.
constexpr double rounding = 2e-6;

// Norm after each step / norm before the first one, where a half spectrum counts as the whole one.
std::vector<double> growths(const PipelineSpec& spec, const Route& route) {
  std::vector<double> growth;
  double now = 1;
  for (const RouteStep& step : route.steps) {
    if (step.stage >= 0)
      for (const AxisTransform& axis : spec.stages[static_cast<std::size_t>(step.stage)].axes) {
        const auto n = static_cast<double>(axis.logical_length());
        now *= std::sqrt(n) * scale_of(spec.scaling, n);
      }
    growth.push_back(now);
  }
  return growth;
}

// By what norms may differ from that at most, larger before and smaller after: cosines and sines whose ends are not
// weighted are not orthogonal.
double condition(const PipelineSpec& spec) {
  double all = 1;
  for (const Stage& stage : spec.stages)
    for (const AxisTransform& axis : stage.axes) {
      if (!is_r2r(axis.transform) || axis.orthonormal) continue;
      const NormRange range = norm_range(kind_of(axis.transform));
      all *= range.most / range.least;
    }
  return all;
}

template <class Visit>
void for_axes(const PipelineSpec& spec, const Route& route, std::size_t first_step, Visit visit) {
  for (std::size_t i = first_step; i < route.steps.size(); ++i)
    if (const int stage = route.steps[i].stage; stage >= 0)
      for (const AxisTransform& axis : spec.stages[static_cast<std::size_t>(stage)].axes) visit(axis);
}

// What fewer modes and points leave of the norm of noise, from a step on.
double kept_from(const PipelineSpec& spec, const Route& route, std::size_t step) {
  double energy = 1;
  for_axes(spec, route, step, [&](const AxisTransform& axis) { energy *= axis.stored_share(); });
  return std::sqrt(energy);
}

// What sums of two frequencies may add to the norm of what is lost, from a step on.
double folded_from(const PipelineSpec& spec, const Route& route, std::size_t step) {
  double factor = 1;
  for_axes(spec, route, step, [&](const AxisTransform& axis) {
    if (axis.analysis && axis.kept_modes().folds()) factor *= std::sqrt(2.0);
  });
  return factor;
}

// Whether some exchanges are of half spectra.
bool has_halves(const PipelineSpec& spec) {
  return std::any_of(spec.stages.begin(), spec.stages.end(), [](const Stage& stage) {
    return std::any_of(stage.axes.begin(), stage.axes.end(), [](const AxisTransform& axis) {
      return axis.transform == Transform1d::r2c || axis.transform == Transform1d::c2r;
    });
  });
}

// What a codec loses of each number in its proportion it loses of each group in its: nobody has to wait for the norm of
// all.
bool has_shares_of_groups(const Encoding& e) { return e.codec && !e.codec->is_absolute() && !e.absolute; }

}  // namespace

ToleranceBudget::ToleranceBudget(const PipelineSpec& spec, const Route& route)
    : encoding_(spec.encoding), growth_(growths(spec, route)), condition_(condition(spec)) {
  if (are_operated(spec.stages)) {
    add_operated(spec, route);
    return;
  }
  while (factor_from_ + 1 < route.steps.size() &&
         route.steps[factor_from_].stage + 1 < static_cast<int>(spec.stages.size()))
    ++factor_from_;
  if (!route.steps.front().after_norm) {
    const auto looks =
        std::find_if(route.steps.begin(), route.steps.end(), [](const RouteStep& s) { return s.measures_norm; });
    if (looks == route.steps.end()) return;
    look_ = static_cast<std::size_t>(looks - route.steps.begin());
  }
  if (!spec.encoding.absolute) kept_ = kept_from(spec, route, look_ ? *look_ + 1 : 0);
  for (std::size_t k = 0; k < route.exchanges.size(); ++k) add(spec, route, k);
  use(1);
}

void ToleranceBudget::add(const PipelineSpec& spec, const Route& route, std::size_t k) {
  const ExchangeSpec& e = route.exchanges[k].spec();
  const bool narrow = e.storage_bytes > 0, before_look = look_ && k < *look_;
  if (!narrow && !e.codec) return;
  Item item{.exchange = static_cast<int>(k), .after_look = !look_ || k > *look_};
  item.numbers = static_cast<double>(product(e.from.global())) * (e.type.complex ? 2 : 1);
  if (narrow) {  // every number loses its own share, and so does every part of an array, however it is weighted
    items_.push_back(item);
    return;
  }
  if (look_ && item.after_look && has_shares_of_groups(spec.encoding))
    item.after_look = false, item.by_groups = grows_ = true;
  const bool r2c = !spec.from.complex && spec.to.complex, c2r = spec.from.complex && !spec.to.complex;
  // Elements of a half spectrum stand for two: the norm counts them so, what is lost does not.
  if (c2r && e.type.complex) item.weight = std::sqrt(2.0);
  // The half spectrum has at least half of the energy.
  if (r2c && before_look) item.share_factor = std::sqrt(0.5);
  if (r2c && !look_) item.smaller = std::sqrt(2.0);
  // A hermitian array holds one of two elements that were computed twice.
  if (spec.to.hermitian()) item.smaller = std::sqrt(2.0);
  item.weight *= folded_from(spec, route, k + 1);
  looks_late_ |= before_look;
  item.share_factor /= item.weight * item.smaller;
  items_.push_back(item);
}

// Beyond an operator norms are known relative to its largest factor only. So each unit or group has a share of its own
// norm, which is at most that factor times what it would be without: the tolerance is relative to both.
void ToleranceBudget::add_operated(const PipelineSpec& spec, const Route& route) {
  operated_ = grows_ = true;
  for (std::size_t k = 0; k < route.exchanges.size(); ++k) {
    const ExchangeSpec& e = route.exchanges[k].spec();
    if (!e.codec) continue;
    Item item{.exchange = static_cast<int>(k), .by_groups = has_shares_of_groups(spec.encoding)};
    item.numbers = static_cast<double>(product(e.from.global())) * (e.type.complex ? 2 : 1);
    if (e.type.complex && has_halves(spec)) item.weight = std::sqrt(2.0);
    item.weight *= folded_from(spec, route, 0);  // of the norm before, and of the errors behind
    item.share_factor /= item.weight;
    items_.push_back(item);
  }
  use(1);
}

void ToleranceBudget::use(double factor) {
  const auto growth = [&](std::size_t step) { return growth_[step] * (step < factor_from_ ? 1 : std::abs(factor)); };
  for (Item& item : items_) {
    const double here = growth(static_cast<std::size_t>(item.exchange));
    item.growth = here / (look_ ? growth(*look_) : 1);
    item.to_result = growth(growth_.size() - 1) / here;
  }
}

std::optional<std::size_t> ToleranceBudget::item_of(int exchange) const {
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (items_[i].exchange == exchange) return i;
  return std::nullopt;
}

void ToleranceBudget::set_values(std::span<const double> of_items) {
  for (std::size_t i = 0; i < items_.size(); ++i) items_[i].values = items_[i].least_values = of_items[i];
  share_out();
}

void ToleranceBudget::set_parts(std::size_t item, std::span<const double> of_parts) {
  for (const double values : of_parts)
    if (values > 0) items_[item].least_values = std::min(items_[item].least_values, values);
  share_out();
}

void ToleranceBudget::share_out() {
  double all = 0, least = items_.empty() ? 0 : items_[0].least_values;
  for (const Item& item : items_) {
    all += item.values;
    if (item.values > 0) least = std::min(least, item.least_values);
  }
  dithers_ = !operated_ && encoding_.guarantee == Guarantee::statistical && encoding_.codec &&
             encoding_.codec->dithers() && least >= many_values && !encoding_.forced;
  double own = 0;
  for (const Item& item : items_)
    if (!item.after_look) own += item.values;
  const double allowed =
      (1 - 2 * rounding) * kept_ / condition_ *
      ((looks_late_ || grows_) && !encoding_.absolute ? tolerance() / (1 + tolerance()) : tolerance());
  for (Item& item : items_) {
    const double part = all > 0 ? item.values / all : 0;
    // Those before the norm is known may lose most in a few units, where chance does not even out: their losses add up
    // as they are.
    const double together = item.after_look ? part : own / all;
    item.share = allowed * (dithers_ && part > 0 ? part / std::sqrt(together) * margin(item) : part);
  }
}

// What is left of the tolerance after chance has had its share: of how much is lost, and of how the losses of several
// exchanges happen to point the same way.
double ToleranceBudget::margin(const Item& item) const {
  const double among = static_cast<double>(items_.size() - 1);
  return 1 / (1 + deviations * (1 + among) / std::sqrt(std::max(item.least_values, 1.0)));
}

double ToleranceBudget::absolute(const Item& item) { return item.share / (item.to_result * item.weight); }

ErrorBudget ToleranceBudget::terms(std::size_t number, double norm2, std::uint64_t seed, bool exact,
                                   double part_values) const {
  const Item& item = items_[number];
  ErrorBudget t{.basis = item.by_groups    ? ErrorBudget::Basis::group
                         : item.after_look ? ErrorBudget::Basis::given
                                           : ErrorBudget::Basis::own,
                .share = item.share * item.share_factor,
                .norm = std::sqrt(norm2) * item.growth,
                .values = item.values};
  t.a_priori = encoding_.guarantee == Guarantee::worst;
  t.forced = encoding_.forced;
  t.parameter = encoding_.parameter;
  t.rounding = dithers_ ? Rounding::dither : Rounding::nearest;
  t.seed = seed;
  t.evenly = dithers_ && encoding_.of_elements;
  if (t.evenly) t.values = item.numbers;
  if (part_values > 0 && item.values > 0) t.values *= part_values / item.values;
  if (encoding_.absolute) t.absolute = absolute(item);
  if (exact) t.share = t.absolute = 0, t.forced = false, t.nothing = true;
  return t;
}

// Relative to the norm of what is exchanged.
double ToleranceBudget::allowed(const Item& item, double norm2) const {
  return encoding_.absolute ? absolute(item) / (std::sqrt(norm2) * item.growth) : item.share * item.share_factor;
}

double ToleranceBudget::relative_error(std::span<const double> lost2, double norm2) const {
  double sum = 0, squares = 0, together = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (lost2[i] == 0) continue;
    const double factor = items_[i].weight * items_[i].smaller,
                 error = std::sqrt(lost2[i] / norm2) / items_[i].growth * factor;
    // Losses of random sign point along others by no more than chance has it for their step, which is that of what may
    // be lost: where most numbers are zero and lose nothing, the others are few and point along more easily.
    const double along = items_[i].after_look ? allowed(items_[i], norm2) * factor * deviations /
                                                    std::sqrt(std::max(items_[i].least_values, 1.0))
                                              : error;
    together += 2 * sum * std::min(along, error);
    sum += error;
    squares += error * error;
  }
  const double seen = (1 + rounding) * condition_ * (dithers_ ? std::sqrt(squares + together) : sum);
  const double error = looks_late_ ? seen / std::max(1 - seen, 0.0) : seen;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace shardfft
