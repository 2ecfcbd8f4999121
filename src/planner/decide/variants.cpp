#include "planner/decide/variants.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <tuple>

#include <nlohmann/json.hpp>

#include "grid/process_grids.hpp"
#include "planner/decide/backends.hpp"
#include "planner/decide/planner.hpp"
#include "planner/options/option_table.hpp"
#include "planner/wisdom/share_text.hpp"
#include "planner/wisdom/wisdom_text.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

/// The values of one choice, each as what it does to a variant.
struct Varied {
  std::string_view name{};
  std::vector<std::function<void(Tuning&)>> values{};
};
/// The choices that are to be combined; those that come first change last.
using Space = std::vector<Varied>;

/// The recipe that values are tried for, and how many of them.
struct Scope {
  const Recipe& r;
  const Comm& comm;
  Breadth breadth;
};

/// Values as options write them.
using Words = std::vector<std::string>;

Words as_words(const std::vector<int>& numbers) {
  Words words;
  for (const int n : numbers) words.push_back(option_word(n));
  return words;
}

// Another engine would change bits, so that it is no neighbour.
Words usable_engines(const Scope& s) {
  const Recipe& r = s.r;
  if (s.breadth == Breadth::neighbours) return {std::string(r.engine->name())};
  Words names;
  for (const Engine* e : engines()) {
    const bool can = std::ranges::all_of(r.problem.axes, [&](int axis) {
      return e->refuses(r.problem.analysis(axis).request(r.problem.scalar)).empty();
    });
    if (can) names.emplace_back(e->name());
  }
  return names;
}

// One that needs a trial to know whether it works is a candidate where that has been found out.
Words usable_transports(const Scope& s) {
  const auto& [r, comm, breadth] = s;
  if (comm.size() == 1) return {std::string(r.transports.front()->name())};
  Words names;
  for (const Transport* t : transports()) {
    const bool closed =
        t->fallback() && (breadth == Breadth::neighbours || std::ranges::count(r.closed, t->name()) > 0);
    if (t->stands_for_any() == (comm.kind() == "dry_run") && !closed && why_not(*t, comm, r.holder()).empty())
      names.emplace_back(t->name());
  }
  return names;
}

// Slabs, every process grid of pencils, bricks where they are something else, and the model's own mixture of them.
// Small arrays also on one node or rank.
using Cuts = std::vector<std::pair<std::string, Coord>>;  // decomposition and grid
Cuts cuts_of(const Recipe& r, const Comm& comm, const Options& given, Breadth breadth) {
  if (!given.expert.decomposition.empty() || given.expert.ranks_grid.dims() > 0)
    return {{given.expert.decomposition, given.expert.ranks_grid}};
  if (comm.size() == 1 || r.problem.dims() == 1) return {{"", {}}};
  Cuts cuts{{"slab", {}}};
  std::vector<Index> rows;
  if (r.problem.dims() > 2) rows = divisors(comm.size());
  if (breadth == Breadth::neighbours && rows.size() > 2) rows = {rows[(rows.size() - 1) / 2]};  // the most square one
  for (const Index n : rows)
    if (n > 1 && n < comm.size()) cuts.push_back({"pencil", Coord{n, comm.size() / n}});
  if (r.problem.dims() > 3) cuts.push_back({"brick", {}});
  if (breadth != Breadth::neighbours && !r.device)
    for (const int fewer : fewer_ranks(r.problem, comm.size(), ranks_on_first_node(comm)))
      cuts.push_back({"", Coord{fewer}});
  cuts.push_back({"", {}});
  return cuts;
}

Words tiles_of(const Scope& s) {
  const Recipe& r = s.r;
  std::vector<int> tiles{0};
  if (r.engine->measures()) return as_words({0, 16, 32, 64});  // its own width would have to be measured
  const AxisTransform axis = r.analysis.front().axes.front();
  KernelRequest request = axis.request(r.problem.scalar);
  request.looks_only = true;
  const int own = r.engine->make(request)->in().pencils;
  for (const int wanted : {4, 8, 16, 32, 64})
    if (wanted > own && (s.breadth != Breadth::usual || wanted <= 4 * own)) tiles.push_back(wanted);
  return as_words(tiles);
}

// In a variant, threads are a part of those that the rank has.
Words threads_of(const Scope& s) {
  const Recipe& r = s.r;
  std::vector<int> threads{0};
  for (int t = 1; t < r.threads_of_first && r.given.threads == 0; t *= 2)
    if (t == 1 || s.breadth == Breadth::all) threads.push_back(t);
  return as_words(threads);
}

Words chunks_of(const Scope& s) {
  const Comm& comm = s.comm;
  if (comm.size() == 1) return {"1"};
  const bool stores = s.r.transports.front()->store_reach() == StoreReach::all;
  if (comm.nodes() == 1 && stores && comm.kind() != "mpi") return {"1", "2", "4"};
  return {"1", "2", "4", "8", "16"};
}

Words intermediates_of(const Scope& s) { return s.comm.nodes() == 1 ? Words{"buffers", "output"} : Words{"buffers"}; }

