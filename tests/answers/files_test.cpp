// Answers about arrays that lie outside memory, in passes and in tiles, against their definitions.
#include <algorithm>
#include <atomic>
#include <complex>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "answers/sums.hpp"
#include "plan/calls/expect_error.hpp"
#include "shardfft/answers/convolution.hpp"
#include "shardfft/answers/registration.hpp"
#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

template <class T>
constexpr bool is_complex = !std::is_floating_point_v<T>;
template <class T>
constexpr Precision precision_of = sizeof(T) == (is_complex<T> ? 8 : 4) ? f32 : f64;

/// An array of the test, as if it were a file.
template <class T>
struct Lent final : files::ArrayOutside {
  explicit Lent(Filled<T>& known) : array(known) {}

  [[nodiscard]] std::string name() const override { return "an array of the test"; }
  [[nodiscard]] files::ArrayInfo info() const override {
    return {array.shape, files::plan_dtype(precision_of<T>, is_complex<T>), {}};
  }
  void read(const Box& box, std::byte* to) override {
    const Alone alone(readers);
    for_each_position(box, {}, [&](const Coord& at) {
      std::memcpy(to, &array.at(at), sizeof(T));
      to += sizeof(T);
    });
  }
  void write(const Box& box, const std::byte* from) override {
    const Alone alone(writers);
    for_each_position(box, {}, [&](const Coord& at) {
      std::memcpy(&array.at(at), from, sizeof(T));
      from += sizeof(T);
    });
  }

  struct Alone {
    explicit Alone(std::atomic<int>& calls) : count(calls) {
      if (++count > 1) throw std::runtime_error("two threads at once");
    }
    ~Alone() { --count; }
    std::atomic<int>& count;
  };
  Filled<T>& array;
  std::atomic<int> readers{0}, writers{0};
};

template <class T>
files::File lent(const Comm& comm, Filled<T>& array) {
  return {comm, std::make_shared<Lent<T>>(array)};
}

/// So much memory as the array takes; buffers leave less, so a run has several tiles.
template <class T>
files::OutOfCore in_passes(const Filled<T>& array) {
  return {.memory_bytes = std::ssize(array.values) * static_cast<Index>(sizeof(T))};
}

/// Odd extents, so large that a run in little memory has several passes.
Shape random_shape(std::mt19937& random) {
  Shape shape{1, 1, 1};
  for (int a = 0; a < 3; ++a) shape[a] = std::uniform_int_distribution<Index>(27, 31)(random) * 2 + 1;
  return shape;
}

template <class T>
void expect_convolved(std::mt19937& random, ConvolutionMode mode, int most_ranks) {
  Filled<T> x(random_shape(random), static_cast<unsigned>(random())), k({3, 5, 2}, static_cast<unsigned>(random()));
  const Convolution what{
      .array = x.shape, .kernel = k.shape, .mode = mode, .precision = precision_of<T>, .complex = is_complex<T>};
  Filled<T> wanted = direct(what, x, k);
  std::vector<T> of_first;
  for (const int ranks : {1, most_ranks}) {
    Filled<T> result(what.result(), 1);
    on_ranks(ranks, [&](const Comm& comm) {
      files::convolve(comm, lent(comm, x), lent(comm, k), lent(comm, result), what, {.threads = 1}, in_passes(x));
    });
    EXPECT_LT(farthest(result, wanted), precision_of<T> == f32 ? 2e-5 : 1e-13) << to_string(x.shape);
    if (ranks == 1) of_first = result.values;
    EXPECT_EQ(result.values, of_first) << to_string(x.shape) << " on " << ranks << " ranks";
  }
}

TEST(ConvolvedFiles, AreSumsOfProductsWithTheSameBitsOnAnyRanks) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  expect_convolved<double>(random, ConvolutionMode::same, 2);
  expect_convolved<float>(random, ConvolutionMode::full, 3);
  expect_convolved<std::complex<float>>(random, ConvolutionMode::circular, 2);
}

TEST(ConvolvedFiles, GoOverTilesOfWhichOneThreadAtATimeReadsAndWrites) {
  Filled<double> x({37, 41, 301}, 3), k({3, 2, 5}, 5);
  const Convolution what{.array = x.shape, .kernel = k.shape};
  Filled<double> wanted = direct(what, x, k);
  for (const int ranks : {1, 2, 3}) {
    Filled<double> result(what.result(), 1);
    on_ranks(ranks, [&](const Comm& comm) {
      files::convolve_tiles(comm, lent(comm, x), lent(comm, k), lent(comm, result), what, {.threads = 3});
    });
    EXPECT_LT(farthest(result, wanted), 1e-13) << ranks << " ranks";
  }
}

