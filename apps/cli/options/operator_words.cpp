#include "options/operator_words.hpp"

#include <algorithm>
#include <charconv>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::cli {
namespace {

constexpr const char* all_words =
    "identity, shift:D, lowpass:F, gaussian:S, derivative:AXIS[:ORDER], inverse_laplace[:STENCIL]";

[[noreturn]] void refuse(const std::string& words) {
  throw Error(Status::invalid_argument, fmt::format("--apply is one of {}; got '{}'", all_words, words));
}

std::vector<std::string> parts_of(const std::string& words) {
  std::vector<std::string> parts(1);
  for (const char c : words)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

template <class T>
T number(const std::string& text, const std::string& words) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(words);
  return value;
}

// The highest wave number of the axis that has the lowest one of them, in a box of length 1.
double highest(const Plan& plan) {
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
    double most = 0;
    for (const double frequency : plan.wave(a))
      most = std::max(most, std::abs(frequency) * turns[static_cast<std::size_t>(a)]);
    if (most > 0 && (least == 0 || most < least)) least = most;
  }
  return std::max(least, std::numbers::pi);
}

Stencil stencil_of(const std::string& text, const std::string& words) {
  constexpr const char* names[] = {"spectral", "second_order", "fourth_order", "sixth_order"};
  const auto* const found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) refuse(words);
  return static_cast<Stencil>(found - std::begin(names));
}

}  // namespace

void add_apply(const Command& command, std::string& words) {
  command
      .add_option("--apply", words,
                  fmt::format("an operator between forward and backward, in a box of length 1 along "
                              "each axis: {}; F is a fraction of the highest frequency",
                              all_words))
      .type_name("OP");
}

Operator parse_operator(const std::string& words, const Plan& plan) {
  const std::vector<std::string> parts = parts_of(words);
  const std::vector<double> box(static_cast<std::size_t>(plan.problem().shape.dims()), 1.0);
  const auto takes = [&](const char* name, std::size_t least, std::size_t most) {
    return parts[0] == name && parts.size() > least && parts.size() <= most + 1;
  };
  if (takes("identity", 0, 0)) return [](const Modes&) {};
  if (takes("shift", 1, 1))
    return spectral::shift(plan, box, std::vector<double>(box.size(), number<double>(parts[1], words)));
  if (takes("lowpass", 1, 1)) return spectral::lowpass(plan, box, number<double>(parts[1], words) * highest(plan));
  if (takes("gaussian", 1, 1)) return spectral::gaussian(plan, box, number<double>(parts[1], words));
  if (takes("derivative", 1, 2))
    return spectral::derivative(plan, number<int>(parts[1], words), parts.size() > 2 ? number<int>(parts[2], words) : 1,
                                1);
  if (takes("inverse_laplace", 0, 1))
    return spectral::inverse_laplace(plan, box, parts.size() > 1 ? stencil_of(parts[1], words) : Stencil::spectral);
  refuse(words);
}

}  // namespace shardfft::cli
