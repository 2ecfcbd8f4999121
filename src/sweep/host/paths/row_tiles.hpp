// Full tiles of pencils that are neighbours in memory: the kernel reads or writes their rows by itself.
#pragma once

#include "support/memory/unset_array.hpp"
#include "sweep/host/paths/tile_transfer.hpp"

namespace shardfft {

/// Takes tiles that are neighbours at one end at least. At the other end they are gathered or scattered.
class RowTiles final : public TilePath {
 public:
  /// `two_in_row`: the kernel may take the tiles of two kernels at once.
  [[nodiscard]] static bool suits(const TileAxis& axis, bool two_in_row) {
    return (axis.kernels == 1 || (axis.kernels == most_in_row && two_in_row)) && !axis.is_chirped() &&
           (axis.reads_rows() || axis.kernel->writes_rows());
  }
  explicit RowTiles(const TileAxis& axis)
      : axis_(axis),
        transfer_(axis),
        own_(axis.own),
        apart_(axis.own * axis.element_out()),
        reads_(axis.reads_rows()),
        writes_(axis.kernel->writes_rows()) {}
  [[nodiscard]] bool run(const TileInMemory& tile, std::byte* scratch, const TileRun& how,
                         double& norm2) const override;
  [[nodiscard]] std::optional<bool> record(const TileInMemory& tile, RecordedTiles& recorded) const override;
  void replay(std::span<const RecordedTile> tiles, const RecordedTiles::Replay& run, std::byte* scratch,
              double scale) const override;

 private:
  static constexpr int most_in_row = 2;
  struct RowEnds {  // for each kernel, the ends at which it reaches memory by itself
    bool has_from = false, has_to = false;
    UnsetArray<RowSource, most_in_row> from;
    UnsetArray<RowTarget, most_in_row> to;
  };
  using Results = UnsetArray<std::byte*, most_in_row>;
  void replay(const RecordedTile& tile, const RecordedTiles::Replay& run, std::byte* scratch, double scale) const;
  [[nodiscard]] bool find(const TileInMemory& tile, const TileRun& how, RowEnds& ends) const;
  [[nodiscard]] Index to_next_tile(const TilePencils& read, const PencilRows& from) const;
  void prefetch_while_storing(RowEnds& ends, Index pencils) const;
  void transform(const RowEnds& ends, Index pencils, std::byte* scratch, Results& results) const;
  [[nodiscard]] std::size_t tiles(Index pencils) const { return pencils == own_ ? 1 : most_in_row; }

  const TileAxis& axis_;
  TileTransfer transfer_;
  Index own_;    // the kernel's pencils
  Index apart_;  // bytes of a row from one kernel's tile to the next; kernels are complex at both ends, or real at both
  bool reads_, writes_;
};

}  // namespace shardfft