/// Wiener's filter by its equation: what it gives, blurred, blurred back and made smooth, is what was given, blurred
/// back.
template <class T>
void expect_wiener(std::mt19937& random, double balance, int ranks) {
  Filled<T> x(random_shape(random), static_cast<unsigned>(random())), psf({3, 2, 3}, static_cast<unsigned>(random()));
  Filled<T> second({3, 3, 3}, 0);  // differences
  for (T& v : second.values) v = 0;
  for (int a = 0; a < 3; ++a)
    for (const Index side : {0, 2}) {
      Coord at{1, 1, 1};
      at[a] = side;
      second.at(at) = 1;
    }
  second.at({1, 1, 1}) = -6;
  for (T& v : psf.values) v = T(0.02) * v;
  psf.at({1, 1, 1}) = 1;  // so that no mode is lost
  Filled<T> wanted = blurred(x, psf, 1, true);
  Filled<T> y(x.shape, 1);
  on_ranks(ranks, [&](const Comm& comm) {
    files::deconvolve(comm, lent(comm, x), lent(comm, psf), lent(comm, y), precision_of<T>, {.balance = balance},
                      {.threads = 1}, in_passes(x));
  });
  Filled<T> once = blurred(y, psf, -1, true), left = blurred(once, psf, 1, true);
  Filled<T> rough = blurred(y, second, 1, true), rougher = blurred(rough, second, 1, true);
  for (std::size_t i = 0; i < left.values.size(); ++i) left.values[i] += static_cast<T>(balance) * rougher.values[i];
  EXPECT_LT(farthest(left, wanted), precision_of<T> == f32 ? 1e-4 : 1e-12)
      << to_string(x.shape) << " on " << ranks << " ranks";
}

TEST(DeconvolvedFiles, SolveWienersEquation) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  expect_wiener<double>(random, 0.01, 3);
  expect_wiener<float>(random, 0.1, 1);
}

template <class T>
void expect_iterated(std::mt19937& random, int iterations, int ranks) {
  Filled<T> x(random_shape(random), static_cast<unsigned>(random())), psf({2, 3, 3}, static_cast<unsigned>(random()));
  for (T& v : x.values) v = std::abs(v);
  for (T& v : psf.values) v = std::abs(v);
  Filled<T> wanted(x.shape, 0), result(x.shape, 1);
  std::ranges::fill(wanted.values, T(0.5));
  for (int i = 0; i < iterations; ++i) {
    Filled<T> ratio = blurred(wanted, psf, -1, false);
    for (std::size_t e = 0; e < ratio.values.size(); ++e) ratio.values[e] = x.values[e] / (ratio.values[e] + T(1e-12));
    const Filled<T> changes = blurred(ratio, psf, 1, false);
    for (std::size_t e = 0; e < ratio.values.size(); ++e) wanted.values[e] *= changes.values[e];
  }
  on_ranks(ranks, [&](const Comm& comm) {
    files::deconvolve(comm, lent(comm, x), lent(comm, psf), lent(comm, result), precision_of<T>,
                      {.iterations = iterations}, {.threads = 1}, {.memory_bytes = Index{2} << 20});
  });
  EXPECT_LT(farthest(result, wanted), precision_of<T> == f32 ? 1e-3 : 1e-11) << to_string(x.shape);
}

TEST(DeconvolvedFiles, AreIteratedAsRichardsonAndLucyDo) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  expect_iterated<double>(random, 2, 2);
  expect_iterated<float>(random, 1, 1);
}

/// Products of `a` and of `b` moved by `shift`, with repeating ends.
template <class T>
std::complex<double> correlation_at(Filled<T>& a, Filled<T>& b, const Coord& shift) {
  std::complex<double> sum = 0;
  for_each_position(whole(a.shape), {}, [&](const Coord& at) {
    Coord from = at;
    for (int d = 0; d < at.dims(); ++d) from[d] = (at[d] - shift[d] + a.shape[d]) % a.shape[d];
    sum += std::complex<double>(a.at(at)) * std::conj(std::complex<double>(b.at(from)));
  });
  return sum;
}

