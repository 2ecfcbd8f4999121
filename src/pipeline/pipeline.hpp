// A list of sweeps joined by exchanges, ready to run in one direction.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/exchange/device_decoder.hpp"
#include "device/exchange/device_encoder.hpp"
#include "device/pipeline/queue_times.hpp"
#include "exchange/exchange.hpp"
#include "grid/swept_side.hpp"
#include "pipeline/recorder.hpp"
#include "pipeline/stages.hpp"
#include "shardfft/approximate.hpp"
#include "shardfft/plan.hpp"
#include "sweep/sweep.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// One side of a transform: the caller's array on this rank.
struct CallerArray {
  Layout layout{};
  std::vector<Patch> patches{};  ///< of this rank's boxes
  bool complex = true;
  Coord owners{};  ///< by which boxes of patches are ordered along a cyclic axis (grid/cyclic_axis.hpp); else 1
  /// Where a rank's elements are when its placements are the default ones.
  [[nodiscard]] std::vector<Patch> default_patches(int rank, Base base, Scalar scalar) const;
  /// The same elements as parts of the array that is swept; `reads`: which is filled from them.
  [[nodiscard]] CallerArray seen_by(const SweptSide& side, bool reads) const;

  struct Whole {  ///< what it was before it was seen as another one
    Layout layout{};
    Coord owners{};
    SweptSide side{};
    bool reads = false;
  };
  std::optional<Whole> whole{};
  [[nodiscard]] std::optional<AxisSplit> split() const { return whole ? whole->side.split : std::nullopt; }
  /// Some of its elements stand for two, and for conjugates of what is computed: it holds no intermediate results.
  [[nodiscard]] bool hermitian() const { return split() && whole->side.digits == Digits::hermitian; }
  [[nodiscard]] Index element_bytes(Scalar scalar) const {
    return static_cast<Index>(size_of(scalar)) * (complex ? 2 : 1);
  }
};

/// Approximate mode: what may be lost, and how exchanges are encoded; the same on all ranks. See
/// src/pipeline/budget.hpp.
struct Encoding {
  const Codec* codec = nullptr;  ///< nullptr: exact mode
  std::function<bool(int, int)>
      encodes{};         ///< whether messages from one rank to the other, and back, are encoded; the same on all ranks
  double tolerance = 0;  ///< L2 error that the codecs may cause in one run, relative to the norm of the result; 0 with
                         ///< `forced`: whatever they cause
  double undithered_tolerance =
      0;  ///< the same, where errors are not of random sign: not the same where the largest error counts
  bool absolute = false;  ///< the tolerance is a norm itself, of the result
  bool of_elements =
      false;  ///< it stands for a largest error, so that with dither no part of the array may lose more than its share
  Guarantee guarantee = Guarantee::certified;
  bool forced = false;  ///< the user named the codec and no tolerance
  double parameter =
      std::numeric_limits<double>::quiet_NaN();  ///< with `forced`: of the codec, where the user named one
  std::optional<double> bits{};  ///< what a number is expected to take of a message's payload: exchanges that would
                                 ///< become longer are not encoded; nullopt: all are, whatever they take
  /// Of arrays of the host that go through a device, instead of a codec: what two sweeps hand on lies in this format.
  std::optional<StorageFormat> storage{};
  bool varies = false;  ///< and messages may be as long as they become
};

struct PipelineSpec {
  int me = 0;
  Scalar scalar = Scalar::f64;
  CallerArray from{}, to{};
  std::vector<Stage> stages{};
  Scaling scaling = Scaling::none;  ///< of this direction; each axis's share goes with its transform
  int threads = 1, tile = 0, chunks = 1;
  /// In how many parts the array goes through two sweeps between which it stays on its rank, at either end of the run:
  /// the first part is sent while the next one is swept, and swept while the next one comes.
  int parts = 1;
  bool intermediate_buffers = true;  ///< between two sweeps; else the array lies in the caller's output, or in an input
                                     ///< that may be destroyed, where it can
  bool non_temporal = false;
  bool in_place = false;
  bool destroy_input = false;
  bool same_places = false;  ///< on every rank, each element of the result lies where its input lay; of reals, each of
                             ///< their rows where its half spectrum lies
  std::function<bool(int)> near{};  ///< ranks whose memory is stored to directly
  bool looks_only = false;          ///< a plan of ranks that do not exist: no tables, and no lists as long as the array
  bool pads = true;                 ///< their messages are padded against the cache conflicts of processors
  Encoding encoding{};
  MakeSweep make_sweep = make_host_sweep;
  DeviceContext on{};                     ///< where the sweeps run; null for the host
  std::shared_ptr<DeviceStaging> room{};  ///< with arrays on a device that encodes exchanges; then the norm of the
                                          ///< input is known before the first one
};

