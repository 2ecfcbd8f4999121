#include "case_words.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/words.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"

namespace shardfft::compare {
namespace {

constexpr std::array kinds{"c2c",   "r2c",   "cosine1", "cosine2", "cosine3", "cosine4",
                           "sine1", "sine2", "sine3",   "sine4",   "hartley"};
constexpr std::array precisions{"f64", "f32"};
constexpr std::array layouts{"natural", "transposed", "pencils", "bricks"};

[[noreturn]] void refuse(const std::string& rule, const std::string& got, const std::string& remedy) {
  throw Error(Status::invalid_argument, fmt::format("{}; got '{}'; {}", rule, got, remedy));
}

template <class Known>
void require_one_of(const std::string& option, const std::string& word, const Known& known) {
  if (std::ranges::find(known, word) != known.end()) return;
  const std::vector<std::string> names(known.begin(), known.end());
  throw Error(Status::invalid_argument, fmt::format("{} must be of {}; got '{}'{}; choose from these", option,
                                                    fmt::join(names, ", "), word, did_you_mean(word, names)));
}

struct Workers {
  int ranks, threads;
};

Workers parse_workers(const std::string& option, const std::string& text) {
  constexpr Index many = 1 << 20;
  const std::string rule = fmt::format("{} must be ranks x threads, each from 1 to {}", option, many);
  const std::string remedy = fmt::format("write for example {} 2x1", option);
  try {
    const Shape numbers = cli::parse_extents(option, text);
    if (numbers.dims() <= 2 && *std::max_element(numbers.begin(), numbers.end()) <= many)
      return {static_cast<int>(numbers[0]), numbers.dims() == 2 ? static_cast<int>(numbers[1]) : 1};
  } catch (const Error&) { refuse(rule, text, remedy); }
  refuse(rule, text, remedy);
}

/// Ranks of all nodes together.
int all_ranks(const CaseWords& words, int processes, int nodes) {
  constexpr Index most = std::numeric_limits<int>::max();
  const Index all = words.ranks_per_node ? Index{processes} * nodes : processes;
  if (all > most)
    refuse(fmt::format("{}ranks_per_node x nodes must be at most {}", words.mark, most),
           fmt::format("{}x{}", processes, nodes), "name fewer ranks or nodes");
  return static_cast<int>(all);
}

void check_grid(const std::string& option, const Case& c) {
  if (c.grid.empty()) return;
  const Shape grid = cli::parse_extents(option, c.grid);
  if (grid.dims() != 2) refuse(option + " must be two numbers each", c.grid, "write for example 2x4");
  if (product(grid) != c.ranks)
    refuse(fmt::format("the numbers of {} must multiply to the ranks, here {}", option, c.ranks), c.grid,
           "name other grids or ranks");
}

/// Those of the words if they are not all in their order: then the case is the one without words.
std::vector<int> some_axes(const std::string& text, const Shape& shape) {
  std::vector<int> axes = cli::parse_axes(text, shape.dims());
  return axes == cli::parse_axes("", shape.dims()) ? std::vector<int>{} : axes;
}

void check(const CaseWords& words, const Case& c) {
  require_one_of(words.mark + "kinds", c.kind, kinds);
  require_one_of(words.mark + "precisions", c.precision, precisions);
  require_one_of(words.mark + "layouts", c.layout, layouts);
  if (c.layout != "natural" && c.shape.dims() < 2)
    refuse(fmt::format("{}layouts {} needs 2 dimensions", words.mark, c.layout), extents_text(c.shape),
           "use the layout natural");
  if (c.nodes < 1) refuse(words.mark + "nodes must be at least 1", fmt::format("{}", c.nodes), "leave it out for 1");
  if (c.nodes > c.ranks)
    refuse(fmt::format("{}nodes must be at most the ranks, here {}", words.mark, c.ranks), fmt::format("{}", c.nodes),
           "name fewer nodes or more ranks");
  if (c.batch < 1) refuse(words.mark + "batches must be at least 1", fmt::format("{}", c.batch), "leave it out for 1");
  (void)product(c.shape);
  check_grid(words.mark + "grids", c);
}

}  // namespace

Shape parse_shape(const std::string& option, const std::string& text) {
  const Shape shape = cli::parse_extents(option, text);
  return shape.dims() == 1 && text.find_first_of("xX^") == text.npos ? Shape{shape[0], shape[0], shape[0]} : shape;
}

std::vector<std::string> split_list(const std::string& option, const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end == at) refuse(option + " must be words joined by commas", text, "leave out the empty ones");
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<Case> expand(const CaseWords& words) {
  constexpr double most = 10'000;  // which would take weeks
  double all_of_them = 1;
  for (const std::size_t n :
       {words.shapes.size(), words.kinds.size(), words.precisions.size(), words.layouts.size(), words.nodes.size(),
        words.ranks.size(), words.batches.size(), words.grids.size(), words.axes.size()})
    all_of_them *= static_cast<double>(n);
  if (all_of_them > most)
    refuse(fmt::format("all combinations of what is named must be at most {} cases", most),
           fmt::format("{:.0f}", all_of_them), "name fewer");
  std::vector<Case> cases;
  for (const std::string& shape : words.shapes)
    for (const std::string& kind : words.kinds)
      for (const std::string& precision : words.precisions)
        for (const std::string& layout : words.layouts)
          for (const int nodes : words.nodes)
            for (const std::string& ranks : words.ranks)
              for (const Index batch : words.batches)
                for (const std::string& grid : words.grids)
                  for (const std::string& axes : words.axes) {
                    const auto [processes, threads] = parse_workers(words.mark + "ranks", ranks);
                    const Shape extents = parse_shape(words.mark + "shapes", shape);
                    const Case c{extents,
                                 lower(kind),
                                 lower(precision),
                                 lower(layout),
                                 all_ranks(words, processes, nodes),
                                 threads,
                                 nodes,
                                 batch,
                                 lower(grid),
                                 words.study,
                                 some_axes(axes, extents),
                                 words.iterations};
                    check(words, c);
                    if (std::ranges::find(cases, c) == cases.end()) cases.push_back(c);
                  }
  return cases;
}

}  // namespace shardfft::compare
