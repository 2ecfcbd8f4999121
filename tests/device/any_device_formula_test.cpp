// Steps of formulas on every device that is here, and by the host, against arithmetic.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "device/on_device.hpp"
#include "support/formula/run_formula.hpp"

namespace shardfft::testing {
namespace {

using enum FormulaOperation;

class FormulasOn : public ::testing::TestWithParam<std::string> {};

/// z = sqrt(x x + k k) / (x or 3) - 0.5 y, with k along the middle axis and y every second number of an array.
RunFormula example(Scalar scalar, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  RunFormula run{.scalar = scalar, .extent = {a, b, c, 1, 1, 1, 1, 1}};
  for (const FormulaStep step : {FormulaStep{read, 0, 0}, FormulaStep{read, 1, 1}, FormulaStep{multiply, 1, 1, 1},
                                 FormulaStep{multiply, 2, 0, 0}, FormulaStep{add, 1, 2, 1}, FormulaStep{root, 1, 1, 1},
                                 FormulaStep{number, 2, 0}, FormulaStep{replace, 0, 0, 2}, FormulaStep{divide, 0, 1, 0},
                                 FormulaStep{number, 1, 1}, FormulaStep{read, 2, 2}, FormulaStep{multiply, 1, 1, 2},
                                 FormulaStep{subtract, 0, 0, 1}, FormulaStep{write, 3, 0}, FormulaStep{largest, 0, 0}})
    run.step[run.steps++] = step;
  run.number[0] = 3, run.number[1] = 0.5;
  run.arrays = 4;
  run.array[1].axis = 1;
  run.array[2].step = 2;
  return run;
}

template <class T>
void check_example(const std::shared_ptr<Device>& device, const Shape& n) {
  const auto count = static_cast<std::size_t>(product(n));
  std::mt19937_64 random(count);
  const auto numbers = [&](std::size_t size) {
    std::vector<T> all(size);
    for (T& x : all) x = random() % 7 == 0 ? T{0} : static_cast<T>(std::uniform_real_distribution<>(-2, 2)(random));
    return all;
  };
  const auto x = numbers(count), k = numbers(static_cast<std::size_t>(n[1])), y = numbers(2 * count);
  std::vector<T> expected(count);
  T most = -std::numeric_limits<T>::infinity();
  for (std::size_t e = 0; e < count; ++e) {
    const T along = k[e / static_cast<std::size_t>(n[2]) % static_cast<std::size_t>(n[1])];
    expected[e] = std::sqrt(x[e] * x[e] + along * along) / (x[e] == 0 ? T{3} : x[e]) - static_cast<T>(0.5) * y[2 * e];
    most = std::max(most, expected[e]);
  }
  const std::unique_ptr<Queue> queue = device->make_queue();
  const std::vector<T> nothing(count);
  const DeviceMemory memory[] = {on_device(device, *queue, x), on_device(device, *queue, k),
                                 on_device(device, *queue, y), on_device(device, *queue, nothing)};
  RunFormula run = example(sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, static_cast<std::uint32_t>(n[0]),
                           static_cast<std::uint32_t>(n[1]), static_cast<std::uint32_t>(n[2]));
  for (int a = 0; a < 4; ++a) run.array[a].data = memory[a].data();
  const DeviceMemory largest(device, static_cast<std::size_t>(formula_blocks(run)) * sizeof(double), "of blocks",
                             MemoryKind::pinned);
  run.largest = reinterpret_cast<double*>(largest.data());
  const auto check = [&](const std::vector<T>& found, const double* of_blocks) {
    EXPECT_EQ(found, expected) << to_string(n);
    EXPECT_EQ(*std::max_element(of_blocks, of_blocks + formula_blocks(run)), static_cast<double>(most));
  };
  queue->run(run);
  check(on_host<T>(*queue, memory[3]), run.largest);
  std::vector<T> here[] = {x, k, y, nothing};
  for (int a = 0; a < 4; ++a) run.array[a].data = reinterpret_cast<std::byte*>(here[a].data());
  std::vector<double> of_blocks(static_cast<std::size_t>(formula_blocks(run)));
  run.largest = of_blocks.data();
  run_formula_on_host(run, 2);
  check(here[3], run.largest);
}

TEST_P(FormulasOn, GiveTheBitsOfTheArithmetic) {
  const auto device = find_device(GetParam(), 0);
  for (const Shape& n : {Shape{1, 1, 1}, Shape{1, 1, 511}, Shape{3, 5, 7}, Shape{2, 9, 64}, Shape{40, 11, 13}}) {
    check_example<double>(device, n);
    check_example<float>(device, n);
  }
}

// y[a, .., c] = (x <= t[c] ? x : 0) + t[c] in f64, where x and y are f32 with gaps, along eight axes.
TEST_P(FormulasOn, ReadNarrowArraysWithGapsAlongAllAxes) {
  const auto device = find_device(GetParam(), 0);
  const std::unique_ptr<Queue> queue = device->make_queue();
  for (const auto& n : {std::array<std::uint32_t, 8>{2, 3, 1, 2, 2, 3, 2, 5},
                        {1, 1, 1, 1, 1, 6, 7, 8},
                        {1, 1, 1, 1, 1, 1, 1, 3},
                        {300, 1, 1, 1, 1, 1, 1, 2}}) {
    RunFormula run{.steps = 6, .arrays = 3};
    std::copy(n.begin(), n.end(), run.extent);
    Index gaps = 1;
    for (int a = RunFormula::axes; a-- > 0; gaps = gaps * n[static_cast<std::size_t>(a)] + 1) run.strides[a] = gaps;
    const FormulaStep steps[] = {{read, 0, 0},        {read, 1, 1},   {at_most, 2, 0, 1},
                                 {multiply, 0, 0, 2}, {add, 0, 0, 1}, {write, 2, 0}};
    std::copy(std::begin(steps), std::end(steps), run.step);
    run.array[0] = {.axis = FormulaOperand::strided, .narrow = true};
    run.array[1] = {.axis = 7};
    run.array[2] = {.step = 2, .axis = FormulaOperand::strided, .narrow = true};
    const auto size = static_cast<std::size_t>(run.last_of(run.array[0]) + 1);
    std::mt19937_64 random(size);
    std::vector<float> x(size), nothing(2 * size), expected(2 * size);
    for (float& v : x) v = std::uniform_real_distribution<float>(-1, 1)(random);
    std::vector<double> t(n[7]);
    for (double& v : t) v = std::uniform_real_distribution<>(-1, 1)(random);
    for (Index e = 0; e < run.elements(); ++e) {
      Index at = 0, rest = e;
      for (int a = RunFormula::axes; a-- > 0; rest /= n[static_cast<std::size_t>(a)])
        at += rest % n[static_cast<std::size_t>(a)] * run.strides[a];
      const double value = x[static_cast<std::size_t>(at)], along = t[static_cast<std::size_t>(e % n[7])];
      expected[static_cast<std::size_t>(2 * at)] = static_cast<float>((value <= along ? value : 0.0 * value) + along);
    }
    const DeviceMemory there[] = {on_device(device, *queue, x), on_device(device, *queue, nothing)};
    const DeviceMemory table = on_device(device, *queue, t);
    run.array[0].data = there[0].data(), run.array[1].data = table.data(), run.array[2].data = there[1].data();
    queue->run(run);
    EXPECT_EQ(on_host<float>(*queue, there[1]), expected);
    std::vector<float> here = nothing;
    run.array[0].data = reinterpret_cast<std::byte*>(x.data()),
    run.array[1].data = reinterpret_cast<std::byte*>(t.data());
    run.array[2].data = reinterpret_cast<std::byte*>(here.data());
    run_formula_here(run);
    EXPECT_EQ(here, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Here, FormulasOn, ::testing::ValuesIn(device_names()), as_word);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FormulasOn);

}  // namespace
}  // namespace shardfft::testing