Words non_temporals_of(const Scope& s) {
  return s.r.problem.real ? Words{"all", "synthesis", "none"} : Words{"all", "none"};
}

Words engines_on_device(const Scope& s) {
  return s.r.holder() && has_fused_kernels(s.r.device->space()) ? Words{"library", "fused"} : Words{"library"};
}

// The model knows nothing of what streams do for arrays on the device: they are no neighbour to choose by it.
Words streams_on_device(const Scope& s) {
  if (!s.r.holder()) return {"3", "2", "1", "4"};
  return s.breadth == Breadth::neighbours ? Words{option_word(s.r.tuning.streams)} : Words{"1", "2"};
}

// Arrays on the device have tiles of 4 to 64 MiB: enough to keep its memory busy, and small beside its cache.
Words tiles_on_device(const Scope& s) {
  if (!s.r.holder()) return as_words({0, 1 << 10, 1 << 12, 1 << 14, 1 << 16});
  const CheckedProblem& p = s.r.problem;
  std::vector<int> tiles{0};
  if (p.axes.empty()) return as_words(tiles);
  const double pencil = static_cast<double>(p.spectrum[p.axes.back()]) * p.element_bytes();
  for (const int mib : {4, 16, 24, 64})
    if (const int pencils = static_cast<int>(mib * 1048576 / pencil); pencils > 0) tiles.push_back(pencils);
  return as_words(tiles);
}

/// Values to try for a choice that nobody made. Other choices keep the recipe's own value.
struct Tried {
  std::string_view name{};
  Words (*values)(const Scope&) = nullptr;
};
constexpr Tried tried_on_host[] = {{"engine", usable_engines},
                                   {"transport", usable_transports},
                                   {"threads", threads_of},
                                   {"chunks", chunks_of},
                                   {"tile", tiles_of},
                                   {"fuse", [](const Scope&) { return Words{"2", "1"}; }},
                                   {"intermediate", intermediates_of},
                                   {"non_temporal", non_temporals_of}};
// The processor's engines and threads play no part there; tiles are larger.
constexpr Tried tried_on_device[] = {
    {"engine", engines_on_device},
    {"transport", usable_transports},
    {"chunks", [](const Scope& s) { return s.comm.size() == 1 ? Words{"1"} : Words{"1", "2", "4", "8"}; }},
    {"tile", tiles_on_device},
    {"fuse", [](const Scope&) { return Words{"3", "2", "1"}; }},
    {"streams", streams_on_device},
    {"intermediate", [](const Scope&) { return Words{"buffers"}; }},
    {"non_temporal", [](const Scope&) { return Words{"none"}; }}};

Varied varied_cuts(const Cuts& cuts) {
  Varied choice{"cut"};
  for (const auto& cut : cuts)
    choice.values.emplace_back([=](Tuning& v) { std::tie(v.decomposition, v.ranks_grid) = cut; });
  return choice;
}

Space space_of(const Recipe& r, const Comm& comm, Breadth breadth) {
  Space space{varied_cuts(cuts_of(r, comm, r.given, breadth))};
  const std::span<const Tried> tried = r.device ? std::span<const Tried>(tried_on_device) : tried_on_host;
  for (const OptionEntry& entry : option_entries()) {
    const auto choice = std::ranges::find(tried, entry.row.name, &Tried::name);
    if (choice == tried.end()) continue;
    Varied& varied = space.emplace_back(Varied{.name = entry.row.name});
    const bool asked = entry.is_set(r.given) && entry.row.name != "threads";
    for (const std::string& word : asked ? Words{entry.text(r.given)} : choice->values({r, comm, breadth}))
      varied.values.emplace_back([&entry, word](Tuning& v) { entry.set(v, word); });
  }
  return space;
}

Coord widest_grid(const Recipe& r) {
  std::vector<Index> widest;
  for (const Stage& stage : r.analysis) {
    std::vector<Index> cut;
    for (const Index p : stage.in.grid())
      if (p > 1) cut.push_back(p);
    if (cut.size() > widest.size()) widest = cut;
  }
  return Coord(widest);
}

class Collector {
 public:
  Collector(const Recipe& base, const Comm& comm) : base_(base), comm_(comm) { add(variant_of(base), true); }

  void add(const Tuning& v, bool own = false) {
    Recipe r = base_;
    r.wisdom.reset();
    r.choices = {.options = r.given};
    fill_in(r.choices, v, "tuner");
    if (!own && v.threads > 0) r.threads_of_first = std::min(r.threads_of_first, v.threads);
    try {
      complete(r, comm_);
    } catch (const Error&) {
      return;  // a grid that does not fit, say
    }
    const std::string text = to_string(r) + " threads " + std::to_string(r.threads_of_first);
    // The model's own way is best remembered by its name: slab, or a grid.
    if (!all_.empty() && text == all_.front().recipe && all_.front().variant.decomposition.empty())
      all_.front().variant = v;
    if (seen_.insert(text).second) all_.push_back({v, r.seconds, text, widest_grid(r)});
  }

  Tuning own() const { return all_.empty() ? variant_of(base_) : all_.front().variant; }

