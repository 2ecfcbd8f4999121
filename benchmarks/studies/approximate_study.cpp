// What approximate mode loses and saves on made-up fields: transforms one there and back on threads, beside the same in
// exact mode, and prints one line of JSON.
//
//   approximate_study [--data uniform|white|inertial|dns|smooth|shock|cosine] [--n 64] [--kind r2c|c2c] [--precision
//   f64|f32] [--ranks 4] [--grid 2x2] [--input LAYOUT] [--output LAYOUT]
//                     [--codec NAME] [--tolerance E] [--guarantee NAME]
//
// `error`: relative L2 error of the forward result against exact mode; `largest`: largest error of an element by the
// root mean square of the result. `round_trip`: relative L2 norm of x - backward(forward(x)), and `round_trip_largest`:
// its largest element (absolute), as in S2's Table II, whose data are `uniform`: uniform in [0, 1). All ranks are one
// node: everything but what a rank gives itself is encoded. Errors are against the transform in f64, also of f32.
#include <cmath>
#include <complex>
#include <cstdlib>
#include <map>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "shardfft/collective.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/shardfft.hpp"

namespace {

using namespace shardfft;

struct Asked {
  std::string data = "white";
  Problem problem{.shape = {64, 64, 64}, .kind = r2c};
  Options options{.input = pencils(2), .output = pencils(0), .threads = 1, .expert = {.encode_near = true}};
  int ranks = 4;
};

Coord grid_of(const std::string& text) {
  std::vector<Index> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    numbers.push_back(std::stoll(text.substr(at, end - at)));
    at = end + 1;
  }
  return Coord(numbers);
}

[[noreturn]] void fail(const std::string& text) {
  fmt::print(stderr, "approximate_study: {}\n", text);
  std::exit(2);
}

Asked parse(int argc, char** argv) {
  Asked a;
  std::map<std::string, std::string> words;
  for (int i = 1; i + 1 < argc; i += 2) words[argv[i]] = argv[i + 1];
  if (argc % 2 == 0) fail("every option has a value");
  for (const auto& [name, value] : words) {
    if (name == "--data")
      a.data = value;
    else if (name == "--n")
      a.problem.shape = Coord::filled(3, std::stoll(value));
    else if (name == "--kind")
      a.problem.kind = value == "c2c" ? c2c : r2c;
    else if (name == "--precision")
      a.problem.precision = value == "f32" ? f32 : f64;
    else if (name == "--ranks")
      a.ranks = std::stoi(value);
    else if (name == "--grid")
      a.options.expert.ranks_grid = grid_of(value);
    else if (name == "--input")
      a.options.input = parse_layout(value, 3);
    else if (name == "--output")
      a.options.output = parse_layout(value, 3);
    else if (name == "--codec")
      a.options.expert.codec = value;
    else if (name == "--tolerance")
      a.options.tolerance = std::stod(value);
    else if (name == "--guarantee")
      a.options.guarantee = value;
    else
      fail(fmt::format("the options stand at the head of benchmarks/studies/approximate_study.cpp; got '{}'", name));
  }
  return a;
}

/// Root of an energy spectrum E(k) spread over shells. dns: E = k^-5/3 exp(-5.2 k eta) with k_max eta = 1.5.
double amplitude(const std::string& data, double k, double k_max) {
  if (k == 0) return 0;
  return std::pow(k, -11. / 6) * (data == "dns" ? std::exp(-5.2 * 1.5 / 2 * k / k_max) : 1);
}

double field_value(const std::string& data, const Coord& at, const Shape& shape) {
  const auto angle = [&](int a) {
    return 2 * std::numbers::pi * static_cast<double>(at[a]) / static_cast<double>(shape[a]);
  };
  if (data == "smooth") return std::exp(std::sin(angle(0))) / (1.5 + std::cos(angle(1))) * std::exp(std::cos(angle(2)));
  if (data == "shock") return (angle(0) < 2.5 ? 1 : -0.5) + (angle(1) < 1.5 ? 0.3 : 0) + (angle(2) < 4 ? 0.2 : -0.1);
  if (data == "cosine") return std::cos(3 * angle(0) + 5 * angle(1) + 2 * angle(2));
  fail(fmt::format("data are uniform, white, inertial, dns, smooth, shock or cosine; got '{}'", data));
}

/// The field, in f64, in the layouts that the plan has.
class Field {
 public:
  Field(const Comm& comm, const Asked& a, const Layout& layout) : comm_(comm), a_(a), complex_(a.problem.kind == c2c) {
    Problem p = a.problem;
    p.precision = f64;
    Plan plan(comm, p, {.input = layout.spec(), .output = any, .threads = 1});
    Array x = plan.make_input();
    fill(plan, x);
    values.assign(x.as<double>().begin(), x.as<double>().end());
  }
  std::vector<double> values{};

