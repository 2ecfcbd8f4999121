// Results of several files as one: the same case from several machines stands side by side.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg.hpp"
#include "results.hpp"

namespace shardfft::report {

struct Merged {
  std::vector<Results> files{};          ///< their cases have moved to `cases`
  std::vector<Case> cases{};             ///< each problem once, in the order of the files
  std::vector<std::string> libraries{};  ///< shardfft and its variants first, then by name

  /// The library chooses the colour, library and file the shape; calls other than the best are hollow.
  [[nodiscard]] Mark mark(const Entry& entry) const;
  /// "fftw_mpi", "fftw_mpi default" for a call that is not the best, " · FILE" behind it where the case comes from
  /// several files.
  [[nodiscard]] std::string label(const Case& c, const Entry& entry) const;
  [[nodiscard]] std::string file_label(const Case& c,
                                       const Entry& entry) const;  ///< FILE, or nothing where the case comes from one
};
/// Files are called by their names without folder and ending where these differ. Throws Error(invalid_argument) for a
/// file that is named twice, by whatever names or links.
[[nodiscard]] Merged merge(std::vector<Results> files);

/// shardfft and the fastest of the others in one case of one file, both with the same call: `peer->ratio` is that of
/// the two.
struct Comparison {
  const Case* question = nullptr;
  const Entry* ours = nullptr;           ///< its best call where that gave a right result
  const Entry* peer = nullptr;           ///< none where none gave a right result
  const Entry* peer_backward = nullptr;  ///< the fastest of the others backward
};
/// For each case and file, where shardfft gave a right result; once more where libraries on GPUs have shardfft on a
/// device to stand against.
[[nodiscard]] std::vector<Comparison> comparisons(const Merged& merged);

/// One problem or one share of work on growing numbers of ranks or threads.
struct Growth {
  std::string title{};  ///< "512³ c2c f64 natural, 1 thread per rank"
  std::string unit{};   ///< "ranks", "threads"
  struct Point {
    std::int64_t size;  ///< ranks or threads
    const Case* question;
  };
  std::vector<Point> points{};
};
/// One problem on more ranks, or on more threads of the same ranks.
[[nodiscard]] std::vector<Growth> strong_scaling(const Merged& merged);
/// One number of elements per rank, within 5 %, on more ranks.
[[nodiscard]] std::vector<Growth> weak_scaling(const Merged& merged);

}  // namespace shardfft::report
