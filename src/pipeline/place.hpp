// The place that runs sweeps: the host or a device. A pipeline asks its place for everything that differs.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "exchange/encoder.hpp"
#include "exchange/message_ends.hpp"
#include "shardfft/plan.hpp"
#include "sweep/sweep.hpp"
#include "transport/transport.hpp"

namespace shardfft {

class Exchange;
struct CallerArray;
struct PipelineSpec;

/// How large an array of this rank is.
class ArrayNorm {
 public:
  virtual ~ArrayNorm() = default;
  /// Sum of squares, with weights, of what this rank has of `array`: Inf, NaN or useless where numbers are not of a
  /// usual size. The same bits on any number of threads. Allocates nothing.
  [[nodiscard]] virtual double norm2(const std::byte* array) = 0;
  [[nodiscard]] virtual Index bytes() const = 0;  ///< that one call reads
};

/// Encoded messages around one sweep.
class StepCodecs {
 public:
  virtual ~StepCodecs() = default;
  [[nodiscard]] virtual MessageReader* reader() = 0;          ///< of what it reads; nullptr: nothing is encoded
  [[nodiscard]] virtual MessageWriter* writer() = 0;          ///< of what it writes, likewise
  [[nodiscard]] virtual Encoder* norms() { return nullptr; }  ///< that looks at norms while the sweep runs
  /// The sweep reads and writes them beside its patches.
  virtual void join(SweepSpec& sweep) const = 0;
  /// Bytes at the start of a sweep's scratch, for patches of base `plane`.
  [[nodiscard]] virtual std::size_t plane_bytes() const { return 0; }
  virtual void use_scratch(std::byte*) {}
};

/// What StepCodecs are made for.
struct CodecRequest {
  const Exchange *reads = nullptr, *writes = nullptr;  ///< nullptr: a caller's array
  int read_round = -1, write_round = -1;
  NumberType type{};  ///< of what the sweep makes
  Shape result{};     ///< extents of the caller's output, which is looked at where nothing is written to an exchange
  bool measures_norm = false;
  ErrorBudget::Basis basis = ErrorBudget::Basis::given;  ///< of what may be lost of what is written
  Weights weights{};
  int threads = 1;
};

/// Times of a device, whose host only asks for them.
class RunTimes {
 public:
  virtual ~RunTimes() = default;
  virtual void start() = 0;  ///< a run begins: what was marked before is forgotten
  /// What was asked for since the last mark belongs to `line`, or to none.
  virtual void mark(std::optional<std::size_t> line) = 0;
  /// Waits until all that was marked is done, and adds its times to the lines, once.
  virtual void settle(std::vector<StepReport>& lines) = 0;
};

class Place {
 public:
  virtual ~Place() = default;
  /// `codecs`: what this place made around the sweep, which has joined `spec`; nullptr: nothing.
  [[nodiscard]] virtual std::unique_ptr<Sweep> make_sweep(SweepSpec spec, const StepCodecs* codecs) const = 0;
  [[nodiscard]] virtual std::unique_ptr<StepCodecs> make_codecs(const CodecRequest& request,
                                                                const Channel& channel) const = 0;
  /// The norm of this rank's part of an array. Its patches start at the run's input or output.
  [[nodiscard]] virtual std::unique_ptr<ArrayNorm> make_norm(const CallerArray& array, Scalar scalar,
                                                             const Weights& weights, int threads) const = 0;
  /// Times of runs with at most `marks` marks; nullptr if the host's own clock tells them.
  [[nodiscard]] virtual std::unique_ptr<RunTimes> make_times(std::size_t) const { return nullptr; }
  /// The caller's arrays are in memory of a device, and sweeps are only asked for.
  [[nodiscard]] virtual bool on_device() const { return false; }
  /// Encoders need the norm of all before they encode: sweeps do not look at it on the way.
  [[nodiscard]] virtual bool norm_comes_first() const { return false; }
};

/// Sweeps on the processor, of arrays of the host.
[[nodiscard]] std::shared_ptr<const Place> host_place();

/// What a place of arrays of the host shares with it: codecs in cache, and norms.
class HostPlace : public Place {
 public:
  [[nodiscard]] std::unique_ptr<Sweep> make_sweep(SweepSpec spec, const StepCodecs* codecs) const override;
  [[nodiscard]] std::unique_ptr<StepCodecs> make_codecs(const CodecRequest& request,
                                                        const Channel& channel) const override;
  [[nodiscard]] std::unique_ptr<ArrayNorm> make_norm(const CallerArray& array, Scalar scalar, const Weights& weights,
                                                     int threads) const override;
};

}  // namespace shardfft
