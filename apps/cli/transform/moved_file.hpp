// Layouts whose boxes lie in the file element by element, as cyclic ones do: files are read and written in slabs, and
// the ranks exchange what they have.
#pragma once

#include <cstddef>
#include <string>

#include "options/plan_options.hpp"
#include "output/progress.hpp"
#include "shardfft/files.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/view.hpp"

namespace shardfft::cli {

/// Whether a file of `shape`, its axes in the order of `spec`, is better read and written in slabs and moved: where
/// ranks would have thousands of stretches of less than a few KB. The same on all ranks.
[[nodiscard]] bool is_moved(const LayoutSpec& spec, const Shape& shape, Index element_bytes, const Comm& comm,
                            const Options& options);

/// One side of a transform whose array lies as `spec` says, one local array on each rank. Takes a second array of the
/// same size while it works, for reals of twice the size. Collective.
class MovedFile {
 public:
  MovedFile(const Comm& comm, LayoutSpec spec, const Shape& shape, Precision precision, bool complex,
            const Options& options);

  void read(const files::File& input, View array, Progress& progress) const;
  void write(const files::File& file, View array, Progress& progress) const;

 private:
  [[nodiscard]] Plan mover(bool reads) const;

  Comm comm_;
  LayoutSpec spec_;
  Layout slabs_;  ///< of the file
  Precision precision_;
  bool complex_;
  int threads_;
  std::string transport_;
};

}  // namespace shardfft::cli
