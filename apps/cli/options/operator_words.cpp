#include "options/operator_words.hpp"

#include <algorithm>
#include <charconv>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "options/numbers.hpp"
#include "shardfft/error.hpp"

namespace shardfft::cli {
namespace {

constexpr const char* all_words =
    "identity, shift:D, lowpass:F, gaussian:S, derivative:AXIS[:ORDER], inverse_laplace[:STENCIL]";

[[noreturn]] void refuse(const std::string& words) {
  throw Error(Status::invalid_argument, fmt::format("--apply is one of {}; got '{}'", all_words, words));
}

template <class T>
T number(const std::string& text, const std::string& words) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(words);
  return value;
}

/// One length for each axis; 1 without words.
std::vector<double> lengths_of(const BoxWords& box, const Plan& plan) {
  const int dims = plan.problem().shape.dims();
  if (!box.spacing.empty()) return spectral::lengths_from(plan, numbers_along("--spacing", box.spacing, dims));
  return numbers_along("--lengths", box.lengths.empty() ? "1" : box.lengths, dims);
}

// Each axis has a highest wave number; this is the lowest of these.
double highest(const Plan& plan, const std::vector<double>& lengths) {
  const Problem& problem = plan.problem();
  const int dims = problem.shape.dims();
  std::vector<double> turns(static_cast<std::size_t>(dims), 2 * std::numbers::pi);
  for (std::size_t i = 0; i < problem.kinds.size(); ++i) {
    const int axis = problem.axes.empty() ? static_cast<int>(i) : problem.axes[i];
    if (problem.kinds[i] != AxisKind::fourier && problem.kinds[i] != AxisKind::hartley)
      turns[static_cast<std::size_t>(axis < 0 ? axis + dims : axis)] = std::numbers::pi;
  }
  double least = 0;
  for (int a = 0; a < dims; ++a) {
    const auto at = static_cast<std::size_t>(a);
    double most = 0;
    for (const double frequency : plan.wave(a)) most = std::max(most, std::abs(frequency) * (turns[at] / lengths[at]));
    if (most > 0 && (least == 0 || most < least)) least = most;
  }
  return least > 0 ? least : 1;
}

Stencil stencil_of(const std::string& text, const std::string& words) {
  constexpr const char* names[] = {"spectral", "second_order", "fourth_order", "sixth_order"};
  const auto* const found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) refuse(words);
  return static_cast<Stencil>(found - std::begin(names));
}

}  // namespace

void add_apply(const Command& command, std::string& words, BoxWords& box) {
  command
      .add_option(
          "--apply", words,
          fmt::format("an operator between forward and backward: {}; D and S are in the unit of --lengths, F is "
                      "a fraction of the highest wave number that every axis has",
                      all_words))
      .type_name("OP");
  command.add_option("--lengths", box.lengths,
                     "of the box in which --apply acts, along each axis, such as 1,1,2.5, or one for all (default: 1)");
  command.add_option("--spacing", box.spacing, "of the points, instead");
}

Json box_json(const BoxWords& box, int dims) {
  if (!box.spacing.empty()) return {{"spacing", numbers_along("--spacing", box.spacing, dims)}};
  return {{"lengths", numbers_along("--lengths", box.lengths.empty() ? "1" : box.lengths, dims)}};
}

void require_apply(const std::string& words, const BoxWords& box) {
  if (!words.empty() || (box.lengths.empty() && box.spacing.empty())) return;
  throw Error(Status::invalid_argument, fmt::format("{} says where --apply acts; got no --apply; leave it out",
                                                    box.spacing.empty() ? "--lengths" : "--spacing"));
}

Operator parse_operator(const std::string& words, const BoxWords& given, const Plan& plan) {
  if (!given.lengths.empty() && !given.spacing.empty())
    throw Error(Status::invalid_argument,
                fmt::format("--apply acts in a box of --lengths, or of points with --spacing; got {} and {}; leave one "
                            "of them out",
                            given.lengths, given.spacing));
  const std::vector<std::string> parts = split(words, ':');
  const std::vector<double> box = lengths_of(given, plan);
  const auto takes = [&](const char* name, std::size_t least, std::size_t most) {
    return parts[0] == name && parts.size() > least && parts.size() <= most + 1;
  };
  if (takes("identity", 0, 0)) return [](const Modes&) {};
  if (takes("shift", 1, 1))
    return spectral::shift(plan, box, std::vector<double>(box.size(), number<double>(parts[1], words)));
  if (takes("lowpass", 1, 1)) return spectral::lowpass(plan, box, number<double>(parts[1], words) * highest(plan, box));
  if (takes("gaussian", 1, 1)) return spectral::gaussian(plan, box, number<double>(parts[1], words));
  if (takes("derivative", 1, 2)) {
    const int axis = number<int>(parts[1], words), dims = plan.problem().shape.dims();
    const double length = axis < -dims || axis >= dims ? 1 : box[static_cast<std::size_t>((axis + dims) % dims)];
    return spectral::derivative(plan, axis, parts.size() > 2 ? number<int>(parts[2], words) : 1, length);
  }
  if (takes("inverse_laplace", 0, 1))
    return spectral::inverse_laplace(plan, box, parts.size() > 1 ? stencil_of(parts[1], words) : Stencil::spectral);
  refuse(words);
}

}  // namespace shardfft::cli