/// Kernels by length and kind; each is made once for a plan.
class Kernels {
 public:
  /// `look_only`: they never run.
  explicit Kernels(const Engine& engine, bool look_only = false) : engine_(engine), look_only_(look_only) {}
  std::shared_ptr<const Kernel> get(const KernelRequest& request);

 private:
  const Engine& engine_;
  bool look_only_;
  std::vector<std::pair<KernelRequest, std::shared_ptr<const Kernel>>> made_{};
};

/// Which exchange a step reads from and writes to; negative: one of the caller's arrays.
struct StepDraft {
  int stage = -1;  ///< index of its stage; -1: it only moves data
  int reads = -1, writes = -1;
  bool takes_input = false;   ///< reads the caller's input (all of it, or what stays on this rank), or what the step
                              ///< before it left there
  bool gives_input = false;   ///< writes the caller's input, each element in its place
  bool gives_output = false;  ///< writes the caller's output (likewise)
  bool takes_output = false;  ///< reads what the step before it left in the caller's output, each element in its place
  Coord units{};  ///< where an exchange beside it is encoded, or it looks at the norm: extents of what it does at once
  bool after_norm = false;       ///< how large the caller's input is must be known before it; of the first step only
  bool goes_on = false;          ///< part by part, the next step follows before this one goes on
  bool measures_norm = false;    ///< it finds out how large the array is
  bool measures_result = false;  ///< likewise, of the reals at the end
};

/// Steps and exchanges of a pipeline; index arithmetic only.
struct Draft {
  std::vector<StepDraft> steps{};
  std::vector<Exchange> exchanges{};
};
[[nodiscard]] Draft draft_pipeline(const PipelineSpec& spec);

/// How one run reaches the caller's arrays, bits: the same on all ranks. Where every rank passed an array of the
/// channel (Channel::take_array) there is nothing to copy first or last: the first sweep reads the peers' inputs and
/// the last one writes into the peers' outputs; without them the outputs hold the array from the first sweep on.
enum Way : unsigned {
  by_copies = 0,
  reads_peers = 1,
  writes_peers = 2,
  all_wide =
      4,  ///< of a run that may lose nothing: what could lie in a shorter format does not; not the caller's choice
};

class Budget;
class ArrayNorm;

class Pipeline {
 public:
  /// `kernels`: of the host; nullptr where its sweeps need none.
  Pipeline(PipelineSpec spec, Kernels* kernels);
  ~Pipeline();

  /// What it will exchange, in order.
  [[nodiscard]] std::vector<Round> rounds() const;
  /// Known after bind().
  [[nodiscard]] std::size_t scratch_bytes() const { return scratch_bytes_; }
  /// Its rounds are numbers first_round, first_round + 1, ... of `channel`, which is bound. Both outlive the pipeline's
  /// runs.
  void bind(Channel& channel, int first_round, bool poll);
  void use_scratch(std::byte* scratch);

  /// Whether arrays that all ranks reach can serve it instead of buffers between two sweeps.
  [[nodiscard]] bool passes_on_in_outputs() const;
  /// Whether it begins or ends with a step that only copies.
  [[nodiscard]] bool copies() const { return draft_.steps.front().stage < 0 || draft_.steps.back().stage < 0; }
  /// The ways that make a difference, once bound: reads_peers where the input must change owners before the first
  /// sweep, writes_peers where the output must after the last one or what sweeps hand on can lie in the outputs,
  /// neither where the channel has no arrays.
  [[nodiscard]] unsigned ways() const { return ways_; }
  /// Comes before Channel::handshake() at the start of a run, with the way that this rank expects; another one works,
  /// too.
  void prepare(unsigned way);
  void start(const Buffers& buffers, unsigned way = by_copies);
  /// Runs as far as it can; with `block` to the end. Returns true when all is done.
  bool advance(bool block);
  [[nodiscard]] bool running() const { return running_; }

  /// Runs are recorded from now on, under this name. The recorder outlives the runs.
  void record(Recorder* recorder, std::string_view name) { recorder_ = recorder, name_ = name; }
  [[nodiscard]] std::size_t most_spans() const;  ///< of one run

