#include "shardfft/programs/bits.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/native/step.hpp"
#include "shardfft/error.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/operators/spectral.hpp"
#include "shardfft/plan.hpp"
#include "support/text/number.hpp"

namespace shardfft {
namespace {

constexpr ListedBits list[] = {
#include "plan/bits/list.inc"
};

[[noreturn]] void refuse(std::string_view word) {
  throw Error(Status::invalid_argument,
              fmt::format("problems of the list of bits have the words of shardfft/programs/bits.hpp; got '{}'", word));
}

std::vector<std::string_view> split_at(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(mark, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

template <class N>
std::vector<N> numbers(std::string_view text, char mark) {
  std::vector<N> list;
  for (const std::string_view part : split_at(text, mark)) {
    N number{};
    if (!read_number(part, number)) refuse(part);
    list.push_back(number);
  }
  return list;
}

Shape shape_of(std::string_view text) { return numbers<Index>(text, 'x'); }

/// The value whose name `text` is, of those from `first` to `last`.
template <class Value>
Value named(std::string_view text, Value first, Value last) {
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i)
    if (to_string(static_cast<Value>(i)) == text) return static_cast<Value>(i);
  refuse(text);
}

struct BitsCase {
  Problem problem{};
  Options options{};
  std::string_view filter{};  // an operator's name

  explicit BitsCase(std::string_view text) {
    const std::vector<std::string_view> words = split_at(text, ' ');
    if (words.size() < 3) refuse(text);
    problem = {.shape = shape_of(words[2]),
               .kind = named(words[0], Kind::c2c, Kind::r2r),
               .precision = named(words[1], Precision::f32, Precision::f64)};
    options.expert.engine = "native";
    for (std::size_t i = 3; i < words.size(); ++i) add(words[i]);
  }

 private:
  void add(std::string_view word) {
    const std::size_t at = word.find('=');
    const std::string_view key = word.substr(0, at), value = at == word.npos ? "" : word.substr(at + 1);
    if (key == "axes")
      problem.axes = numbers<int>(value, ',');
    else if (key == "modes")
      problem.modes = shape_of(value);
    else if (key == "support")
      problem.support = shape_of(value);
    else if (key == "split")
      options.expert.split = SplitAxis::always;
    else if (key == "kinds")
      for (const std::string_view kind : split_at(value, ','))
        problem.kinds.push_back(named(kind, AxisKind::fourier, AxisKind::hartley));
    else
      filter = word, options.apply = Apply::to_outputs;
  }
};

Operator operator_named(std::string_view name, const Plan& plan) {
  const auto dims = static_cast<std::size_t>(plan.problem().shape.dims());
  const std::vector<double> lengths(dims, 2.5), distances(dims, 0.3);
  if (name == "gaussian") return spectral::gaussian(plan, lengths, 0.07);
  if (name == "shift") return spectral::shift(plan, lengths, distances);
  if (name == "third_derivative") return spectral::derivative(plan, 0, 3, 2.5);
  if (name == "inverse_laplace") return spectral::inverse_laplace(plan, lengths, Stencil::sixth_order, 0.5);
  refuse(name);
}

}  // namespace

std::span<const ListedBits> listed_bits() { return list; }

Index elements_of(const ListedBits& bits) { return product(BitsCase(bits.problem).problem.shape); }

bool fuses_multiply_adds() { return native::routines<double>().fused; }

bool has_listed_bits() {
  constexpr int optional_radices[] = {4, 6, 9, 10, 11, 12, 13, 16};
  return fuses_multiply_adds() &&
         std::ranges::all_of(optional_radices, [](int r) { return native::routines<double>().first[r] != nullptr; });
}

ListedBits bits_here(const Comm& comm, std::string_view problem, int threads) {
  BitsCase one(problem);
  one.options.threads = threads;
  Plan plan(comm, one.problem, one.options);
  const bool complex_in = one.problem.kind == Kind::c2c || one.problem.kind == Kind::c2r;
  Array in = plan.make_input(), back = plan.make_input();
  fill_with_noise(plan.input(), comm.rank(), one.problem.precision, complex_in, in, 1);
  if (!one.filter.empty()) {
    const Operator f = operator_named(one.filter, plan);
    plan.apply(in, back, f);
    const std::uint64_t first = plan.hash_input(back);
    plan.apply(back, in, f);
    return {problem, first, plan.hash_input(in)};
  }
  Array out = plan.make_output();
  plan.forward(in, out);
  plan.backward(out, back);
  return {problem, plan.hash_output(out), plan.hash_input(back)};
}

}  // namespace shardfft
