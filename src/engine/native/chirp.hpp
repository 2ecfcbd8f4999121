// What Bluestein's algorithm multiplies a long pencil with: the chirp, and the transform of its conjugate.
#pragma once

#include <memory>
#include <optional>

#include "engine/native/filter.hpp"

namespace shardfft::native {

/// Whether both are tables. Those of long pencils leave the caches, where reading them takes longer than putting them
/// together from short ones (four_step_routines.hpp, filter.hpp), and take longer to make than many transforms.
enum class ChirpForm { tables, products };
[[nodiscard]] ChirpForm chirp_form(Index n);

/// The least length of a convolution for a pencil of n elements.
[[nodiscard]] Index least_convolution_length(Index n, ChirpForm form);

/// The chirp from short tables.
template <class T>
struct ChirpProducts {
  ChirpProducts(Index n, const FourStepFactors& halves);
  Scalars<T> near, columns;
  LineFactors<T> far;
  ChirpFilter<T> filter;
};

template <class T>
class FourStepChirp {
 public:
  /// A chirp of length n for a convolution whose length `halves` factors. That length suits `form`; vectors have
  /// `lanes` lanes.
  FourStepChirp(Index n, const FourStepFactors& halves, Index lanes, ChirpForm form);

  /// exp(-i pi k^2 / n) for the `count` elements of a pencil that are there, or wanted.
  [[nodiscard]] Chirp<T> factors(Index count, Numbers numbers) const;
  /// The transform of exp(+i pi k^2 / n), -n < k < n, divided by the length of the halves.
  [[nodiscard]] Filter<T> filter() const;

  /// What LineFactors gives for 64 bytes of columns, of lines; null where there are tables. Both need `workspace`, for
  /// so many tiles of 64 bytes of columns.
  const T* far_of_columns(Index first, Index tiles, const FourStepRoutines<T>& routines, T* workspace) const;
  const T* far_of_lines(Index lines, const FourStepRoutines<T>& routines, T* workspace, bool there) const;
  [[nodiscard]] static Index workspace(Index n, const FourStepFactors& halves, ChirpForm form, Index tiles);
  void add_tables(TableBytes& found) const;

 private:
  FourStepFactors halves_;
  std::optional<Scalars<T>> factors_{}, spectrum_{};
  std::optional<ChirpProducts<T>> products_{};
};

/// Kernels of the same length that live at the same time share one. Where there are vectors.
template <class T>
[[nodiscard]] std::shared_ptr<const FourStepChirp<T>> shared_chirp(Index n, const FourStepFactors& halves, Index lanes,
                                                                   ChirpForm form);

}  // namespace shardfft::native
