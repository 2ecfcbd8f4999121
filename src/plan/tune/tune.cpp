#include "shardfft/tune.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "plan/tune/trial.hpp"
#include "plan/tune/tuned.hpp"
#include "planner/decide/backends.hpp"
#include "planner/decide/planner.hpp"
#include "planner/decide/variants.hpp"
#include "planner/measure/measure_machine.hpp"
#include "planner/measure/race.hpp"
#include "planner/model/machine_file.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/text/notice.hpp"

namespace shardfft {
namespace {

constexpr std::size_t usual_candidates = 32, kept_in_wisdom = 8;
constexpr double worth_changing =
    0.97;  // the model's choice stays unless another one takes at most this share of its time
constexpr double usual_seconds = 10, exhaustive_seconds = 120;
constexpr double share_of_listing = 0.25,
                 share_of_last_turns = 0.2;  // of the time, at most: most of it is for measuring

bool is_exhaustive(const Options& given) { return given.effort == "exhaustive"; }

using Clock = std::chrono::steady_clock;

/// What there is time for. Rank 0's clock, or the caller's.
class Budget {
 public:
  Budget(const Comm& comm, double seconds, const TuneHooks& hooks) : comm_(comm), hooks_(hooks), seconds_(seconds) {}

  /// Whether a listing that began at `began` may go on. On rank 0.
  bool to_list(Clock::time_point began) const {
    return hooks_.time_to_list ? hooks_.time_to_list() : hooks_.time_left || is_left(began, share_of_listing);
  }
  /// Collective.
  bool for_laps() const {
    return agreed([&] { return is_left(start_, 1 - share_of_last_turns); });
  }
  bool for_last_turns() const {
    return agreed([&] { return is_left(start_, 1); });
  }

 private:
  bool is_left(Clock::time_point since, double share) const {
    return Clock::now() <
           since + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(share * seconds_));
  }

  template <class Own>
  bool agreed(Own own) const {
    std::byte left{comm_.rank() == 0 && (hooks_.time_left ? hooks_.time_left() : own())};
    comm_.broadcast(std::span(&left, 1), 0);
    return left != std::byte{0};
  }

  const Comm& comm_;
  const TuneHooks& hooks_;
  double seconds_;
  Clock::time_point start_ = Clock::now();
};

Options without_wisdom(Options options) {
  options.effort = "model";
  options.wisdom = false;
  return options;
}

/// What was cut short is worth another try where there is more time than then.
bool is_enough(const Remembered& known, const Options& wanted) {
  const bool as_wide = wanted.effort == "measure" || known.effort == "exhaustive";
  return as_wide && (known.complete || seconds_to_tune(wanted) <= known.tune_seconds);
}

class Tuner {
 public:
  Tuner(const Comm& comm, const Problem& problem, const Options& options, const TuneHooks& hooks)
      : comm_(comm),
        hooks_(hooks),
        base_(make_recipe(comm, problem, without_wisdom(options))),
        given_(base_.given),
        trials_(comm, base_.problem.asked, given_) {
    collectively(comm, [&] { given_.effort = choose_from(options).options.effort; });
    if (given_.effort.empty() || given_.effort == "model") given_.effort = "measure";
  }

  TuneReport run() {
    report_.key = wisdom_key(comm_, base_.problem, base_.given, base_.threads_of_first);
    know_the_machine();  // once for all problems, so it does not count
    const Budget budget(comm_, seconds_to_tune(given_), hooks_);
    find_closed();
    list_candidates(budget);
    RaceResult result = race(
        rows_.size(), [this](std::size_t i, int runs, double limit) { return lap(i, runs, limit); },
        [&] { return budget.for_laps(); }, [&] { return budget.for_last_turns(); });
    conclude(std::move(result));
    keep();
    return std::move(report_);
  }

 private:
  void know_the_machine() {
    const bool known = base_.machine.measured && (base_.machine.exchanges_measured || comm_.size() == 1),
               device_known = !base_.device || base_.device->is_measured();
    if (known && device_known) return;
    if (!known) {
      base_.machine = measure_machine(comm_, base_.machine);
      if (comm_.rank() == 0 && base_.machine.measured) (void)keep_measured(base_.machine, comm_);
    }
    if (!device_known) (void)base_.device->measure(comm_);
    collectively(comm_, [&] { complete(base_, comm_); });
  }

  void find_closed() {
    for (const Transport* t : transports())
      if (comm_.size() > 1 && t->fallback() && why_not(*t, comm_, base_.holder()).empty() && !t->probe(comm_).empty())
        base_.closed.emplace_back(t->name());
  }

  void list_candidates(const Budget& budget) {
    Listing listing = list_variants(base_, comm_, is_exhaustive(given_) ? Breadth::all : Breadth::usual,
                                    [&, began = Clock::now()] { return budget.to_list(began); });
    candidates_ = std::move(listing.variants);
    report_.listed = listing.all;
    base_.device ? begin_with_each_transport(candidates_) : begin_with_other_memory(candidates_);
    report_.candidates = static_cast<int>(candidates_.size());
    if (!is_exhaustive(given_) && candidates_.size() > usual_candidates) candidates_.resize(usual_candidates);
    for (const Ranked& c : candidates_)
      rows_.push_back({.recipe = to_string(c.variant),
                       .grid = c.grid,
                       .chunks = c.variant.chunks,
                       .model_seconds = c.seconds,
                       .untuned = rows_.empty()});
  }

