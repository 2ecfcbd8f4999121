#include "device/emulated/tasks.hpp"

#include <algorithm>

#include "device/moves.hpp"

namespace shardfft::emulated {
namespace {

struct Checker {
  const EmulatedDevice& device;
  bool when_run;

  template <class T>
  void array(const T* memory, Index entries, const char* use) const {
    if (entries > 0)
      device.check(reinterpret_cast<const std::byte*>(memory), static_cast<std::size_t>(entries) * sizeof(T), use);
  }
  void tables(const BlockTables& t, const BlockElements& e, Index blocks, const char* use) const {
    array(e.segment, e.segments, use);
    if (e.segments > 0) array(e.segment_of, blocks, use);
    for (Index s = 0; when_run && s < e.segments; ++s) elements(e.segment[s], e.bases, t.scalar, e.complex, use);
    array(t.group, t.groups, use);
    array(t.group_of, t.blocks, use);
    array(t.tile, t.tiles, use);
    array(t.of_tile, t.tiles, use);
    array(t.run, t.runs, use);
    array(t.codes, t.blocks, use);
    array(t.places, t.blocks, use);
    for (Index r = 0; when_run && r < t.runs; ++r) {
      array(t.run[r].memory, t.run[r].bytes, use);
      if (t.run[r].reader) array(t.run[r].reader, t.run[r].bytes, use);
    }
  }
  void operator()(const EncodeBlocks& task) const {
    tables(task.tables, task.elements, task.tables.blocks, "encoding");
    array(task.tables.lost, task.tables.blocks, "encoding");
    array(task.attempt, task.tries * task.tables.groups, "encoding");
    array(task.made, task.tables.groups, "encoding");
    array(task.run_bytes, task.tables.runs, "encoding");
  }
  void operator()(const DecodeBlocks& task) const {
    if (task.block) array(task.block, task.decoded, "decoding");
    tables(task.tables, task.elements, task.block ? task.decoded : task.tables.blocks, "decoding");
    array(task.made, task.tables.groups, "decoding");
    array(task.damaged, task.tables.groups, "decoding");
    array(task.damaged_groups, task.tables.runs, "decoding");
  }
  void elements(const BlockSegment& segment, const MoveBases& bases, Scalar scalar, bool complex,
                const char* use) const {
    Index low = segment.at, high = segment.at + static_cast<Index>(size_of(scalar)) * (complex ? 2 : 1);
    for (int a = 0; a < segment.axes; ++a)
      (segment.axis[a].step < 0 ? low : high) +=
          (static_cast<Index>(segment.axis[a].extent) - 1) * segment.axis[a].step;
    const auto base = reinterpret_cast<std::uintptr_t>(bases.start[static_cast<int>(segment.base)]);
    if (segment.elements > 0)
      array(reinterpret_cast<const std::byte*>(base + static_cast<std::uintptr_t>(low)), high - low, use);
  }
  void operator()(const SumPayloads& task) const {
    const BlockTables& t = task.tables;
    array(t.group, t.groups, "checksums");
    array(t.group_of, t.blocks, "checksums");
    array(t.run, t.runs, "checksums");
    array(t.sums, BlockTables::sums_of_block * t.blocks, "checksums");
    array(task.made, t.groups, "checksums");
    array(task.sum, t.groups, "checksums");
    for (Index r = 0; when_run && r < t.runs; ++r) array(t.run[r].memory, t.run[r].bytes, "checksums");
  }
  void operator()(const SetTries& task) const {
    array(task.unit_of, task.groups, "choosing parameters");
    array(task.norm2, task.units, "choosing parameters");
    array(task.parameter, 2 * task.groups, "choosing parameters");
    array(task.allowed2, task.groups, "choosing parameters");
    array(task.attempt, 3 * task.groups, "choosing parameters");
  }
  void operator()(const CastNumbers& task) const {
    const Index wide = task.numbers * static_cast<Index>(size_of(task.scalar)),
                narrow = task.numbers * facts_of(task.format).bytes;
    const bool narrows = task.way == CastNumbers::Cast::narrow;
    array(task.from, narrows ? wide : narrow, "casting numbers");
    array(task.to, narrows ? narrow : wide, "casting numbers");
  }
  void operator()(const RunFormula& task) const {
    for (int a = 0; a < task.arrays && task.elements() > 0; ++a) {
      const FormulaOperand& x = task.array[a];
      array(x.data, (task.last_of(x) + 1) * static_cast<Index>(size_of(x.narrow ? Scalar::f32 : task.scalar)),
            "a formula");
    }
    if (task.largest) array(task.largest, formula_blocks(task), "a formula");
  }
  void operator()(const KindStep& task) const {
    const InnerTransform inner = inner_of(task.pencils.kind, task.n);
    const bool before = task.side == KindSide::before;
    const auto pencils = [&](const PencilPlaces& at, bool of_library) {
      const Index elements = of_library ? inner.elements(before) : task.n,
                  scalars = of_library ? inner.scalars_of_one(before) : 1,
                  last = (elements - 1) * at.step + (task.batch - 1) * at.pencil + (task.pencils.parts() - 1) * at.part;
      array(at.start, (last + scalars) * static_cast<Index>(size_of(task.scalar)), "a cosine or sine transform");
    };
    pencils(task.from, !before);
    pencils(task.to, before);
  }
  void operator()(const SumSquares& task) const {
    array(task.part, task.parts, "sums of squares");
    array(task.first_part, task.units + 1, "sums of squares");
    array(task.of_part, task.parts, "sums of squares");
    array(task.sum, task.units, "sums of squares");
    for (Index p = 0; when_run && p < task.parts; ++p)
      elements(task.part[p].elements, task.bases, task.scalar, task.complex, "sums of squares");
  }
};

}  // namespace

void check(const EmulatedDevice& device, const DeviceTask& task, bool when_run) {
  std::visit(Checker{device, when_run}, task);
}

}  // namespace shardfft::emulated
