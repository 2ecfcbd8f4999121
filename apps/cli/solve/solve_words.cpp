#include "solve/solve_words.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/numbers.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"

namespace shardfft::cli {
namespace {

using solvers::Ends;
using solvers::Scheme;

[[noreturn]] void refuse_word(const std::string& rule, const std::string& got, const std::string& remedy) {
  throw Error(Status::invalid_argument, fmt::format("{}; got '{}'; {}", rule, got, remedy));
}

/// A word and what it means.
template <class T>
struct Meaning {
  const char* word;
  T value;
};
constexpr Meaning<Ends> all_ends[] = {{"periodic", solvers::periodic},
                                      {"neumann", solvers::neumann},
                                      {"dirichlet", solvers::dirichlet},
                                      {"dirichlet-neumann", solvers::dirichlet_neumann},
                                      {"neumann-dirichlet", solvers::neumann_dirichlet}};
constexpr Meaning<Scheme> all_schemes[] = {{"2", Scheme::second_order},
                                           {"4", Scheme::fourth_order},
                                           {"6", Scheme::sixth_order},
                                           {"compact", Scheme::compact},
                                           {"spectral", Scheme::spectral}};
constexpr Meaning<Points> all_points[] = {{"cells", Points::cells}, {"nodes", Points::nodes}};

template <class T, std::size_t n>
T look_up(const char* option, const std::string& text, const Meaning<T> (&table)[n]) {
  std::vector<std::string> known;
  for (const Meaning<T>& m : table) {
    if (lower(text) == m.word) return m.value;
    known.emplace_back(m.word);
  }
  refuse_word(fmt::format("{} is one of {}{}", option, fmt::join(known, ", "),
                          std::string_view(option) == "--boundary" ? ", or open for all axes" : ""),
              text, fmt::format("choose one of these{}", did_you_mean(text, known)));
}

std::vector<solvers::EndValues> end_values(const std::string& text, int axes) {
  std::vector<solvers::EndValues> values;
  if (text.empty()) return values;
  for (const std::string& part : for_axes("--values", text, axes)) {
    const std::vector<std::string> ends = split(part, ':');
    double low = 0, high = 0;
    if (ends.size() != 2 || !parse_number(ends[0], low) || !parse_number(ends[1], high))
      refuse_word("--values has LOW:HIGH for each axis", text, "write for example --values 0:0,0:1,0:0");
    solvers::EndValues& here = values.emplace_back();
    if (low != 0) here.low = [low](const solvers::Position&) { return low; };
    if (high != 0) here.high = [high](const solvers::Position&) { return high; };
  }
  return values;
}

int axis_of(const std::string& text, int axes) {
  if (text.empty()) return -1;
  for (int a = 0; a < axes; ++a)
    if (lower(text) == std::string(1, static_cast<char>('x' + a)) || text == std::to_string(a)) return a;
  refuse_word(fmt::format("--stretched names one of {} axes: x, y, z or 0, 1, 2", axes), text, "name one of these");
}

// Those have a kernel instead of differences.
void check_open(const SolveWords& words) {
  const auto is_of_boundaries = [](const char* option, const std::string& got) {
    refuse_word(fmt::format("{} is of boxes with boundaries", option), got, "leave it out, or --boundary open");
  };
  if (words.order != "2" && lower(words.order) != "spectral") is_of_boundaries("--order", words.order);
  if (lower(words.points) != "cells") is_of_boundaries("--points nodes", words.points);
  if (!words.values.empty()) is_of_boundaries("--values", words.values);
  if (!words.stretched.empty()) is_of_boundaries("--stretched", words.stretched);
  if (words.equation != "poisson")
    refuse_word("--boundary open is of Poisson's equation", words.equation, "take poisson");
}

}  // namespace

void add_problem(const Command& command, SolveWords& words) {
  command
      .add_option(
          "--boundary", words.boundary,
          "what holds at the ends of each axis: periodic, neumann (no slope), dirichlet (zero), "
          "dirichlet-neumann or neumann-dirichlet (low end first); one for all, or one for each, joined by commas; "
          "open: there are none, and u vanishes far away")
      .shows_default();
  command.add_option("--points", words.points, "where points lie: cells, or nodes").shows_default();
  command
      .add_option(
          "--order", words.order,
          "of the differences: 2, 4, 6, compact (order 4 with neighbours alone), or spectral: the derivatives of "
          "the series")
      .shows_default();
  command.add_option("--lengths", words.lengths, "of the box along each axis, such as 1,1,2.5 (default: 1)");
  command.add_option("--spacing", words.spacing, "of the points, instead");
  command.add_option("--values", words.values,
                     "LOW:HIGH for each axis: the value at a dirichlet end, the slope outwards at a neumann end "
                     "(default: 0); for order 2");
  command.add_flag("--project", words.project, "where nothing fixes u: drop the mean of f, whatever it is");
  command.add_option("--compatible", words.compatible,
                     "where nothing fixes u: the mean of f that is dropped, relative to its root mean square (default: "
                     "the root of the unit roundoff)");
  command.add_option("--stretched", words.stretched, "the axis whose cells have different widths: x, y or z");
  command
      .add_option("--faces", words.faces,
                  "the faces of these cells: a .npy file of one number more than cells, or tanh:B")
      .shows_default();
}

bool is_open(const SolveWords& words) { return lower(words.boundary) == "open"; }

solvers::PoissonProblem to_problem(const SolveWords& words, int axes) {
  if (is_open(words)) check_open(words);
  solvers::PoissonProblem problem{.lengths = numbers_along("--lengths", words.lengths, axes),
                                  .spacing = numbers_along("--spacing", words.spacing, axes),
                                  .points = look_up("--points", words.points, all_points),
                                  .scheme = look_up("--order", words.order, all_schemes),
                                  .shift = words.shift,
                                  .values = end_values(words.values, axes),
                                  .compatible = words.compatible,
                                  .project = words.project,
                                  .stretched = axis_of(words.stretched, axes)};
  for (const std::string& ends : for_axes("--boundary", is_open(words) ? "periodic" : words.boundary, axes))
    problem.ends.push_back(look_up("--boundary", ends, all_ends));
  return problem;
}

std::vector<double> tanh_faces(const std::string& text, Index cells, double length) {
  double b = 0;
  if (!text.starts_with("tanh:") || !parse_number(text.substr(5), b) || b <= 0 || b > 15)
    refuse_word("--faces is a .npy file or tanh:B with B from above 0 to 15", text,
                "write for example --faces tanh:1.5");
  std::vector<double> faces;
  for (Index i = 0; i <= cells; ++i) {
    const double t = 2 * static_cast<double>(i) / static_cast<double>(cells) - 1;
    faces.push_back(length / 2 * (1 + std::tanh(b * t) / std::tanh(b)));
  }
  return faces;
}

}  // namespace shardfft::cli
