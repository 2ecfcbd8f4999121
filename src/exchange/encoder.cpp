#include "exchange/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "exchange/group_budget.hpp"
#include "exchange/plane_runs.hpp"
#include "grid/patch.hpp"
#include "support/memory/copy_box.hpp"
#include "support/memory/round_up.hpp"
#include "support/squares.hpp"

namespace shardfft {
namespace {

constexpr Index least_batch = 64;  // blocks that are encoded in one call: enough that the call does not show, few
                                   // enough for the first-level cache

}  // namespace

// What one thread has of a unit, and its scratch.
struct Encoder::UnitWork {
  const Box* unit;
  const std::byte* plane;
  const Coord* strides;
  std::byte* values;
  std::uint64_t* keys;
  std::byte* payload;
  Encoded got{};  // of the last group
};

// By parts of one weight along the axis: its first index, those inside, its last one.
double weighted_squares(NumberType type, const Weights& weights, const Box& box, const std::byte* data,
                        const Coord& strides) {
  const int axis = weights.axis;
  if (axis < 0) return sum_of_squares(type.scalar, type.complex, data, strides, box.shape());
  Shape part = box.shape();
  double sum = 0;
  for (Index k = box.lo[axis]; k < box.hi[axis]; k += part[axis]) {
    const bool inside = k > 0 && 2 * k != weights.n;
    part[axis] = inside ? std::min(box.hi[axis], (weights.n + 1) / 2) - k : 1;
    sum += sum_of_squares(type.scalar, type.complex, data + (k - box.lo[axis]) * strides[axis], strides, part) *
           (inside ? weights.inside : 1.0);
  }
  return sum;
}

Encoder::Encoder(std::vector<Outgoing> messages, NumberType type, const Shape& global, bool measures_norm,
                 const Weights& weights, int threads)
    : type_(type),
      global_(global),
      measures_norm_(measures_norm),
      weights_(weights),
      alone_(threads == 1),
      batch_(least_batch) {
  for (Outgoing& message : messages) {
    const MessageForm& form = *message.form;
    values_ += form.values();
    batch_ = std::max(batch_, form.largest_segment());
    most_payload_ = std::max(most_payload_, form.most_payload(form.largest_group()));
    messages_.emplace_back(std::move(message));
  }
}

std::size_t Encoder::scratch_bytes() const {
  if (messages_.empty()) return 0;
  const auto block =
      static_cast<std::size_t>(messages_.front().outgoing.form->codec().block_values()) * size_of(type_.scalar);
  return round_up(static_cast<std::size_t>(batch_) * block, cache_line) +
         round_up(static_cast<std::size_t>(batch_) * sizeof(std::uint64_t), cache_line) +
         round_up(static_cast<std::size_t>(most_payload_), cache_line);
}

void Encoder::begin(const ErrorBudget& terms) {
  terms_ = terms;
  bytes_ = 0;
  norm2_.clear();
  lost2_.clear();
  for (Open& open : messages_) {
    open.end.store(open.outgoing.form->payload_at(), std::memory_order_relaxed);
    std::memset(
        open.outgoing.memory, 0,
        static_cast<std::size_t>(
            open.outgoing.form->payload_at()));  // not before: rounds share memory, which may be that of another rank
  }
}

Index Encoder::values_of(int first, int last) const {
  Index values = 0;
  for (const Open& open : messages_)
    if (first <= open.outgoing.chunk && open.outgoing.chunk < last) values += open.outgoing.form->values();
  return values;
}

double Encoder::take_norm2() {
  const double norm2 = norm2_.value();
  norm2_.clear();
  return norm2;
}

Index Encoder::encoded_of(const Box& unit) const {
  Index elements = 0;
  for (const Open& open : messages_)
    open.outgoing.form->for_groups(
        unit, [&](Index g) { elements += open.outgoing.form->groups()[static_cast<std::size_t>(g)].box.count(); });
  return elements;
}

void Encoder::take(const Box& unit, const std::byte* plane, const Coord& strides, double norm2, std::byte* scratch) {
  const double unit_norm2 = wants_all() ? weighted_squares(type_, weights_, unit, plane, strides) : norm2;
  norm2_.add(unit_norm2);
  if (messages_.empty()) return;
  const Index of_unit = terms_.basis == ErrorBudget::Basis::own
                            ? (terms_.evenly ? unit.count() : encoded_of(unit)) * type_.per_element()
                            : 0;
  const auto block =
      static_cast<std::size_t>(messages_.front().outgoing.form->codec().block_values()) * size_of(type_.scalar);
  std::byte* keys = scratch + round_up(static_cast<std::size_t>(batch_) * block, cache_line);
  UnitWork work{.unit = &unit,
                .plane = plane,
                .strides = &strides,
                .values = scratch,
                .keys = reinterpret_cast<std::uint64_t*>(keys),
                .payload = keys + round_up(static_cast<std::size_t>(batch_) * sizeof(std::uint64_t), cache_line)};
  for (Open& open : messages_) {
    const auto& groups = open.outgoing.form->groups();
    open.outgoing.form->for_groups(unit, [&](Index g) {
      const Box& box = groups[static_cast<std::size_t>(g)].box;
      const Index values = box.count() * type_.per_element();
      if (terms_.basis == ErrorBudget::Basis::group)
        encode_group(
            open, g,
            group_budget_of(terms_, type_.scalar, values, values,
                            sum_of_squares(type_.scalar, type_.complex,
                                           plane + offset_between(unit.lo, box.lo, strides), strides, box.shape())),
            work);
      else
        encode_group(open, g, group_budget_of(terms_, type_.scalar, values, of_unit, unit_norm2), work);
    });
  }
}

void Encoder::encode_group(Open& open, Index group, const GroupBudget& wanted, UnitWork& work) {
  const MessageForm& form = *open.outgoing.form;
  if (alone_) work.payload = open.outgoing.memory + open.end.load(std::memory_order_relaxed);
  const EncodeAttempts attempts =
      encode_attempts(terms_, type_.scalar, form.codec(), wanted,
                      form.groups()[static_cast<std::size_t>(group)].blocks * form.codec().block_values());
  for (const double parameter : attempts.parameter)
    if (!std::isnan(parameter) && try_encode(open, group, form.codec(), parameter, attempts.allowed2, work))
      return commit(open, group, form.codec(), parameter, work);
  (void)try_encode(open, group, exact_codec(), 0, attempts.allowed2, work);
  work.got.lost2 = 0;
  commit(open, group, exact_codec(), 0, work);
}

// False when more was lost than allowed, or that cannot be told.
bool Encoder::try_encode(const Open& open, Index group, const Codec& codec, double parameter, double allowed2,
                         UnitWork& work) {
  const MessageForm& form = *open.outgoing.form;
  const MessageForm::BoxGroup& g = form.groups()[static_cast<std::size_t>(group)];
  const std::size_t block = static_cast<std::size_t>(form.codec().block_values()) * size_of(type_.scalar);
  const Cells segments = form.segments(g);
  std::byte* index = open.outgoing.memory + g.index_at;
  work.got = {};
  Index filled = 0;
  const auto encode = [&](const std::byte* values, const std::uint64_t* keys, Index blocks) {
    const Encoded e = codec.encode({type_.scalar, static_cast<int>(blocks * form.blocks_in_block(codec)), values, keys},
                                   parameter, terms_.rounding, index, work.payload + work.got.bytes);
    index += form.index_bytes(codec, blocks);
    work.got.bytes += e.bytes;
    work.got.lost2 += e.lost2;
  };
  const auto encode_batch = [&] {
    if (filled > 0) encode(work.values, work.keys, filled);
    filled = 0;
  };
  for (Index s = 0; s < segments.count(); ++s) {
    const Box segment = segments.cell(s);
    const Index blocks = form.blocks_of(segment);
    const std::byte* const from = work.plane + offset_between(work.unit->lo, segment.lo, *work.strides);
    const PlaneRuns runs(segment.shape(), *work.strides, form.blocking().order, type_.element_bytes(),
                         static_cast<Index>(block));
    const bool in_place = runs.holds(from);
    if (in_place || filled + blocks > batch_) encode_batch();
    const Index first = element_number(segment.lo, global_);
    for (Index b = 0; b < blocks; ++b)
      work.keys[filled + b] = block_key(terms_.seed, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(b));
    if (in_place) {
      const Index of_run = runs.bytes() / static_cast<Index>(block);
      for (Index r = 0; r < runs.count(); ++r) encode(from + runs.offset(r), work.keys + r * of_run, of_run);
      continue;
    }
    std::byte* to = work.values + static_cast<std::size_t>(filled) * block;
    const std::size_t used = static_cast<std::size_t>(segment.count() * type_.element_bytes());
    copy_box(from, *work.strides, to,
             packed_strides(segment.shape(), form.blocking().order, type_.element_bytes(), false), segment.shape(),
             type_.element_bytes());
    std::memset(to + used, 0, static_cast<std::size_t>(blocks) * block - used);
    filled += blocks;
  }
  encode_batch();
  return work.got.lost2 <= allowed2;
}

void Encoder::commit(Open& open, Index group, const Codec& codec, double parameter, const UnitWork& work) {
  std::byte* message = open.outgoing.memory;
  const auto bytes = static_cast<std::int64_t>(work.got.bytes);
  GroupEntry entry{.checksum = checksum_of({work.payload, work.got.bytes}),
                   .parameter = parameter,
                   .bytes = static_cast<std::uint32_t>(bytes),
                   .codec = codec.number()};
  entry.at = static_cast<std::uint64_t>(open.end.fetch_add(bytes, std::memory_order_relaxed));
  if (!alone_) std::memcpy(message + entry.at, work.payload, work.got.bytes);
  std::memcpy(message + sizeof(MessageHeader) + static_cast<std::size_t>(group) * sizeof entry, &entry, sizeof entry);
  lost2_.add(work.got.lost2);
}

void Encoder::seal(int chunk, const Said& said) {
  for (Open& open : messages_)
    if (open.outgoing.chunk == chunk) said(open.outgoing.number, seal(open));
}

Index Encoder::seal(Open& open) {
  const Index bytes = open.end.load(std::memory_order_relaxed);
  write_header(open.outgoing.memory, *open.outgoing.form, terms_.rounding, terms_.seed, bytes);
  bytes_ += bytes;
  return bytes;
}

}  // namespace shardfft
