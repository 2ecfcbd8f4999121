#include "planner/decide/variants.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "device/fused.hpp"
#include "grid/process_grids.hpp"
#include "planner/decide/planner.hpp"
#include "planner/wisdom/share_text.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {
namespace {

/// The values of each choice that are to be combined.
struct Space {
  std::vector<std::string> engines{}, transports{};
  std::vector<std::pair<std::string, Coord>> cuts{};  // decomposition and grid
  std::vector<int> threads{}, chunks{}, tiles{}, fuses{}, non_temporals{};
  std::vector<std::string> intermediates{};
};

std::vector<std::string> usable_engines(const Recipe& r) {
  std::vector<std::string> names;
  for (const Engine* e : engines()) {
    const bool can = std::ranges::all_of(r.problem.axes, [&](int axis) {
      const StageAxis a = r.problem.analysis(axis);
      return e->refuses({.n = a.n, .transform = a.transform, .scalar = r.problem.scalar}).empty();
    });
    if (can) names.emplace_back(e->name());
  }
  return names;
}

// One that needs a trial to know whether it works is a candidate where that has been found out.
std::vector<std::string> usable_transports(const Recipe& r, const Comm& comm, Breadth breadth) {
  if (comm.size() == 1) return {std::string(r.transports.front()->name())};
  std::vector<std::string> names;
  for (const Transport* t : transports()) {
    const bool closed =
        t->fallback() && (breadth == Breadth::neighbours || std::ranges::count(r.closed, t->name()) > 0);
    if (t->stands_for_any() == (comm.kind() == "dry_run") && !closed && why_not(*t, comm, r.holder()).empty())
      names.emplace_back(t->name());
  }
  return names;
}

// Slabs, every process grid of pencils, bricks where they are something else, and the model's own mixture of them.
std::vector<std::pair<std::string, Coord>> cuts_of(const Recipe& r, const Comm& comm, const Options& given,
                                                   Breadth breadth) {
  if (!given.decomposition.empty() || given.ranks_grid.dims() > 0) return {{given.decomposition, given.ranks_grid}};
  if (comm.size() == 1 || r.problem.dims() == 1) return {{"", {}}};
  std::vector<std::pair<std::string, Coord>> cuts{{"slab", {}}};
  std::vector<Index> rows;
  if (r.problem.dims() > 2) rows = divisors(comm.size());
  if (breadth == Breadth::neighbours && rows.size() > 2) rows = {rows[(rows.size() - 1) / 2]};  // the most square one
  for (const Index n : rows)
    if (n > 1 && n < comm.size()) cuts.push_back({"pencil", Coord{n, comm.size() / n}});
  if (r.problem.dims() > 3) cuts.push_back({"brick", {}});
  cuts.push_back({"", {}});
  return cuts;
}

std::vector<int> tiles_of(const Recipe& r, Breadth breadth) {
  std::vector<int> tiles{0};
  if (r.engine->measures()) return {0, 16, 32, 64};  // its own width would have to be measured
  const StageAxis axis = r.analysis.front().axes.front();
  KernelRequest request = axis.request(r.problem.scalar);
  request.looks_only = true;
  const int own = r.engine->make(request)->in().pencils;
  for (const int wanted : {4, 8, 16, 32, 64})
    if (wanted > own && (breadth != Breadth::usual || wanted <= 4 * own)) tiles.push_back(wanted);
  return tiles;
}

std::vector<int> threads_of(int all, Breadth breadth) {
  std::vector<int> threads{0};
  for (int t = 1; t < all; t *= 2)
    if (t == 1 || breadth == Breadth::all) threads.push_back(t);
  return threads;
}

std::vector<int> chunks_of(const Recipe& r, const Comm& comm) {
  if (comm.size() == 1) return {1};
  const bool stores = r.transports.front()->store_reach() == StoreReach::all;
  if (comm.nodes() == 1 && stores && comm.kind() != "mpi") return {1, 2, 4};
  return {1, 2, 4, 8, 16};
}

template <class T>
std::vector<T> or_given(std::vector<T> all, const T& given, const T& unset) {
  return given == unset ? std::move(all) : std::vector<T>{given};
}

// The processor's engines, threads and stores play no part there; tiles are larger.
Space space_on_device(const Recipe& r, const Comm& comm, Breadth breadth) {
  const Options& given = r.given;
  Space s{.engines = {"library"}, .threads = {0}, .non_temporals = {0}, .intermediates = {"buffers"}};
  if (r.holder() && find_fused(r.device->space())) s.engines.emplace_back("fused");
  s.engines = or_given(s.engines, given.engine, std::string());
  s.transports = or_given(usable_transports(r, comm, breadth), given.transport, std::string());
  s.cuts = cuts_of(r, comm, given, breadth);
  s.chunks = or_given(comm.size() == 1 ? std::vector{1} : std::vector{1, 2, 4, 8}, given.chunks, 0);
  s.tiles = or_given({0, 1 << 10, 1 << 12, 1 << 14, 1 << 16}, given.tile, 0);
  s.fuses = or_given({3, 2, 1}, given.fuse, -1);
  return s;
}

Space space_of(const Recipe& r, const Comm& comm, Breadth breadth) {
  if (r.device) return space_on_device(r, comm, breadth);
  const Options& given = r.given;
  Space s;
  s.engines = or_given(usable_engines(r), given.engine, std::string());
  if (breadth == Breadth::neighbours && given.engine.empty())
    s.engines = {std::string(r.engine->name())};  // another one would change bits
  s.transports = or_given(usable_transports(r, comm, breadth), given.transport, std::string());
  s.cuts = cuts_of(r, comm, given, breadth);
  s.threads = given.threads > 0 ? std::vector<int>{0} : threads_of(r.threads_of_first, breadth);
  s.chunks = or_given(chunks_of(r, comm), given.chunks, 0);
  s.tiles = or_given(tiles_of(r, breadth), given.tile, 0);
  s.fuses = or_given({2, 1}, given.fuse, -1);
  using Words = std::vector<std::string>;
  s.intermediates =
      or_given(comm.nodes() == 1 ? Words{"buffers", "output"} : Words{"buffers"}, given.intermediate, std::string());
  s.non_temporals = or_given(r.problem.real ? std::vector{1, 2, 0} : std::vector{1, 0}, given.non_temporal, -1);
  return s;
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

  void add(const Variant& v, bool own = false) {
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

  Variant own() const { return all_.empty() ? variant_of(base_) : all_.front().variant; }

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

// Sends in parts only where something is sent, and not with the transports that store.
bool makes_sense(const Variant& v, Breadth breadth) {
  const Transport* t = find_transport(v.transport);
  const bool stores = t && t->store_reach() == StoreReach::all;
  return breadth != Breadth::usual || !stores || v.chunks <= 2;
}

constexpr int many_ranks = 256;

std::vector<Variant> neighbours_of(const Variant& own, const Space& s, int ranks) {
  std::vector<Variant> all;
  const auto change = [&](auto member, const auto& values) {
    for (const auto& value : values) {
      Variant& v = all.emplace_back(own);
      v.*member = value;
    }
  };
  change(&Variant::fuse, s.fuses);
  if (ranks > many_ranks)
    return all;  // where every path through the layouts takes its time, only what changes the path most
  change(&Variant::engine, s.engines);
  change(&Variant::transport, s.transports);
  change(&Variant::threads, s.threads);
  change(&Variant::chunks, s.chunks);
  change(&Variant::tile, s.tiles);
  change(&Variant::intermediate, s.intermediates);
  change(&Variant::non_temporal, s.non_temporals);
  return all;
}

int differences(const Variant& a, const Variant& b) {
  return (a.engine != b.engine) + (a.transport != b.transport) +
         (a.decomposition != b.decomposition || !(a.ranks_grid == b.ranks_grid)) + (a.threads != b.threads) +
         (a.chunks != b.chunks) + (a.tile != b.tile) + (a.fuse != b.fuse) + (a.intermediate != b.intermediate) +
         (a.non_temporal != b.non_temporal);
}

// Whoever has no time for all of them has seen the most promising ones: each choice alone, then pairs.
std::vector<Variant> combinations_of(const Variant& own, const Space& s, Breadth breadth) {
  std::vector<Variant> all;
  for (const auto& [decomposition, grid] : s.cuts)
    for (const std::string& engine : s.engines)
      for (const std::string& transport : s.transports)
        for (const int threads : s.threads)
          for (const int chunks : s.chunks)
            for (const int tile : s.tiles)
              for (const int fuse : s.fuses)
                for (const std::string& intermediate : s.intermediates)
                  for (const int non_temporal : s.non_temporals) {
                    const Variant v{engine, transport, decomposition, grid,         threads,
                                    chunks, tile,      fuse,          intermediate, non_temporal};
                    if (makes_sense(v, breadth)) all.push_back(v);
                  }
  std::ranges::stable_sort(all, {}, [&](const Variant& v) { return differences(v, own); });
  return all;
}

std::vector<Variant> with_each_cut(const Variant& own, const Space& s) {
  std::vector<Variant> all;
  for (const auto& [decomposition, grid] : s.cuts) {
    Variant& v = all.emplace_back(own);
    v.decomposition = decomposition;
    v.ranks_grid = grid;
  }
  return all;
}

Listing listed(const Recipe& base, const Comm& comm, Breadth breadth, const std::function<bool()>& time_left) {
  Collector collect(base, comm);
  const Space space = space_of(base, comm, breadth);
  Listing result;
  const auto add = [&](const std::vector<Variant>& variants) {
    for (const Variant& v : variants) {
      if (time_left && !time_left()) result.all = false;
      if (!result.all) return;
      collect.add(v);
    }
  };
  add(with_each_cut(variant_of(base), space));  // first, for they find the name of the recipe's own
  add(breadth == Breadth::neighbours ? neighbours_of(variant_of(base), space, comm.size())
                                     : combinations_of(collect.own(), space, breadth));
  result.variants = collect.sorted();
  return result;
}

using nlohmann::json;

json json_of(const Ranked& r) {
  const auto numbers = [](const Coord& c) { return std::vector<Index>(c.begin(), c.end()); };
  const Variant& v = r.variant;
  const double seconds =
      std::isfinite(r.seconds) ? r.seconds : std::numeric_limits<double>::max();  // JSON has no other numbers
  return {v.engine, v.transport, v.decomposition, numbers(v.ranks_grid), v.threads,
          v.chunks, v.tile,      v.fuse,          v.intermediate,        v.non_temporal,
          seconds,  r.recipe,    numbers(r.grid)};
}

Ranked ranked_from(const json& j) {
  const auto coord = [](const json& numbers) { return Coord(numbers.get<std::vector<Index>>()); };
  return {.variant = {j[0], j[1], j[2], coord(j[3]), j[4], j[5], j[6], j[7], j[8], j[9]},
          .seconds = j[10],
          .recipe = j[11],
          .grid = coord(j[12])};
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
    Variant v = r.variant;
    v.intermediate = variants.front().variant.intermediate;
    v.non_temporal = variants.front().variant.non_temporal;
    return v == variants.front().variant;
  };
  std::stable_partition(variants.begin() + 1, variants.end(), same_otherwise);
}

}  // namespace shardfft