  std::vector<Ranked> sorted() {
    if (!all_.empty())
      std::stable_sort(all_.begin() + 1, all_.end(),
                       [](const Ranked& a, const Ranked& b) { return a.seconds < b.seconds; });
    return std::move(all_);
  }

 private:
  const Recipe& base_;
  const Comm& comm_;
  std::vector<Ranked> all_{};
  std::set<std::string> seen_{};
};

// Sends in parts only where something is sent, and not with the transports that store. A fused kernel does all tiles.
bool makes_sense(const Tuning& v, Breadth breadth) {
  if (breadth == Breadth::usual && v.engine == "fused" && v.streams > 1) return false;
  const Transport* t = find_transport(v.transport);
  const bool stores = t && t->store_reach() == StoreReach::all;
  return breadth != Breadth::usual || !stores || v.chunks <= 2;
}

constexpr int many_ranks = 256;

const Varied& choice_called(std::string_view name, const Space& space) {
  return *std::ranges::find(space, name, &Varied::name);
}

std::vector<Tuning> with_each(const Varied& choice, const std::vector<Tuning>& bases) {
  std::vector<Tuning> all;
  for (const Tuning& base : bases)
    for (const auto& set : choice.values) set(all.emplace_back(base));
  return all;
}

std::vector<Tuning> neighbours_of(const Tuning& own, const Space& space, int ranks) {
  std::vector<Tuning> all = with_each(choice_called("fuse", space), {own});
  if (ranks > many_ranks)
    return all;  // where every path through the layouts takes its time, only what changes the path most
  for (const Varied& choice : space) {
    if (choice.name == "fuse" || choice.name == "cut") continue;
    const std::vector<Tuning> more = with_each(choice, {own});
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// Whoever has no time for all of them has seen the most promising ones: each choice alone, then pairs.
std::vector<Tuning> combinations_of(const Tuning& own, const Space& space, Breadth breadth) {
  std::vector<Tuning> all{own};
  for (const Varied& choice : space) all = with_each(choice, all);
  std::erase_if(all, [&](const Tuning& v) { return !makes_sense(v, breadth); });
  std::ranges::stable_sort(all, {}, [&](const Tuning& v) { return changed_choices(v, own); });
  return all;
}

Listing listed(const Recipe& base, const Comm& comm, Breadth breadth, const std::function<bool()>& time_left) {
  Collector collect(base, comm);
  const Space space = space_of(base, comm, breadth);
  Listing result;
  const auto add = [&](const std::vector<Tuning>& variants) {
    for (const Tuning& v : variants) {
      if (time_left && !time_left()) result.all = false;
      if (!result.all) return;
      collect.add(v);
    }
  };
  add(with_each(choice_called("cut", space), {variant_of(base)}));  // first, for they find the name of the recipe's own
  add(breadth == Breadth::neighbours ? neighbours_of(variant_of(base), space, comm.size())
                                     : combinations_of(collect.own(), space, breadth));
  result.variants = collect.sorted();
  return result;
}

using nlohmann::json;

json json_of(const Ranked& r) {
  const double seconds =
      std::isfinite(r.seconds) ? r.seconds : std::numeric_limits<double>::max();  // JSON has no other numbers
  return {json_of(r.variant), seconds, r.recipe, std::vector<Index>(r.grid.begin(), r.grid.end())};
}

Ranked ranked_from(const json& j) {
  return {
      .variant = variant_from(j[0]), .seconds = j[1], .recipe = j[2], .grid = Coord(j[3].get<std::vector<Index>>())};
}

}  // namespace

std::vector<Ranked> ranked_variants(const Recipe& base, const Comm& comm, Breadth breadth) {
  return listed(base, comm, breadth, {}).variants;
}

// The other ranks would find the same, and take the cores of those that share a node from rank 0.
Listing list_variants(const Recipe& base, const Comm& comm, Breadth breadth, const std::function<bool()>& time_left) {
  Listing mine;
  collectively(comm, [&] {
    if (comm.rank() == 0) mine = listed(base, comm, breadth, time_left);
  });
  json all = json::array();
  for (const Ranked& r : mine.variants) all.push_back(json_of(r));
  const json told = json::parse(text_of_first(comm, json{{"all", mine.all}, {"variants", std::move(all)}}.dump()));
  Listing result{.all = told["all"]};
  for (const json& r : told["variants"]) result.variants.push_back(ranked_from(r));
  return result;
}

void begin_with_each_transport(std::vector<Ranked>& variants) {
  std::set<std::string> seen;
  std::vector<Ranked> first, others;
  for (Ranked& r : variants) (seen.insert(r.variant.transport).second ? first : others).push_back(std::move(r));
  first.insert(first.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  variants = std::move(first);
}

void begin_with_other_memory(std::vector<Ranked>& variants) {
  if (variants.empty()) return;
  const auto same_otherwise = [&](const Ranked& r) {
    Tuning v = r.variant;
    v.intermediate = variants.front().variant.intermediate;
    v.non_temporal = variants.front().variant.non_temporal;
    return v == variants.front().variant;
  };
  std::stable_partition(variants.begin() + 1, variants.end(), same_otherwise);
}

}  // namespace shardfft
