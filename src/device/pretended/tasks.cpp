#include "device/pretended/tasks.hpp"

#include <algorithm>

#include "device/moves.hpp"

namespace shardfft::pretended {
namespace {

struct Checker {
  const PretendedDevice& device;
  bool when_run;

  template <class T>
  void array(const T* memory, Index entries, const char* use) const {
    if (entries > 0) device.check(reinterpret_cast<const std::byte*>(memory), static_cast<std::size_t>(entries) * sizeof(T), use);
  }
  void tables(const BlockTables& t, const std::byte* values, const char* use) const {
    array(values, t.blocks * block_numbers * static_cast<Index>(size_of(t.scalar)), use);
    array(t.group, t.groups, use);
    array(t.group_of, t.blocks, use);
    array(t.run, t.runs, use);
    if (t.dither) array(t.keys, t.blocks, use);
    array(t.codes, t.blocks, use);
    array(t.places, t.blocks, use);
    for (Index r = 0; when_run && r < t.runs; ++r) array(t.run[r].memory, t.run[r].bytes, use);
  }
  void operator()(const EncodeBlocks& task) const {
    tables(task.tables, task.values, "encoding");
    array(task.tables.lost, task.tables.blocks, "encoding");
    array(task.attempt, task.tries * task.tables.groups, "encoding");
    array(task.made, task.tables.groups, "encoding");
    array(task.run_bytes, task.tables.runs, "encoding");
  }
  void operator()(const DecodeBlocks& task) const {
    tables(task.tables, task.values, "decoding");
    array(task.made, task.tables.groups, "decoding");
    array(task.damaged, task.tables.groups, "decoding");
    array(task.damaged_groups, task.tables.runs, "decoding");
  }
  void operator()(const BlockElements& task) const {
    const char* use = task.way == BlockElements::Way::gather ? "filling blocks" : "emptying blocks";
    array(task.values, task.blocks * block_numbers * static_cast<Index>(size_of(task.scalar)), use);
    array(task.segment, task.segments, use);
    array(task.segment_of, task.blocks, use);
    for (Index s = 0; when_run && s < task.segments; ++s) elements(task, task.segment[s], use);
  }
  void elements(const BlockElements& task, const BlockSegment& segment, const char* use) const {
    Index low = segment.at, high = segment.at + static_cast<Index>(size_of(task.scalar)) * (task.complex ? 2 : 1);
    for (int a = 0; a < segment.axes; ++a) (segment.step[a] < 0 ? low : high) += (static_cast<Index>(segment.extent[a]) - 1) * segment.step[a];
    const auto base = reinterpret_cast<std::uintptr_t>(task.bases.start[static_cast<int>(segment.base)]);
    if (segment.elements > 0) array(reinterpret_cast<const std::byte*>(base + static_cast<std::uintptr_t>(low)), high - low, use);
  }
  void operator()(const BlockKeys& task) const {
    array(task.segment, task.segments, "keys of blocks");
    array(task.segment_of, task.blocks, "keys of blocks");
    array(task.keys, task.blocks, "keys of blocks");
  }
  void operator()(const SetTries& task) const {
    array(task.unit_of, task.groups, "choosing parameters");
    array(task.norm2, task.units, "choosing parameters");
    array(task.parameter, 2 * task.groups, "choosing parameters");
    array(task.allowed2, task.groups, "choosing parameters");
    array(task.attempt, 3 * task.groups, "choosing parameters");
  }
  void operator()(const CastNumbers& task) const {
    const Index wide = task.numbers * static_cast<Index>(size_of(task.scalar)), narrow = task.numbers * facts_of(task.format).bytes;
    const bool narrows = task.way == CastNumbers::Way::narrow;
    array(task.from, narrows ? wide : narrow, "casting numbers");
    array(task.to, narrows ? narrow : wide, "casting numbers");
  }
  void operator()(const TwiddleTile& task) const { array(task.tile, task.elements / task.count * task.other_extent * 2 * static_cast<Index>(size_of(task.scalar)), "twiddle factors"); }
  void operator()(const SumSquares& task) const {
    array(task.part, task.parts, "sums of squares");
    array(task.first_part, task.units + 1, "sums of squares");
    array(task.of_part, task.parts, "sums of squares");
    array(task.sum, task.units, "sums of squares");
    const BlockElements like{.scalar = task.scalar, .complex = task.complex, .bases = task.bases};
    for (Index p = 0; when_run && p < task.parts; ++p) elements(like, task.part[p].elements, "sums of squares");
  }
};

}  // namespace

void check(const PretendedDevice& device, const DeviceTask& task, bool when_run) { std::visit(Checker{device, when_run}, task); }

}  // namespace shardfft::pretended