  /// Approximate mode, once bound: real numbers that this rank encodes, by encoded exchange, of which the sums over all
  /// ranks are wanted before the first run.
  [[nodiscard]] std::vector<double> encoded_values() const;
  /// The same by part of the exchange behind two sweeps that go on part by part, of which the first one finds the norm;
  /// empty without one.
  [[nodiscard]] std::vector<double> values_of_parts() const;
  void share_tolerance(std::span<const double> values_of_all_ranks, std::span<const double> parts_of_all_ranks);
  /// What this rank found in the last run: its parts of squared norms, then of the squares of what was lost in each
  /// encoded exchange. Empty in exact mode.
  [[nodiscard]] std::span<const double> losses() const;
  [[nodiscard]] double bytes_encoded() const;  ///< of this rank's encoded messages of the last run
  /// From the sums of losses() over all ranks.
  [[nodiscard]] double relative_error(std::span<const double> of_all_ranks) const;

  /// Of the last run; of one on a device the times are there after settle().
  [[nodiscard]] const std::vector<StepReport>& report() const { return report_; }
  void settle();  ///< waits until a device has done the last run
  [[nodiscard]] const Draft& draft() const { return draft_; }
  [[nodiscard]] const PipelineSpec& spec() const { return spec_; }
  /// One line per step, for people.
  [[nodiscard]] std::string describe() const;

 private:
  struct Step {
    std::array<std::unique_ptr<Sweep>, 8> sweeps{};  // by those bits of the way that it depends on; none: nothing to do
    unsigned ways = 0;
    int read = -1, write = -1, chunks = 1;
    int parts = 1;                       // that take turns with those of the step beside it; as many chunks in each
    bool goes_on = false;                // as in its draft
    std::vector<int> needs{};            // by chunk, the last chunk of what it reads that must have arrived
    std::vector<int> sends{};            // by chunk, how many chunks of what it writes are complete with it
    std::unique_ptr<Encoder> encoder{};  // approximate mode: of what it writes, or only to look at it
    std::unique_ptr<Decoder> decoder{};  // of what it reads
    std::unique_ptr<DeviceEncoder> device_encoder{};  // on a device, instead of these
    std::unique_ptr<DeviceDecoder> device_decoder{};
    MessageWriter* writer = nullptr;      // the encoder that it has
    MessageReader* reader = nullptr;      // the decoder
    std::optional<std::size_t> item{};    // of the budget, where it encodes
    const Exchange* storage = nullptr;    // what it writes, where that may lie in a shorter format
    Index far_bytes = 0, near_bytes = 0;  // of what it sends, as it is computed with
    bool begun = false;                   // in this run
    int chunk = 0, came = 0;              // the one to do next, and how many of what it reads have arrived
    double norm2 = 0;                     // of this rank, of what it has looked at in earlier parts
    [[nodiscard]] double seen_norm2() const { return norm2 + encoder->norm2(); }
    bool measures_norm = false, measures_result = false;  // the encoder's norm is wanted
    bool skips_inbox = false;  // in runs that reach the ranks' outputs: what it would read there lies in them
    Index plain_network = 0;   // bytes that it sends through the network as they are
    [[nodiscard]] const Sweep* sweep(unsigned way) const { return sweeps[way & ways].get(); }
    [[nodiscard]] Index bytes_link(unsigned way) const { return sweep(way) ? sweep(way)->bytes_link() : 0; }
    [[nodiscard]] Index bytes_moved(unsigned way) const {
      return sweep(way) ? bytes_read(sweep(way)->spec()) + bytes_written(sweep(way)->spec()) : 0;
    }
    std::size_t report = 0;  // its line in report_
    std::optional<std::size_t>
        wait_report{};  // the line of the exchange that it waits for; none where the data stays on its rank
    std::optional<std::size_t> send_report{};  // the line of the exchange that it sends, likewise
  };
  [[nodiscard]] std::vector<Patch> peers_inputs(const Exchange& exchange) const;
  [[nodiscard]] std::vector<Patch> peers_outputs(const Layout& mine) const;
  [[nodiscard]] bool passes_on(int stage) const;
  [[nodiscard]] SweepSpec sweep_spec(const StepDraft& draft, const Step& step, unsigned way) const;
  [[nodiscard]] unsigned ways_of(const StepDraft& step) const;
  [[nodiscard]] bool is_copy_left_out(const StepDraft& step, unsigned way) const;
  [[nodiscard]] Chunks chunks_of(const StepDraft& step) const;
  [[nodiscard]] bool follows(const StepDraft& step) const;
  [[nodiscard]] int parts_of(const StepDraft& step) const;
  [[nodiscard]] std::vector<int> sends_of(const StepDraft& draft, int chunks) const;
  [[nodiscard]] std::vector<int> needs_of(const StepDraft& draft, const std::vector<std::vector<Box>>& chunks) const;
  [[nodiscard]] bool is_complex_after(const StepDraft& step) const;
  void make_codecs(const StepDraft& draft, Step& step) const;
  void make_device_codecs(const StepDraft& draft, Step& step) const;
  [[nodiscard]] static std::size_t planes_of(const Step& step);
  void make_norms();
  [[nodiscard]] const Exchange* storage_exchange(int number) const;
  void choose_scales();
  bool agree_on_norm(bool block);
  void take_way(unsigned way);
  void shrink_storage(const Step& step, int chunk);
  [[nodiscard]] double storage_loss2(const Step& step) const;
  [[nodiscard]] bool is_wide() const { return way_ & all_wide; }
  Step bound(const StepDraft& step);
  void add_reports();
  [[nodiscard]] std::string label_of(const SweepSpec& spec) const;
  [[nodiscard]] int callers_axis(int axis) const;  // the axis that the caller knows
  bool enter(Step& step, bool block);
  bool perform(Step& step, int chunks, bool block);
  bool perform_together(bool block);
  void record_step(const Step& step, bool all_done);
  void perform_chunk(Step& step, int chunk);
  void begin_run();
  bool within_tolerance(bool block);
  bool has_summed(std::span<double> total, bool block);
  [[nodiscard]] bool result_may_be_smaller()
      const;  ///< than the norm of a half spectrum says, for some have no real array behind them: what was lost is
              ///< relative to the norm of the reals
  [[nodiscard]] bool must_check_result() const;  ///< that this did not break the tolerance, where there is one
  bool has_left(Step& step, bool block);
  bool has_come(Step& step, int chunk, bool block);
  void look_at_input();
  void look_at_result(const Step& step);
  void say_norm(Step& step);
  [[nodiscard]] const Step* after_look_in_parts()
      const;  ///< the step that goes on, part by part, after the one that finds the norm; nullptr: none
  [[nodiscard]] bool waits_for_parts(const Step& step) const;
  bool knows_norm(Step& step, bool block);
  bool knows_norm_of_part(Step& step, bool block);
  [[nodiscard]] ErrorBudget terms_of(const Step& step) const;
  void begin_encoding(Step& step);
  void finish(Step& step);
  /// Of the line of the report that says what it is; of nothing without one.
  Recording recording(Span::What what, std::optional<std::size_t> line, int chunk = -1) const;
  void spent(std::size_t line, std::chrono::steady_clock::time_point start);
  void record_wait(const Step& step, std::int64_t waited_from, bool last);
  bool drain_inputs(bool block);