  Lap lap(std::size_t i, int runs, double limit) {
    TuneRow& row = rows_[i];
    Lap result;
    if (hooks_.before) result.dropped = hooks_.before(row);
    if (result.dropped.empty()) result = trials_.run(candidates_[i].variant, runs, limit);
    if (row.rounds++ == 0 || result.seconds < row.seconds) row.seconds = result.seconds;
    row.dropped = result.dropped;
    row.tile = tile_of(candidates_[i].variant);
    if (hooks_.after) hooks_.after(row);
    return result;
  }

  // The width that was really used; the engine has made this kernel before. On a device: the requested width, 0 for
  // what suits its cache.
  int tile_of(const Tuning& v) const {
    if (base_.device) return v.tile;
    const AxisTransform axis = base_.analysis.front().axes.front();
    const int own = find_engine(v.engine)->make(axis.request(base_.problem.scalar))->in().pencils;
    return std::max(1, (v.tile + own - 1) / own) * own;
  }

  void conclude(RaceResult result) {
    report_.rounds = result.rounds;
    report_.laps = result.laps;
    report_.finished = result.finished && report_.listed;
    prefer_the_model(result.ranking);
    for (const Runner& r : result.ranking) {
      report_.rows.push_back(rows_[r.candidate]);
      if (r.dropped.empty()) best_.push_back({candidates_[r.candidate].variant, r.seconds});
    }
    require_same(comm_, "the tuned recipe", report_.rows.empty() ? "" : report_.rows.front().recipe);
  }

  // Differences that may be chance are no reason to do otherwise than the model: those who do not clearly beat it go
  // behind it.
  static void prefer_the_model(std::vector<Runner>& ranking) {
    const auto own = std::ranges::find(ranking, std::size_t{0}, &Runner::candidate);
    if (own == ranking.end() || !own->dropped.empty()) return;
    const Runner model = *own;
    const auto clear = std::stable_partition(ranking.begin(), own, [&](const Runner& r) {
      return r.seconds <= worth_changing * model.seconds && always_ahead(r, model);
    });
    std::rotate(clear, own, own + 1);
  }

  void keep() {
    if (best_.empty()) return;
    WisdomEntry entry{.key = report_.key,
                      .date = today(),
                      .effort = given_.effort,
                      .measured = best_,
                      .model_seconds = rows_[0].dropped.empty() ? rows_[0].seconds : 0,
                      .tried = static_cast<int>(report_.rows.size()),
                      .candidates = report_.candidates,
                      .complete = report_.finished,
                      .tune_seconds = seconds_to_tune(given_)};
    if (entry.measured.size() > kept_in_wisdom) entry.measured.resize(kept_in_wisdom);
    report_.notice = text_of_first(comm_, comm_.rank() == 0 ? remember(entry) : "");
    report_.wisdom_file = text_of_first(comm_, wisdom_file().string());
  }

  const Comm& comm_;
  const TuneHooks& hooks_;
  Recipe base_;
  Options given_;
  Trials trials_;
  std::vector<Ranked> candidates_{};
  std::vector<TuneRow> rows_{};
  std::vector<Measured> best_{};
  TuneReport report_{};
};

}  // namespace

double seconds_to_tune(const Options& options) {
  const Options wanted = choose_from(options).options;
  if (wanted.tune_seconds > 0) return wanted.tune_seconds;
  return is_exhaustive(wanted) ? exhaustive_seconds : usual_seconds;
}

std::string tuning_key(const Comm& comm, const Problem& problem, const Options& options) {
  const Recipe r = make_recipe(comm, problem, without_wisdom(options));
  return wisdom_key(comm, r.problem, r.given, r.threads_of_first);
}

TuneReport tune(const Comm& comm, const Problem& problem, const Options& options, const TuneHooks& hooks) {
  if (comm.kind() == "dry_run")
    throw Error(Status::invalid_argument,
                "tuning measures ranks that exist; got a dry_run group; run it under the launcher");
  if (problem.kind == Kind::move)
    throw Error(Status::unsupported, "tuning chooses among transforms; got a plan that only moves; make it untuned");
  return Tuner(comm, problem, options, hooks).run();
}

Options tuned_first(const Comm& comm, const Problem& problem, const Options& options) {
  Options wanted;
  try {
    wanted = choose_from(options).options;
  } catch (const Error&) { return options; }  // of which the ranks tell each other in make_recipe()
  if (comm.kind() == "dry_run" || problem.kind == Kind::move || wanted.effort.empty() || wanted.effort == "model")
    return options;
  const auto known = make_recipe(comm, problem, options).wisdom;
  if (known && is_enough(*known, wanted)) return options;
  try {
    const TuneReport report = tune(comm, problem, options);
    if (!report.notice.empty()) notice("wisdom is not kept: " + report.notice);
  } catch (const Error& e) {
    if (e.status() != Status::out_of_memory) throw;
    if (comm.rank() == 0) notice(fmt::format("not tuned: {}", e.what()));
  }
  Options tuned = options;
  tuned.wisdom = true;
  return tuned;
}

}  // namespace shardfft
