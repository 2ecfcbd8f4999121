// The approximate side of a pipeline: encoders, decoders, the norm, and what was lost.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "device/pipeline/device_norm.hpp"
#include "pipeline/budget.hpp"
#include "pipeline/input_norm.hpp"
#include "pipeline/pipeline.hpp"
#include "support/comm/backoff.hpp"

namespace shardfft {
namespace {

// Squares of a half spectrum's elements, which stand for two numbers each of the whole one, count twice on the way back
// to reals: that is the norm of the result.
Weights weights_of(const PipelineSpec& spec, bool complex) {
  Weights weights;
  if (!complex || !spec.from.complex || spec.to.complex) return weights;
  for (const Stage& stage : spec.stages)
    for (const StageAxis& axis : stage.axes)
      if (axis.transform == Transform1d::c2r) weights = {.axis = axis.axis, .n = axis.n, .inside = 2};
  return weights;
}

}  // namespace

bool Pipeline::is_complex_after(const StepDraft& step) const {
  if (step.stage >= 0) return kernels_[static_cast<std::size_t>(step.stage)].back().complex_out();
  return &step == &draft_.steps.front() ? spec_.from.complex : spec_.to.complex;
}

void Pipeline::make_codecs(const StepDraft& draft, Step& step) const {
  if (spec_.room) return make_device_codecs(draft, step);
  const NumberType type{spec_.scalar, is_complex_after(draft)};
  std::vector<Encoder::Outgoing> messages;
  Shape global = spec_.to.layout.global();
  if (draft.writes >= 0) {
    const Exchange& e = draft_.exchanges[static_cast<std::size_t>(draft.writes)];
    messages = e.encoded_outgoing(*channel_, step.write);
    step.item = budget_->item_of(draft.writes);
    global = e.spec().from.global();
  }
  const bool measures_norm = draft.measures_norm || draft.measures_result;
  if (!messages.empty() || measures_norm)
    step.encoder = std::make_unique<Encoder>(std::move(messages), type, global, measures_norm,
                                             weights_of(spec_, type.complex), spec_.threads);
  if (draft.reads >= 0) {
    const Exchange& e = draft_.exchanges[static_cast<std::size_t>(draft.reads)];
    if (auto incoming = e.encoded_incoming(*channel_, step.read); !incoming.empty())
      step.decoder = std::make_unique<Decoder>(std::move(incoming), e.spec().type, e.spec().from.global());
  }
  step.writer = step.encoder.get();
  step.reader = step.decoder.get();
}

// What a sweep reads and what it writes lie beside each other.
void Pipeline::make_device_codecs(const StepDraft& draft, Step& step) const {
  std::size_t planes = 0;
  if (draft.reads >= 0) {
    const Exchange& e = draft_.exchanges[static_cast<std::size_t>(draft.reads)];
    if (auto incoming = e.encoded_incoming(*channel_, step.read); !incoming.empty()) {
      step.device_decoder =
          std::make_unique<DeviceDecoder>(spec_.room, std::move(incoming), e.spec().from.global(), planes);
      planes = step.device_decoder->planes_end();
    }
  }
  if (draft.writes >= 0) {
    const Exchange& e = draft_.exchanges[static_cast<std::size_t>(draft.writes)];
    step.item = budget_->item_of(draft.writes);
    if (auto messages = e.encoded_outgoing(*channel_, step.write); !messages.empty())
      step.device_encoder =
          std::make_unique<DeviceEncoder>(spec_.room, std::move(messages), e.spec().from.global(), planes);
  }
  step.writer = step.device_encoder.get();
  step.reader = step.device_decoder.get();
}

std::size_t Pipeline::planes_of(const Step& step) {
  return step.device_encoder   ? step.device_encoder->planes_end()
         : step.device_decoder ? step.device_decoder->planes_end()
                               : 0;
}

void Pipeline::make_norms() {
  const Weights weights = weights_of(spec_, spec_.from.complex);
  if (draft_.steps.front().after_norm && spec_.room)
    input_norm_ = std::make_unique<DeviceNorm>(spec_.room, spec_.from, spec_.scalar, weights);
  else if (draft_.steps.front().after_norm)
    input_norm_ = std::make_unique<InputNorm>(spec_.from, spec_.scalar, weights, spec_.threads);
  const bool measures_norm =
      std::any_of(draft_.steps.begin(), draft_.steps.end(), [](const StepDraft& step) { return step.measures_result; });
  if (measures_norm && spec_.room)
    result_norm_ = std::make_unique<DeviceNorm>(spec_.room, spec_.to, spec_.scalar, Weights{});
  if (spec_.encoding.storage && result_may_be_smaller())
    result_norm_ = std::make_unique<InputNorm>(spec_.to, spec_.scalar, Weights{}, spec_.threads);
}

void Pipeline::use_scratch(std::byte* scratch) {
  scratch_ = scratch;
  for (Step& step : steps_) {
    if (step.device_encoder) step.device_encoder->use(scratch);
    if (step.device_decoder) step.device_decoder->use(scratch);
  }
}

// Not where nothing may be lost: then nobody asks.
void Pipeline::look_at_input() {
  if (!input_norm_ || !sums_norm_) return;
  knows_norm_ = exactly_;
  if (exactly_) return;
  const Recording looking = recording(Span::What::step, norm_report_);
  const auto start = std::chrono::steady_clock::now();
  input_norm2_ = input_norm_->norm2(buffers_.input);
  spent(*norm_report_, start);
  channel_->start_sum(std::span(&input_norm2_, 1));
}

void Pipeline::look_at_result(const Step& step) {
  if (result_norm_ && !is_wide() && &step == &steps_.back()) result_norm2_ = result_norm_->norm2(buffers_.output);
}

// The norm of everything is summed while data are on their way, and waited for only before it is needed.
bool Pipeline::knows_norm(Step& step, bool block) {
  if (waits_for_parts(step)) return knows_norm_of_part(step, block);
  if (knows_norm_ || !sums_norm_ || !step.item || !budget_->needs_norm(*step.item)) return true;
  if (!norm_pending_ && !has_summed(std::span(&norm2_, 1), block)) return false;
  if (spec_.encoding.storage && !agree_on_norm(block)) return false;
  return knows_norm_ = true;
}

// What the step has looked at, in the part that it has done.
void Pipeline::say_norm(Step& step) {
  if (!step.measures_norm) return;
  const double mine = step.encoder->take_norm2();
  step.norm2 += mine;
  if (sums_norm_) channel_->start_sum(std::span(&mine, 1));
}

const Pipeline::Step* Pipeline::after_look_in_parts() const {
  for (std::size_t i = 1; i < steps_.size(); ++i)
    if (steps_[i - 1].measures_norm && steps_[i - 1].goes_on) return &steps_[i];
  return nullptr;
}

bool Pipeline::waits_for_parts(const Step& step) const { return sums_norm_ && &step == after_look_in_parts(); }

// Each part is encoded as soon as its own norm is known.
bool Pipeline::knows_norm_of_part(Step& step, bool block) {
  if (parts_known_ > part_) return true;
  if (!has_summed(std::span(&part_norm2_, 1), block)) return false;
  norm2_ = part_norm2_ + (parts_known_ == 0 ? 0 : norm2_);
  knows_norm_ = ++parts_known_ == step.parts;
  if (part_ > 0 && step.item && step.encoder) step.encoder->go_on(terms_of(step));
  return true;
}

// The bits of a sum may differ from rank to rank, and so might powers of two that follow from it: a sum to which one
// rank alone contributes is the same everywhere.
bool Pipeline::agree_on_norm(bool block) {
  if (!norm_pending_) {
    const double said = spec_.me == 0 ? norm2_ : 0;
    channel_->start_sum(std::span(&said, 1));
    norm_pending_ = true;
  }
  if (!has_summed(std::span(&norm2_, 1), block)) return false;
  norm_pending_ = false;
  choose_scales();
  return true;
}

// No number is larger than the norm of all, for which there is a factor of two to spare. Where the norm does not tell
// (Inf, NaN, nothing but zeros, or numbers whose squares are none), nothing may be lost.
void Pipeline::choose_scales() {
  constexpr double least = 1e-280, most = 1e280;
  if (!(norm2_ >= least && norm2_ <= most)) {
    exactly_ = true;
    take_way(way_ | all_wide);
    return;
  }
  for (std::size_t i = 0; i < budget_->size(); ++i) {
    ScaledStorage& narrow = storage_[static_cast<std::size_t>(budget_->exchange(i))];
    int exponent = 0;
    static_cast<void>(std::frexp(budget_->terms(i, norm2_, 0, false).norm, &exponent));
    narrow.scale = std::ldexp(1.0, facts_of(narrow.format).top - 1 - exponent);
  }
}

void Pipeline::shrink_storage(const Step& step, int chunk) {
  if (!step.storage || is_wide()) return;
  const auto& messages = step.storage->round().out;
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (messages[i].chunk == chunk && messages[i].varies)
      channel_->shrink(step.write, i, step.storage->storage_message_bytes(i));
}

// Of all ranks, said by the first one: it follows from the norm, whatever the data.
double Pipeline::storage_loss2(const Step& step) const {
  if (spec_.me != 0 || is_wide()) return 0;
  const double lost = facts_of(*spec_.encoding.storage).roundoff * budget_->terms(*step.item, norm2_, 0, false).norm;
  return lost * lost;
}

ErrorBudget Pipeline::terms_of(const Step& step) const {
  if (!step.item) return {};
  const std::uint64_t seed = (runs_ << 8) + static_cast<std::uint64_t>(step.write);
  if (!waits_for_parts(step)) return budget_->terms(*step.item, norm2_, seed, exactly_);
  return budget_->terms(*step.item, part_norm2_, seed, exactly_, part_values_[static_cast<std::size_t>(part_)]);
}

void Pipeline::begin_encoding(Step& step) {
  if (step.writer) step.writer->begin(terms_of(step));
}

// True when `total` holds the sums of what all ranks have started.
bool Pipeline::has_summed(std::span<double> total, bool block) {
  Backoff backoff(/*sleeps=*/true);
  while (!channel_->summed(total)) {
    if (!block) return false;
    backoff.pause();
  }
  return true;
}

// Half spectra that no real array has lose a part of their norm on the way back to reals, and the norm that was found
// may promise too much: then all is done again, and nothing is lost. That needs an input that is still there. The sums
// of losses may differ from rank to rank in their last bits, and so may what ranks conclude; a sum of ones and zeros is
// the same everywhere, and all go the same way.
bool Pipeline::within_tolerance(bool block) {
  if (!must_check_result() || spec_.encoding.absolute || exactly_)
    return true;  // what is lost, as a norm, only shrinks with it
  if (!votes_) {
    std::array<double, 8> sums{};
    const std::span<double> of_all = std::span(sums).first(2 + budget_->size());
    if (!sums_losses_) channel_->start_sum(losses());
    sums_losses_ = true;
    if (!has_summed(of_all, block)) return false;
    sums_losses_ = false;
    const double too_much = relative_error(of_all) <= budget_->tolerance() ? 0 : 1;
    channel_->start_sum(std::span(&too_much, 1));
    votes_ = true;
  }
  double votes = 0;
  if (!has_summed(std::span(&votes, 1), block)) return false;
  votes_ = false;
  if (votes == 0) return true;
  exactly_ = true;
  take_way(way_ | all_wide);
  begin_run();
  return true;
}

std::vector<double> Pipeline::encoded_values() const {
  std::vector<double> values(budget_->size());
  for (const Step& step : steps_)
    if (step.item && step.writer)
      values[*step.item] = static_cast<double>(step.writer->values());
    else if (step.storage)
      values[*step.item] = 2 * static_cast<double>(step.storage->elements_out());
  return values;
}

std::vector<double> Pipeline::values_of_parts() const {
  std::vector<double> values;
  const Step* step = after_look_in_parts();
  if (!step || !step->item) return values;
  const int chunks = step->chunks / step->parts;
  for (int p = 0; p < step->parts; ++p)
    values.push_back(step->encoder ? static_cast<double>(step->encoder->values_of(chunks * p, chunks * (p + 1))) : 0);
  return values;
}

// The norm is summed in a run only where an exchange needs it.
void Pipeline::share_tolerance(std::span<const double> of_all_ranks, std::span<const double> parts_of_all_ranks) {
  part_values_.assign(parts_of_all_ranks.begin(), parts_of_all_ranks.end());
  losses_.resize(budget_->empty() ? 0 : 2 + budget_->size());
  budget_->set_values(of_all_ranks);
  if (!part_values_.empty()) budget_->set_parts(*after_look_in_parts()->item, part_values_);
  sums_norm_ = false;
  for (std::size_t i = 0; i < budget_->size(); ++i) sums_norm_ |= budget_->needs_norm(i) && of_all_ranks[i] > 0;
}

bool Pipeline::result_may_be_smaller() const { return !budget_->empty() && spec_.from.complex && !spec_.to.complex; }

bool Pipeline::must_check_result() const { return result_may_be_smaller() && !spec_.encoding.forced; }

// Squared norms that the steps found, of what the first of them made and of the reals at the end; then what each
// exchange lost.
std::span<const double> Pipeline::losses() const {
  std::fill(losses_.begin(), losses_.end(), 0.0);
  if (input_norm_) losses_[0] = input_norm2_;
  if (result_norm_) losses_[1] = result_norm2_;
  for (const Step& step : steps_) {
    if (step.encoder && step.measures_norm) losses_[0] = step.seen_norm2();
    if (step.encoder && step.measures_result) losses_[1] = step.seen_norm2();
    if (step.writer && step.item) losses_[2 + *step.item] = step.writer->lost2();
    if (step.storage) losses_[2 + *step.item] = storage_loss2(step);
  }
  return losses_;
}

double Pipeline::bytes_encoded() const {
  double bytes = 0;
  for (const Step& step : steps_)
    if (step.item && step.writer)
      bytes += static_cast<double>(step.writer->bytes());
    else if (step.storage)
      bytes += static_cast<double>(step.storage->elements_out() * (is_wide() ? step.storage->spec().element_bytes
                                                                             : step.storage->spec().storage_bytes));
  return bytes;
}

double Pipeline::relative_error(std::span<const double> of_all_ranks) const {
  if (budget_->empty()) return 0;
  const std::span<const double> lost2 = of_all_ranks.subspan(2);
  if (!result_may_be_smaller()) return budget_->relative_error(lost2, of_all_ranks[0]);
  const double error = budget_->relative_error(lost2, of_all_ranks[1] / budget_->growth2_to_result());
  return error < 1    ? error / (1 - error)
         : error == 0 ? 0
                      : std::numeric_limits<double>::infinity();  // of what the result would be without it
}

}  // namespace shardfft
