// Random problems for approximate mode: those of random_problem.hpp with a tolerance, a guarantee, a codec, and data
// that are hard on codecs.
#pragma once

#include "codec/codec.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/random_problem.hpp"

namespace shardfft::testing {

/// What may be made of positions; "half steps" are odd multiples of a power of two's half.
inline constexpr const char* kinds_of_data[] = {"white",      "constant",   "cosine",   "spike",       "smooth",
                                                "turbulence", "60 decades", "denormal", "huge",        "half steps",
                                                "zeros",      "sparse",     "k^-11/6",  "one loud row"};

/// One of kinds_of_data, of numbers that f32 (`single`) or f64 can hold.
[[nodiscard]] Whole data_of(int kind, const Shape& shape, bool complex, std::uint64_t seed, bool single);

struct Approximation {
  Case c{};
  int data = 0;       ///< of kinds_of_data
  double factor = 1;  ///< of each run
};
[[nodiscard]] std::string to_string(const Approximation& a);

/// From `least` to `most` elements on 1 to `most_ranks` ranks; exchanges within the node are encoded.
[[nodiscard]] Approximation random_approximation(std::uint64_t seed, Index least, Index most, int most_ranks);

/// False where exact results overflow, or are so small that arithmetic itself loses digits.
[[nodiscard]] bool is_usual(const Whole& x, bool single);

/// SHARDFFT_TEST_SEED, or one that is always the same.
[[nodiscard]] std::uint64_t first_seed();

/// Runs a plan in one direction on this rank's parts; in place through memory of its own.
template <class T>
void run(Plan& plan, Direction direction, bool in_place, const LocalData<T>& in, const LocalData<T>& out,
         double factor = 1) {
  const bool forward = direction == Direction::forward;
  const auto once = [&](const View& from, const View& to) {
    forward ? plan.forward(from, to, factor) : plan.backward(from, to, factor);
  };
  if (!in_place) return once(in.view(), out.view());
  std::vector<T> memory(std::max(plan.input_bytes(), plan.output_bytes()) / sizeof(T));
  const View both(memory.data(), memory.size() * sizeof(T));
  if (in.view().bytes > 0) std::memcpy(memory.data(), in.view().data, in.view().bytes);
  once(both, both);
  if (out.view().bytes > 0) std::memcpy(const_cast<void*>(out.view().data), memory.data(), out.view().bytes);
}

/// Runs a plan whose arrays are on a device.
template <class T>
void run_on_device(Plan& plan, Direction direction, bool in_place, const LocalData<T>& in, const LocalData<T>& out,
                   double factor = 1) {
  const bool forward = direction == Direction::forward;
  Array from = forward || in_place ? plan.make_input() : plan.make_output(), other = in_place  ? Array(0)
                                                                                     : forward ? plan.make_output()
                                                                                               : plan.make_input();
  const View to = in_place ? View(from) : View(other);
  plan.copy(in.view(), from);
  forward ? plan.forward(from, to, factor) : plan.backward(from, to, factor);
  plan.copy(to, out.view());
}

}  // namespace shardfft::testing