 private:
  void fill(Plan& plan, Array& x) {
    fill_with_noise(plan.input(), comm_.rank(), f64, complex_, x, 1);
    if (a_.data == "white") return;
    if (a_.data == "uniform") {
      for (double& v : x.as<double>()) v = (v + 1) / 2;
    } else if (a_.data == "inertial" || a_.data == "dns") {
      shape_spectrum(plan, x);
    } else {
      for_each_element(plan.input(), comm_.rank(), [&](const Coord& at, std::size_t i) {
        const double v = field_value(a_.data, at, a_.problem.shape);
        if (complex_)
          x.as<std::complex<double>>()[i] = {v, 0.5 * v};
        else
          x.as<double>()[i] = v;
      });
    }
  }

  void shape_spectrum(Plan& plan, Array& x) {
    Array modes = plan.make_output();
    plan.forward(x, modes);
    const Shape& n = a_.problem.shape;
    for_each_element(plan.output(), comm_.rank(), [&](const Coord& at, std::size_t i) {
      double k2 = 0;
      for (int axis = 0; axis < n.dims(); ++axis) k2 += std::pow(static_cast<double>(frequency(at[axis], n[axis])), 2);
      modes.as<std::complex<double>>()[i] *= amplitude(a_.data, std::sqrt(k2), static_cast<double>(n[0]) / 2);
    });
    plan.backward(modes, x);
  }

  const Comm& comm_;
  const Asked& a_;
  bool complex_;
};

struct Difference {
  double error2 = 0, norm2 = 0, largest2 = 0;
};

template <class T>
Difference difference(const Comm& comm, std::span<const T> got, const std::vector<double>& wanted, bool complex) {
  Difference mine;
  const std::size_t per = complex ? 2 : 1;
  for (std::size_t i = 0; i < wanted.size(); i += per) {
    double off2 = 0;
    for (std::size_t k = i; k < i + per; ++k) {
      off2 += std::pow(static_cast<double>(got[k]) - wanted[k], 2);
      mine.norm2 += wanted[k] * wanted[k];
    }
    mine.error2 += off2;
    mine.largest2 = std::max(mine.largest2, off2);
  }
  return {all_sum(comm, mine.error2), all_sum(comm, mine.norm2), all_max(comm, mine.largest2)};
}

template <class T>
void study(const Comm& comm, const Asked& a) {
  Plan plan(comm, a.problem, a.options);
  Problem exact_problem = a.problem;
  exact_problem.precision = f64;
  Plan exact(comm, exact_problem, {.input = plan.input().spec(), .output = plan.output().spec(), .threads = 1});
  const Field field(comm, a, plan.input());
  Array in = plan.make_input(), out = plan.make_output(), exact_in = exact.make_input(),
        exact_out = exact.make_output();
  std::copy(field.values.begin(), field.values.end(), exact_in.as<double>().begin());
  for (std::size_t i = 0; i < field.values.size(); ++i) in.as<T>()[i] = static_cast<T>(field.values[i]);
  exact.forward(exact_in, exact_out);
  plan.forward(in, out);
  const Loss loss = plan.loss();
  const auto wanted = exact_out.as<double>();
  const Difference d = difference<T>(comm, std::as_const(out).as<T>(), {wanted.begin(), wanted.end()}, true);
  plan.backward(out, in);
  const Loss back = plan.loss();
  const Difference round = difference<T>(comm, std::as_const(in).as<T>(), field.values, a.problem.kind == c2c);
  const double elements = all_sum(comm, static_cast<double>(wanted.size() / 2));
  if (comm.rank() == 0)
    fmt::print(
        "{{\"data\": \"{}\", \"n\": {}, \"kind\": \"{}\", \"precision\": \"{}\", \"ranks\": {}, \"codec\": \"{}\", "
        "\"tolerance\": {:g}, \"guarantee\": \"{}\", \"error\": {:.6e}, \"largest\": {:.6e}, "
        "\"bound\": {:.6e}, \"encoded\": {:.6e}, \"bits\": {:.4f}, \"ratio\": {:.4f}, \"bytes_before\": {:.0f}, "
        "\"bytes_after\": {:.0f}, \"ratio_backward\": {:.4f}, "
        "\"round_trip\": {:.6e}, \"round_trip_largest\": {:.6e}, \"finite\": {}}}\n",
        a.data, a.problem.shape[0], to_string(a.problem.kind), to_string(a.problem.precision), a.ranks,
        a.options.expert.codec, a.options.tolerance, a.options.guarantee, std::sqrt(d.error2 / d.norm2),
        std::sqrt(d.largest2 / (d.norm2 / elements)), loss.bound, loss.encoded, loss.bits,
        loss.bytes_after > 0 ? loss.bytes_before / loss.bytes_after : 1, loss.bytes_before, loss.bytes_after,
        back.bytes_after > 0 ? back.bytes_before / back.bytes_after : 1, std::sqrt(round.error2 / round.norm2),
        std::sqrt(round.largest2), std::isfinite(d.error2));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Asked asked = parse(argc, argv);
    on_ranks(asked.ranks, [&](Comm comm) {
      asked.problem.precision == f32 ? study<float>(comm, asked) : study<double>(comm, asked);
    });
  } catch (const std::exception& e) { fail(e.what()); }
}
