// The stretches of a file that hold a rank's boxes, in pieces that threads deal among them.
#pragma once

#include <algorithm>
#include <vector>

#include "files/file_runs.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::files {

/// body(element in the file, element in memory, elements) for all of a rank's boxes, by several threads; the first
/// exception is thrown again here. `element_bytes`: in the file, or in memory if that is more.
template <class Body>
void for_each_piece(const FilePart& part, Index element_bytes, Watcher& watcher, Body&& body) {
  const Index piece_elements = std::max<Index>(part.piece_bytes / element_bytes, 1);
  Index box_start = 0;
  watcher.expect(part.count());
  for (const Box& box : part.boxes) {
    const FileRuns runs(box, part.global, part.order);
    const Index pieces = (runs.length() + piece_elements - 1) / piece_elements;
    const Index chunk = std::max<Index>(1, piece_elements / (4 * runs.length() + 1));
    for_each_dealt(part.threads, runs.count() * pieces, chunk, [&](Index i) {
      const Index run = i / pieces, start = i % pieces * piece_elements;
      const Index count = std::min(piece_elements, runs.length() - start);
      body(runs.file_start(run) + start, box_start + run * runs.length() + start, count);
      watcher.advance(count);
    });
    box_start += box.count();
  }
}

}  // namespace shardfft::files
