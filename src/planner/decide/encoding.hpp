// Approximate mode: which codec, and what it may lose.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "codec/codec.hpp"
#include "planner/decide/problem.hpp"
#include "planner/model/machine.hpp"
#include "shardfft/approximate.hpp"
#include "shardfft/comm.hpp"
#include "support/storage_format.hpp"

namespace shardfft {

/// Plain data, the same on all ranks.
struct ChosenEncoding {
  const Codec* codec = nullptr;  ///< nullptr: exchanges are not encoded
  Guarantee guarantee = Guarantee::certified;
  double tolerance = 0;  ///< L2, for the codecs alone: what arithmetic may lose is taken off
  double undithered_tolerance =
      0;                     ///< the same, where errors are not of random sign; less where the largest error counts
  bool absolute = false;     ///< it is a norm, not relative to one
  bool of_elements = false;  ///< it stands for a largest error, which no part of the array may exceed: what is sent
                             ///< loses no more for what stays
  bool forced = false;       ///< the codec was named without a tolerance
  double parameter = std::numeric_limits<double>::quiet_NaN();  ///< with forced: of the codec, where it was named
  std::optional<double> bits{};  ///< that a number is expected to take of what is sent, beside indexes; none where
                                 ///< exchanges are encoded whatever they take: as named, or for a study
  bool near = false;             ///< within nodes, too
  std::optional<StorageFormat> storage{};  ///< of arrays of the host that go through a device, instead of a codec: the
                                           ///< format of what two sweeps hand on
  std::string why{};                       ///< in words, where a tolerance was given
};

/// Whether anything may be lost.
[[nodiscard]] inline bool has_tolerance(const Options& o) {
  return o.tolerance > 0 || o.tolerance_absolute > 0 || o.tolerance_linf > 0;
}

/// `arithmetic`: bound of the relative error of exact mode. Throws Error(invalid_argument) for names that make no
/// sense, Error(unsupported) for tolerances that arithmetic alone cannot keep.
[[nodiscard]] ChosenEncoding choose_encoding(const Options& options, const CheckedProblem& problem,
                                             const Machine& machine, const Comm& comm, double arithmetic);

/// For arrays of the host that go through a device, of which `between` pairs of sweeps hand something on through memory
/// of the host: the shortest format that keeps the tolerance, or the one that was named. Throws Error(invalid_argument,
/// unsupported) as choose_encoding, and Error(unsupported) for codecs that are no such format.
[[nodiscard]] ChosenEncoding choose_storage(const Options& options, const CheckedProblem& problem, int between,
                                            double arithmetic);
/// Throws Error(unsupported) when devices do not have the codec.
void check_codec_of_device(const ChosenEncoding& encoding);

/// About how many bits a real number of data without structure takes between nodes, as the planner reckons when it
/// chooses; nothing where that depends on the data, or nothing is encoded.
[[nodiscard]] std::optional<double> usual_bits(const ChosenEncoding& encoding, Scalar scalar);

/// "block_float, certified" or "none (one node)": for people and for wisdom.
[[nodiscard]] std::string to_string(const ChosenEncoding& encoding);

}  // namespace shardfft