  PipelineSpec spec_;
  Draft draft_;
  std::vector<std::vector<SweepAxis>> kernels_;  // per stage
  Channel* channel_ = nullptr;
  int first_round_ = 0;
  std::function<void()> poll_{}, no_poll_{};
  std::vector<Step> steps_{};
  std::vector<StepReport> report_{};
  std::size_t scratch_bytes_ = 0;
  std::byte* scratch_ = nullptr;

  unsigned ways_ = 0, way_ = 0;
  bool running_ = false;
  std::size_t at_ = 0;    // the step under way; of those that take turns the first one
  std::size_t turn_ = 0;  // whose turn it is among these
  int part_ = 0;          // and in which part

  std::unique_ptr<Budget> budget_;
  std::unique_ptr<ArrayNorm> input_norm_{};    // where that must be known before the first step
  std::unique_ptr<ArrayNorm> result_norm_{};   // where sweeps do not look at it
  double input_norm2_ = 0, result_norm2_ = 0;  // of this rank
  std::optional<std::size_t> norm_report_{};
  std::uint64_t runs_ = 0;
  double norm2_ = 0;       // of all ranks, once knows_norm_; of the parts that are known
  double part_norm2_ = 0;  // of all ranks, of the last of these
  int parts_known_ = 0;
  std::vector<double> part_values_{};  // by part, what all ranks encode
  bool sums_norm_ = false, knows_norm_ = false;
  std::vector<ScaledStorage> storage_{};  // by exchange; of those that are narrow with the scale of the run, which the
                                          // sweeps on both sides see
  bool norm_pending_ = false;             // that of rank 0 is being told
  bool exactly_ = false, sums_losses_ = false,
       votes_ = false;  // nothing may be lost; the losses are being summed; then the votes on them
  mutable std::vector<double> losses_{};
  Buffers buffers_{};

  Recorder* recorder_ = nullptr;
  std::optional<QueueTimes> times_{};  // on a device
  std::string_view name_{};
  std::int64_t run_began_ = 0, flight_began_ = 0, next_flight_began_ = 0, step_began_ = 0;
};

}  // namespace shardfft
