// The words in the segments of all ranks, at the places that SegmentPlan gives them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/shared/segment_plan.hpp"
#include "transport/shared/shared_segment.hpp"

namespace shardfft {

/// Lives as long as the plan and the segments.
class SegmentWords {
 public:
  SegmentWords(const SegmentPlan& plan, const Segments& segments, int me) : plan_(plan), segments_(segments), me_(me) {}

  [[nodiscard]] int me() const { return me_; }
  [[nodiscard]] std::byte* segment(int rank) const { return segments_.of(rank).data(); }
  [[nodiscard]] Counter& closed(int rank) const { return counter(rank, SegmentPlan::closed_at()); }
  [[nodiscard]] Counter& said(int rank, std::uint64_t run) const { return counter(rank, SegmentPlan::said_at(run)); }
  [[nodiscard]] Counter& sent(int rank, Index round) const { return counter(rank, plan_.sent_at(round)); }
  [[nodiscard]] Counter& released(int rank, Index slot) const { return counter(rank, plan_.released_at(slot)); }
  [[nodiscard]] Share& share(int rank, std::uint64_t sum) const {
    return *reinterpret_cast<Share*>(segment(rank) + plan_.share_at(sum));
  }
  /// For every round and source, the number of the first of its entries.
  [[nodiscard]] std::int64_t* first_entries(int rank) const {
    return reinterpret_cast<std::int64_t*>(segment(rank) + plan_.first_at());
  }
  [[nodiscard]] Entry* entries(int rank) const { return reinterpret_cast<Entry*>(segment(rank) + plan_.entries_at()); }

 private:
  [[nodiscard]] Counter& counter(int rank, Index offset) const {
    return *reinterpret_cast<Counter*>(segment(rank) + offset);
  }

  const SegmentPlan& plan_;
  const Segments& segments_;
  int me_;
};

}  // namespace shardfft
