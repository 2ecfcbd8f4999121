#include "case.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"

namespace shardfft::compare {

std::string extents_text(const Shape& shape) {
  return fmt::format("{}{}", fmt::join(shape.begin(), shape.end(), "x"), shape.dims() == 1 ? "^1" : "");
}

std::vector<int> Case::transformed() const {
  if (!axes.empty()) return axes;
  std::vector<int> all(static_cast<std::size_t>(shape.dims()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string Case::text() const {
  std::string text = fmt::format("{} {} {} {} {}x{}", extents_text(shape), kind, precision, layout, ranks, threads);
  if (batch > 1) text += fmt::format(" batch {}", batch);
  if (!axes.empty()) text += fmt::format(" axes {}", fmt::join(axes, ","));
  if (!grid.empty()) text += fmt::format(" grid {}", grid);
  if (nodes > 1) text += fmt::format(" on {} nodes", nodes);
  return text;
}

double Case::array_bytes() const {
  const double reals = kind == "c2c" ? 2 : 1, scalar = precision == "f32" ? 4 : 8;
  return reals * scalar * static_cast<double>(batch) * static_cast<double>(product(shape));
}

bool same_work(const Case& a, const Case& b) {
  Case c = b;
  c.study = a.study;
  return a == c;
}

Json to_json(const Case& c) {
  return {{"shape", std::vector<Index>(c.shape.begin(), c.shape.end())},
          {"kind", c.kind},
          {"precision", c.precision},
          {"layout", c.layout},
          {"ranks", c.ranks},
          {"threads", c.threads},
          {"nodes", c.nodes},
          {"batch", c.batch},
          {"grid", c.grid},
          {"study", c.study},
          {"axes", c.axes},
          {"iterations", c.iterations}};
}

Case case_from(const Json& json) {
  const auto extents = json.at("shape").get<std::vector<Index>>();
  const auto require = [](bool good, const char* rule) {
    if (!good) throw Error(Status::invalid_problem, rule);
  };
  require(!extents.empty() && std::ranges::all_of(extents, [](Index n) { return n >= 1; }),
          "the shape of a case must be extents of at least 1");
  Case c;
  c.shape = Shape(std::span<const Index>(extents));
  json.at("kind").get_to(c.kind);
  json.at("precision").get_to(c.precision);
  json.at("layout").get_to(c.layout);
  json.at("ranks").get_to(c.ranks);
  json.at("threads").get_to(c.threads);
  c.nodes = json.value("nodes", 1);
  c.batch = json.value("batch", Index{1});
  c.grid = json.value("grid", "");
  c.study = json.value("study", "");
  c.axes = json.value("axes", std::vector<int>{});
  c.iterations = json.value("iterations", 0);
  require(c.ranks >= 1 && c.threads >= 1 && c.nodes >= 1 && c.batch >= 1 && c.iterations >= 0,
          "ranks, threads, nodes and batch of a case must be at least 1, iterations at least 0");
  require(std::ranges::all_of(c.axes, [&](int axis) { return axis >= 0 && axis < c.shape.dims(); }),
          "axes of a case must be axes of its shape");
  return c;
}

}  // namespace shardfft::compare
