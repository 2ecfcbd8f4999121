// Which cases of a report belong to one curve of strong or weak scaling.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "merge.hpp"
#include "report/page/text.hpp"

namespace shardfft::report {
namespace {

using Belongs = std::function<bool(const Case&, const Case&)>;
using Size = std::function<std::int64_t(const Case&)>;

/// Cases that belong to the first of their group, by size; groups of one size only are no growth.
std::vector<Growth> groups(const Merged& merged, const Belongs& belongs, const Size& size, const std::string& unit) {
  std::vector<Growth> all;
  for (const Case& c : merged.cases) {
    const auto same =
        std::ranges::find_if(all, [&](const Growth& g) { return belongs(*g.points.front().question, c); });
    if (same == all.end())
      all.push_back({.unit = unit, .points = {{size(c), &c}}});
    else
      same->points.push_back({size(c), &c});
  }
  std::erase_if(all, [](const Growth& g) {
    return std::ranges::all_of(g.points, [&](const auto& p) { return p.size == g.points[0].size; });
  });
  for (Growth& g : all) std::ranges::stable_sort(g.points, {}, &Growth::Point::size);
  return all;
}

bool same_kind(const Case& a, const Case& b) {
  return a.kind == b.kind && a.precision == b.precision && a.layout == b.layout && a.batch == b.batch &&
         a.study == b.study;
}

/// Grids that were asked for are a study of their own: several of them have the same number of ranks.
bool own_grids(const Case& a, const Case& b) { return a.grid.empty() && b.grid.empty(); }

bool same_share(const Case& a, const Case& b) {
  const double mine = a.elements() / static_cast<double>(a.ranks), theirs = b.elements() / static_cast<double>(b.ranks);
  return std::abs(mine / theirs - 1) <= 0.05;
}

std::string in_study(const Case& c) { return c.study.empty() ? "" : fmt::format(" ({})", c.study); }
std::string counted(std::int64_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

}  // namespace

std::vector<Growth> strong_scaling(const Merged& merged) {
  const auto by_ranks = [](const Case& a, const Case& b) {
    return own_grids(a, b) && same_kind(a, b) && a.shape == b.shape && a.threads == b.threads;
  };
  const auto by_threads = [](const Case& a, const Case& b) {
    return a.grid == b.grid && same_kind(a, b) && a.shape == b.shape && a.ranks == b.ranks;
  };
  std::vector<Growth> all = groups(merged, by_ranks, [](const Case& c) { return c.ranks; }, "ranks");
  for (Growth& g : all) {
    const Case& c = *g.points.front().question;
    g.title = fmt::format("{}, {} per rank{}", problem_text(c), counted(c.threads, "thread"), in_study(c));
  }
  std::vector<Growth> more = groups(merged, by_threads, [](const Case& c) { return c.threads; }, "threads");
  for (Growth& g : more) {
    const Case& c = *g.points.front().question;
    g.title = fmt::format("{}, {}{}", problem_text(c), counted(c.ranks, "rank"), in_study(c));
  }
  std::ranges::move(more, std::back_inserter(all));
  return all;
}

std::vector<Growth> weak_scaling(const Merged& merged) {
  const auto belongs = [](const Case& a, const Case& b) {
    return own_grids(a, b) && same_kind(a, b) && a.threads == b.threads && same_share(a, b);
  };
  std::vector<Growth> all = groups(merged, belongs, [](const Case& c) { return c.ranks; }, "ranks");
  for (Growth& g : all) {
    const Case& c = *g.points.front().question;
    g.title = fmt::format("{} elements per rank, {} {} {}, {} per rank{}",
                          count_text(c.elements() / static_cast<double>(c.ranks)), c.kind, c.precision, c.layout,
                          counted(c.threads, "thread"), in_study(c));
  }
  return all;
}

}  // namespace shardfft::report
