#include "shardfft/programs/predict.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "grid/rules/box_rule.hpp"
#include "planner/decide/encoding.hpp"
#include "planner/decide/memory.hpp"
#include "planner/decide/planner.hpp"
#include "planner/model/busiest.hpp"
#include "planner/model/split_traffic.hpp"
#include "planner/predict/cluster.hpp"
#include "planner/predict/path.hpp"
#include "support/refuse.hpp"

namespace shardfft {

/// One exchange: what it sends, by classes where they are known.
struct CountedExchange {
  Sent sent{};
  double node_bytes = 0, far_messages = 0;
};

/// Counts that predictions for the same ranks share.
class ExchangeCounts {
 public:
  ExchangeCounts(const Comm& comm, int per_node) : comm_(comm), per_node_(per_node) {}

  CountedExchange of(const Layout& from, const Layout& to, double bytes) {
    const std::optional<BusiestTraffic> counted = counted_between(from, to);
    if (!counted) {
      const Sent sent = sent_between(comm_, from, to, bytes);
      return {sent, sent.bytes * sent.far_share * per_node_, sent.messages * sent.far_share};
    }
    const BusiestTraffic& most = *counted;
    const auto all = static_cast<double>(most.rank_elements), far = static_cast<double>(most.rank_far_elements);
    return {.sent = {.bytes = all * bytes,
                     .far_share = all > 0 ? far / all : 0,
                     .messages = static_cast<double>(most.rank_messages)},
            .node_bytes = static_cast<double>(most.node_elements) * bytes,
            .far_messages = static_cast<double>(most.rank_far_messages)};
  }

 private:
  // Elements of all ranks, if both are grids or one of them has boxes by a rule; else none.
  std::optional<BusiestTraffic> counted_between(const Layout& from, const Layout& to) {
    for (const Layout* end : {&from, &to})
      if (!is_block_grid(*end) && !end->spec().rule) return std::nullopt;
    const auto name = [](const Layout& l) { return l.spec().rule ? l.spec().rule->words() : to_string(l.grid()); };
    const auto [found, is_new] =
        known_.try_emplace(fmt::format("{}: {} to {}", to_string(from.global()), name(from), name(to)));
    if (is_new)
      found->second =
          is_block_grid(from) && is_block_grid(to) ? busiest(from, to, per_node_) : busiest_split(from, to, per_node_);
    return found->second;
  }

  const Comm& comm_;
  int per_node_;
  std::map<std::string, std::optional<BusiestTraffic>> known_{};
};

namespace {

constexpr double gap_spread = 2, rate_spread = 1.25;  // of what a run may find, either way
constexpr double gone = 1e9;                          // on a rate: its cost is nothing
constexpr int most_times_ranks = 16;                  // of those that the gap was fitted to

/// A plan that is only priced.
class Priced {
 public:
  Priced(const Cluster& cluster, const Comm& comm, Recipe recipe, int per_node, ExchangeCounts& counts)
      : cluster_(cluster), comm_(comm), recipe_(std::move(recipe)), per_node_(per_node), path_(path_steps(recipe_)) {
    for (const PathStep& step : path_)
      counted_.push_back(step.changes_owners() ? counts.of(step.from, step.to, step.bytes) : CountedExchange{});
  }

  [[nodiscard]] double seconds(const Circumstances& now) const {
    Model model = model_of(recipe_, comm_);
    model.machine = machine_of(cluster_, comm_.nodes(), per_node_, now);
    model.encoded_share = bits() / (8 * static_cast<double>(size_of(recipe_.problem.scalar)));
    double all = 0;
    for (std::size_t i = 0; i < path_.size(); ++i) all += seconds_of(path_[i], model, &counted_[i].sent);
    return all;
  }
  [[nodiscard]] double bits() const {
    return usual_bits(recipe_.encoding, recipe_.problem.scalar)
        .value_or(8 * static_cast<double>(size_of(recipe_.problem.scalar)));
  }
  [[nodiscard]] double node_bytes() const {
    double all = 0;
    for (const CountedExchange& c : counted_) all += c.node_bytes;
    return all * bits() / (8 * static_cast<double>(size_of(recipe_.problem.scalar)));
  }
  [[nodiscard]] double messages() const {
    double all = 0;
    for (const CountedExchange& c : counted_) all += c.far_messages * recipe_.tuning.chunks;
    return all;
  }
  [[nodiscard]] const Recipe& recipe() const { return recipe_; }

