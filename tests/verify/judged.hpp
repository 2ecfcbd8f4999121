// A transform to be verified, and the verdict on what is said to be its result.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "oracle.hpp"

namespace shardfft::testing {

struct Verified {
  TransformSpec spec{};
  bool complex_in = true;
  Precision precision = f64;
};

inline std::ostream& operator<<(std::ostream& to, const Verified& c) {
  to << to_string(c.spec.shape) << (c.spec.real ? (c.complex_in ? " c2r" : " r2c") : " c2c") << " sign " << c.spec.sign
     << " axes";
  for (const int a : c.spec.axes) to << " " << a;
  return to << (c.precision == f32 ? " f32" : " f64");
}

inline Shape input_shape(const Verified& c) {
  return c.spec.real && c.complex_in ? half_spectrum(c.spec.shape, c.spec.axes.back()) : c.spec.shape;
}

inline double unit(Precision p) { return p == f32 ? 0x1p-24 : 0x1p-53; }

/// Verdict on `out`, both arrays scattered at random over `ranks` ranks, the same on all of them.
inline Verdict judged(const Verified& c, const Global& in, const Global& out, int ranks, std::uint64_t seed,
                      int probes = 8) {
  std::mt19937_64 random(seed);
  const auto in_boxes = random_boxes(in.shape, ranks, 5, random), out_boxes = random_boxes(out.shape, ranks, 5, random);
  std::vector<Verdict> verdicts(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](const Comm& comm) {
    const auto me = static_cast<std::size_t>(comm.rank());
    std::mt19937_64 mine(seed + me);
    const LocalPart x = local_part(in, in_boxes[me], c.precision, mine),
                    y = local_part(out, out_boxes[me], c.precision, mine);
    verdicts[me] = verify(comm, x.array, y.array, c.spec, probes, seed);
  });
  for (const Verdict& v : verdicts)
    EXPECT_TRUE(v.error_rel_l2 == verdicts[0].error_rel_l2 || std::isnan(v.error_rel_l2)) << "ranks disagree";
  return verdicts[0];
}

}  // namespace shardfft::testing
