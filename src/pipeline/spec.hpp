// What a pipeline is made from; plain data.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "codec/codec.hpp"
#include "grid/chirped_axis.hpp"
#include "grid/patch.hpp"
#include "grid/swept_side.hpp"
#include "pipeline/place.hpp"
#include "pipeline/route/stages.hpp"
#include "shardfft/approximate.hpp"
#include "support/storage_format.hpp"
#include "support/tuning.hpp"

namespace shardfft {

/// One side of a transform: the caller's array on this rank.
struct CallerArray {
  Layout layout{};
  std::vector<Patch> patches{};  ///< of this rank's boxes
  bool complex = true;
  Coord owners{};  ///< by which boxes of patches are ordered along a cyclic axis (grid/cyclic_axis.hpp); else 1
  /// A rank's elements at their default placements.
  [[nodiscard]] std::vector<Patch> default_patches(int rank, Base base, Scalar scalar) const;
  /// The elements as parts of the swept array. `reads`: the swept array is filled from them.
  [[nodiscard]] CallerArray seen_by(const SweptSide& side, bool reads) const;

  /// Behind the last element of an axis that is seen in rows (grid/chirped_axis.hpp): memory of zeros for what fills
  /// the last row. `scalar` tells the size of an element.
  [[nodiscard]] CallerArray with_whole_rows(Scalar scalar) const;

  struct Whole {  ///< what it was before it was seen as another one
    Layout layout{};
    Coord owners{};
    SweptSide side{};
    bool reads = false;
  };
  std::optional<Whole> whole{};
  std::shared_ptr<std::byte[]> rest_of_row{};
  [[nodiscard]] std::optional<AxisSplit> split() const { return whole ? whole->side.split : std::nullopt; }
  /// Some of its elements stand for two, and for conjugates of what is computed: it holds no intermediate results.
  [[nodiscard]] bool hermitian() const { return split() && whole->side.digits == Digits::hermitian; }
  [[nodiscard]] Index element_bytes(Scalar scalar) const {
    return static_cast<Index>(size_of(scalar)) * (complex ? 2 : 1);
  }
};

/// Approximate mode: what may be lost, and how exchanges are encoded; the same on all ranks.
struct Encoding {
  const Codec* codec = nullptr;  ///< nullptr: exchanges are not encoded
  /// Whether messages from one rank to the other, and back, are encoded; the same on all ranks.
  std::function<bool(int, int)> encodes{};
  Guarantee guarantee = Guarantee::certified;
  /// L2 error that the codecs may cause in one run, relative to the norm of the result; what arithmetic may lose is
  /// taken off. 0 with `forced`: whatever they cause.
  double tolerance = 0;
  /// The same, where errors are not of random sign: less where the largest error counts.
  double undithered_tolerance = 0;
  bool absolute = false;  ///< the tolerance is a norm itself, of the result
  /// It stands for a largest error: with dither no part of the array may lose more than its share.
  bool of_elements = false;
  bool forced = false;  ///< the codec was named without a tolerance
  /// With `forced`: of the codec, where one was named.
  double parameter = std::numeric_limits<double>::quiet_NaN();
  /// What a number is expected to take of a message's payload: exchanges that would become longer are not encoded;
  /// none: all are, whatever they take.
  std::optional<double> bits{};
  bool within_nodes = false;  ///< messages within a node are encoded, too
  /// For arrays of the host that go through a device: the storage format between two sweeps. It replaces a codec.
  std::optional<StorageFormat> storage{};
  std::string why{};  ///< in words, where a tolerance was given

  /// Whether anything may be lost.
  [[nodiscard]] bool loses() const { return codec || storage; }
};

struct PipelineSpec {
  int me = 0;
  Scalar scalar = Scalar::f64;
  CallerArray from{}, to{};
  std::vector<Stage> stages{};
  Scaling scaling = Scaling::none;              ///< of this direction; each axis's share goes with its transform
  Scaling scaling_back = Scaling::none;         ///< of what follows an operator
  std::shared_ptr<const MiddleArray> middle{};  ///< with an operator: what it sees
  std::optional<ChirpedAxis> chirped{};  ///< the stages are its convolution, whose operator is the chirp's spectrum
  bool chirps_back = false;              ///< of exponent +1
  /// All choices. Here `non_temporal` is all or none: whether sweeps of this direction bypass the cache.
  Tuning tuning{{.chunks = 1}};
  /// In how many parts the array goes through two sweeps between which it stays on its rank, at either end of the run:
  /// the first part is sent while the next one is swept, and swept while the next one comes.
  int parts = 1;
  /// Whether the array lies in the caller's output between two sweeps, or in an input that may be destroyed, where it
  /// can; else in buffers.
  [[nodiscard]] bool between_in_output() const { return tuning.intermediate == Intermediate::output; }
  /// Whether elements between sweeps are complex.
  [[nodiscard]] bool complex_between() const {
    return stages.front().axes.empty() ? from.complex : stages.front().axes.back().complex_out();
  }
  bool in_place = false;
  bool destroy_input = false;
  /// On every rank, each element of the result lies where its input lay; of reals, each of their rows where its half
  /// spectrum lies.
  bool same_places = false;
  std::function<bool(int)> near{};  ///< ranks whose memory is stored to directly
  bool looks_only = false;          ///< a plan of ranks that do not exist: no tables, and no lists as long as the array
  bool pads = true;                 ///< their messages are padded against the cache conflicts of processors
  Encoding encoding{};
  std::shared_ptr<const Place> place = host_place();
};

}  // namespace shardfft