 private:
  const Cluster& cluster_;
  const Comm& comm_;
  Recipe recipe_;
  int per_node_;
  std::vector<PathStep> path_;
  std::vector<CountedExchange> counted_{};
};

// A run without one cost at a time.
std::vector<CostTerm> terms_of(const Priced& priced, double all) {
  const std::pair<const char*, Circumstances> without[] = {
      {"compute", {.compute = gone}}, {"copies", {.copies = gone}}, {"bandwidth", {.bandwidth = gone, .taper = false}},
      {"taper", {.taper = false}},    {"messages", {.gap = 0}},     {"latency", {.latency = 0}}};
  std::vector<CostTerm> terms;
  for (const auto& [name, now] : without) terms.push_back({name, std::max(0.0, all - priced.seconds(now))});
  const auto taper = std::ranges::find(terms, "taper", &CostTerm::name);
  std::ranges::find(terms, "bandwidth", &CostTerm::name)->seconds -= taper->seconds;
  std::ranges::stable_sort(terms, std::ranges::greater(), &CostTerm::seconds);
  return terms;
}

void check(int ranks, int ranks_per_node, const Cluster& c) {
  constexpr int most = 1'000'000;
  if (ranks < 1 || ranks > most)
    refuse_argument(fmt::format("ranks are from 1 to {}; got {}; take fewer", most, ranks));
  if (ranks_per_node < 0 || ranks_per_node > c.ranks_per_node)
    refuse_argument(fmt::format("ranks_per_node is from 1 to {} on {}, or 0 for all of them; got {}", c.ranks_per_node,
                                c.name, ranks_per_node));
}

std::string value_of(const Recipe& r, std::string_view name) {
  for (const Choice& choice : choices_of(r))
    if (choice.name == name) return choice.value;
  return {};
}

double idle_ranks(const Recipe& r, int ranks) {
  Index busy = 0;
  for (const Stage& stage : r.analysis) {
    Index here = 1;
    for (int a = 0; a < stage.in.global().dims(); ++a) here *= std::min(stage.in.grid()[a], stage.in.global()[a]);
    busy = std::max(busy, is_block_grid(stage.in) ? here : Index{ranks});
  }
  return static_cast<double>(ranks - busy);
}

}  // namespace

struct Predictor::Impl {
  Impl(const Cluster& c, int ranks, int asked_per_node)
      : cluster(c),
        per_node(std::min(ranks, asked_per_node > 0 ? asked_per_node : static_cast<int>(c.ranks_per_node))),
        threads(asked_per_node > 0 ? std::max(1, static_cast<int>(c.ranks_per_node) / asked_per_node) : 1),
        comm(dry_run(ranks, 0, per_node)) {}
  Cluster cluster;
  int per_node, threads;
  Comm comm;
  ExchangeCounts counts{comm, per_node};
};

Predictor::Predictor(const Cluster& cluster, int ranks, int ranks_per_node) {
  check(ranks, ranks_per_node, cluster);
  impl_ = std::make_shared<Impl>(cluster, ranks, ranks_per_node);
}

Prediction Predictor::predict(const Problem& problem, const Options& given) const {
  const Comm& comm = impl_->comm;
  Options options = given;
  options.wisdom = false;
  options.threads = impl_->threads;
  const Machine machine = machine_of(impl_->cluster, comm.nodes(), impl_->per_node, {});
  const Priced priced(impl_->cluster, comm, make_recipe(comm, problem, options, &machine), impl_->per_node,
                      impl_->counts);
  const Recipe& r = priced.recipe();
  const double seconds = priced.seconds({});
  return {
      .ranks = comm.size(),
      .nodes = comm.nodes(),
      .ranks_per_node = impl_->per_node,
      .threads = impl_->threads,
      .seconds = seconds,
      .least_s = priced.seconds(
          {.efficiency = most_efficiency, .gap = 1 / gap_spread, .copies = rate_spread, .compute = rate_spread}),
      .most_s = priced.seconds(
          {.efficiency = least_efficiency, .gap = gap_spread, .copies = 1 / rate_spread, .compute = 1 / rate_spread}),
      .terms = terms_of(priced, seconds),
      .decomposition = value_of(r, "decomposition"),
      .grids = value_of(r, "ranks_grid"),
      .codec = to_string(r.encoding),
      .bits = priced.bits(),
      .node_bytes = priced.node_bytes(),
      .messages = priced.messages(),
      .idle_ranks = idle_ranks(r, comm.size()),
      .extrapolates = comm.nodes() > 1 && comm.size() > most_times_ranks * impl_->cluster.gap_ranks};
}

}  // namespace shardfft
