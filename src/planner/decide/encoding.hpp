// Approximate mode: which codec, and what it may lose.
#pragma once

#include <optional>
#include <string>

#include "pipeline/spec.hpp"
#include "planner/model/machine.hpp"
#include "planner/problem/problem.hpp"
#include "shardfft/approximate.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/options.hpp"

namespace shardfft {

/// `arithmetic`: bound of the relative error of exact mode. Throws Error(invalid_argument) for names that make no
/// sense, Error(unsupported) for tolerances that arithmetic alone cannot keep.
[[nodiscard]] Encoding choose_encoding(const Options& options, const CheckedProblem& problem, const Machine& machine,
                                       const Comm& comm, double arithmetic);

/// For arrays of the host that go through a device, of which `between` pairs of sweeps hand something on through memory
/// of the host: the shortest format that keeps the tolerance, or the one that was named. Throws Error(invalid_argument,
/// unsupported) as choose_encoding, and Error(unsupported) for codecs that are no such format.
[[nodiscard]] Encoding choose_storage(const Options& options, const CheckedProblem& problem, int between,
                                      double arithmetic);
/// Throws Error(unsupported) when devices do not have the codec.
void check_codec_of_device(const Encoding& encoding);

/// About how many bits a real number of data without structure takes between nodes, as the planner reckons when it
/// chooses; nothing where that depends on the data, or nothing is encoded.
[[nodiscard]] std::optional<double> usual_bits(const Encoding& encoding, Scalar scalar);

/// "block_float, certified" or "none (one node)": for people and for wisdom.
[[nodiscard]] std::string to_string(const Encoding& encoding);

}  // namespace shardfft
