// Two arrays of one shape whose spectra meet, tile by tile.
#pragma once

#include <memory>

#include "passes/scratch.hpp"
#include "passes/tile_operator.hpp"
#include "shardfft/files.hpp"

namespace shardfft::files {

/// Gets a box of both spectra, in C order, of plan_dtype(); may change the first one.
using VisitTwo = std::function<void(const Box& box, std::byte* first, const std::byte* second)>;

/// Operators of an array and a second one, which is transformed once. The passes before the operator are made of both
/// arrays; the pass with the operator reads a tile of each.
class TwoPasses {
 public:
  /// Collective. `in` is like the arrays that run() gets. Throws as Passes does.
  TwoPasses(const Comm& comm, const File& in, const File& second, const Problem& problem, const Options& options,
            const OutOfCore& how);
  ~TwoPasses();
  /// Collective: a file for results that another run reads.
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const;
  /// Collective. out = backward(f(forward(in), forward(second))), not committed.
  void run(const File& in, const File& out, const TwoSpectra& f);
  [[nodiscard]] const PassesReport& report() const;
  /// This rank's tiles of the result.
  void for_each_result(const Comm& comm, const std::function<void(const Box&)>& work) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Collective. Hands both spectra to `visit`, tile by tile; they are not written.
PassesReport reduce_two(const Comm& comm, const File& a, const File& b, const Problem& problem, const VisitTwo& visit,
                        const Options& options, const OutOfCore& how);

/// Collective. Bytes that each rank may take. Throws Error(mismatch) on all ranks if they ask for others.
[[nodiscard]] Index memory_of(const Comm& comm, const OutOfCore& how);
/// Bytes of one read or write in so much memory.
[[nodiscard]] Index piece_bytes_in(Index bytes);

}  // namespace shardfft::files