template <class T>
void expect_registered(std::mt19937& random, int ranks) {
  Filled<T> a(random_shape(random), static_cast<unsigned>(random())), b(a.shape, 0), correlation(a.shape, 0);
  Coord by{1, 1, 1};
  for (int d = 0; d < 3; ++d) by[d] = std::uniform_int_distribution<Index>(0, a.shape[d] - 1)(random);
  for_each_position(whole(a.shape), {}, [&](const Coord& at) {
    Coord to = at;
    for (int d = 0; d < 3; ++d) to[d] = (at[d] - by[d] + a.shape[d]) % a.shape[d];
    b.at(to) = a.at(at);
  });
  const Problem problem{.shape = a.shape, .kind = is_complex<T> ? c2c : r2c, .precision = precision_of<T>};
  for (const bool phase : {true, false}) {
    Registration found;
    on_ranks(ranks, [&](const Comm& comm) {
      const files::File out = lent(comm, correlation);
      const Registration mine = files::register_shift(comm, lent(comm, a), lent(comm, b), &out, problem,
                                                      {.phase = phase}, {.threads = 1}, in_passes(a));
      if (comm.rank() == 0) found = mine;
    });
    for (int d = 0; d < 3; ++d) {
      const Index near = 2 * by[d] > a.shape[d] ? by[d] - a.shape[d] : by[d];
      EXPECT_EQ(found.shift[static_cast<std::size_t>(d)], static_cast<double>(near))
          << to_string(a.shape) << " on " << ranks << " ranks";
    }
    if (phase) {
      EXPECT_NEAR(found.peak, 1, 1e-4);
      continue;
    }
    const double scale = std::abs(correlation_at(a, b, by)), bound = precision_of<T> == f32 ? 1e-5 : 1e-12;
    EXPECT_NEAR(found.peak, scale, bound * scale);
    for (int i = 0; i < 4; ++i) {
      Coord at = by;
      for (int d = 0; d < 3; ++d) at[d] = std::uniform_int_distribution<Index>(0, a.shape[d] - 1)(random);
      EXPECT_LT(std::abs(std::complex<double>(correlation.at(at)) - correlation_at(a, b, at)), bound * scale)
          << to_string(at);
    }
  }
}

TEST(RegisteredFiles, HaveSumsOfProductsForEachShiftAndTheirPeak) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  expect_registered<double>(random, 1);
  expect_registered<float>(random, 2);
  expect_registered<std::complex<float>>(random, 3);
}

TEST(AnswersAboutFiles, SayWhatTheyTake) {
  const auto with = [](auto call) {
    return [call](const Comm& comm) {
      Filled<double> x({20, 12}, 1), k({3, 3}, 2), longer({21, 3}, 3), out({20, 12}, 4);
      Filled<std::complex<double>> z({3, 3}, 5);
      call(comm, lent(comm, x), lent(comm, k), lent(comm, longer), lent(comm, z), lent(comm, out));
    };
  };
  using files::File;
  const Convolution usual{.array = {20, 12}, .kernel = {3, 3}};
  expect_error(2, Status::invalid_argument, {"'an array of the test' has 3 x 3", "give it its extents"},
               with([=](const Comm& comm, const File& x, const File& k, const File&, const File&, const File& out) {
                 Convolution other = usual;
                 other.kernel = {3, 5};
                 files::convolve(comm, x, k, out, other);
               }));
  for (const auto call : {files::convolve, files::convolve_tiles})
    expect_error(2, Status::invalid_argument, {"of real arrays", "complex128"},
                 with([=](const Comm& comm, const File& x, const File&, const File&, const File& z, const File& out) {
                   call(comm, x, z, out, usual, {}, {});
                 }));
  expect_error(2, Status::out_of_memory, {"must hold some tiles", "go through the spectrum"},
               with([=](const Comm& comm, const File& x, const File& k, const File&, const File&, const File& out) {
                 files::convolve_tiles(comm, x, k, out, usual, {}, {.memory_bytes = 1000});
               }));
  expect_error(2, Status::invalid_argument, {"no longer than the array"},
               with([=](const Comm& comm, const File& x, const File&, const File& l, const File&, const File& out) {
                 files::deconvolve(comm, x, l, out, f64, {});
               }));
  expect_error(2, Status::invalid_argument, {"deconvolve() is of real arrays"},
               with([=](const Comm& comm, const File& x, const File&, const File&, const File& z, const File& out) {
                 files::deconvolve(comm, x, z, out, f64, {});
               }));
  expect_error(2, Status::invalid_argument, {"from 1 to 1000; got 0"},
               with([=](const Comm& comm, const File& x, const File&, const File&, const File&, const File& out) {
                 (void)files::register_shift(comm, x, x, &out, {.shape = {20, 12}, .kind = r2c}, {.upsample = 0});
               }));
  expect_error(2, Status::invalid_argument, {"the problem is of an array of 20 x 12"},
               with([=](const Comm& comm, const File& x, const File& k, const File&, const File&, const File&) {
                 (void)files::register_shift(comm, x, k, nullptr, {.shape = {20, 12}, .kind = r2c});
               }));
}

}  // namespace
}  // namespace shardfft::testing
