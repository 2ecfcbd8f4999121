// How a block of threads carries pencils of a fused transform into its tile or its registers and out of them. What
// transforms them between is the caller's.
#pragma once

#include "device/kernels/fused_places.hpp"
#include "device/kernels/fused_steps.hpp"
#include "device/kernels/prepared_move.hpp"

namespace shardfft {

/// In this order, with a barrier between any two that use the tile:
///   load, or gather, from_half_spectra where reals come out, take
///   the transform of each part: enter(), the caller's, leave() unless there are several parts
///   store, or give, join_parts where there are several, to_half_spectra where reals come in, scatter
template <class T, class Shape>
struct FusedPencils : FusedSteps<T, Shape> {
  using Element = Pack<T, 2>;
  static constexpr int per_thread = Shape::per_thread;

  MoveBases bases{};
  bool half_in = false, half_out = false;  ///< pencils have element m

  FusedPencils() = default;
  FusedPencils(const FusedSpec& spec, const FusedTableView& view, const MoveBases& places) : bases(places) {
    this->place.m_ = static_cast<int>(spec.complex_n());
    this->table = view;
    this->real_in = !spec.complex_in(), this->real_out = !spec.complex_out();
    half_in = this->real_out, half_out = this->real_in;
    this->sign = spec.backward() ? T(-1) : T(1);
    this->scale[0] = static_cast<T>(spec.scale), this->scale[1] = this->sign * this->scale[0];
  }
  [[nodiscard]] SHARDFFT_HD Index blocks() const { return this->table.blocks; }

  /// Past the tile, of lone ends: threads have what they transform, as take() gives it.
  SHARDFFT_HD void load(Index block, int thread, Element (&x)[per_thread]) const {
    at_lone_end<true>(block, thread, [&](LoneStretch& way, const PencilOfThread& lane) {
      each<per_thread, Shape::exact>(lane.begin, this->place.m(), [&](int u) {
        const FusedPlace here = way.next();
        x[u] = lane.live ? Element::load(here.memory) : Element{};
      });
    });
  }
  SHARDFFT_HD void store(Index block, int thread, const Element (&x)[per_thread]) const {
    at_lone_end<false>(block, thread, [&](LoneStretch& way, const PencilOfThread& lane) {
      each<per_thread, Shape::exact>(lane.begin, this->place.m(), [&](int u) {
        const FusedPlace here = way.next();
        if (lane.live) x[u].store(here.memory);
      });
    });
  }

  SHARDFFT_HD void gather(Index block, int thread, Element* tile) const {
    at_end<true>(block, thread, [&](auto& way, const PencilOfThread& lane) {
      if (!lane.live) return;
      const auto put = [&](int k, const Element& x) { tile[this->place.before(lane.v, k)] = x; };
      if (this->table.from.scalars)
        read<Pack<T, 1>>(way, lane, 2 * this->place.m(), [&](int k, const Pack<T, 1>& x) {
          tile[this->place.before(lane.v, k / 2)].of[k % 2] = x.of[0];
        });
      else
        read<Element>(way, lane, this->place.m(), put);
      if (half_in && lane.begin == 0) {
        const FusedPlace last = way.at(this->place.m());
        put(last.k, Element::load(last.memory));
      }
    });
  }
  SHARDFFT_HD void scatter(Index block, int thread, const Element* tile) const {
    at_end<false>(block, thread, [&](auto& way, const PencilOfThread& lane) {
      if (!lane.live) return;
      if (this->table.to.scalars)
        write(way, lane, 2 * this->place.m(), [&](const FusedPlace& at) {
          Pack<T, 1>{{tile[this->place.after(lane.v, at.k / 2)].of[at.k % 2]}}.store(at.memory);
        });
      else
        write(way, lane, this->place.m(),
              [&](const FusedPlace& at) { tile[this->place.after(lane.v, at.k)].store(at.memory); });
      if (half_out && lane.begin == 0) {
        const FusedPlace last = way.at(this->place.m());
        tile[this->place.after(lane.v, last.k)].store(last.memory);
      }
    });
  }

  /// Between the tile and registers: number u of a thread is element u * (threads of a part) + its own of a part.
  SHARDFFT_HD void take(int thread, const Element* tile, Element (&x)[per_thread]) const {
    const int own = thread % part_rows, start = this->place.start(thread / part_rows);
    each_of_part(own, [&](int u, int k) { x[u] = tile[start + k]; });
  }
  SHARDFFT_HD void give(int thread, Element* tile, const Element (&x)[per_thread]) const {
    const int own = thread % part_rows, start = this->place.start(thread / part_rows);
    each_of_part(own, [&](int u, int k) { tile[start + k] = x[u]; });
  }

 private:
  static constexpr int part_rows = Shape::rows / Shape::parts;

  /// Which pencil of the tile a thread carries, and from which element on; the next one is Shape::rows further. Threads
  /// beside each other touch what lies beside each other.
  struct PencilOfThread {
    int v = 0, begin = 0;
    bool live = false;  ///< there is such a pencil
    SHARDFFT_HD PencilOfThread(const FusedGroup& group, bool in, bool along, int thread)
        : v(along ? thread / Shape::rows : thread % Shape::at_once),
          begin(along ? thread % Shape::rows : Shape::first_across(in, thread / Shape::at_once)),
          live(group.has(v)) {}
  };

  template <bool in, class Visit>
  SHARDFFT_HD void at_lone_end(Index block, int thread, const Visit& visit) const {
    const PreparedFamily& family = this->table.family;
    const PreparedStretch& stretch = (in ? this->table.from : this->table.to).stretch;
    const FusedGroup group(family, static_cast<std::uint32_t>(block), Shape::at_once);
    const PencilOfThread lane(group, in, (in ? family.from : family.to).along, thread);
    LoneStretch way(group, stretch, bases.start[static_cast<int>(stretch.base)], lane.v, lane.begin, Shape::rows);
    visit(way, lane);
  }
  /// visit(way, lane), compiled for each kind of way.
  template <bool in, class Visit>
  SHARDFFT_HD void at_end(Index block, int thread, const Visit& visit) const {
    const FusedTableView& table = this->table;
    if ((in ? table.from : table.to).lone) return at_lone_end<in>(block, thread, visit);
    const Index number = box_of_block(table.first_block, table.count, block);
    const PreparedFamily& family = table.families[number];
    const PreparedEnd& end = in ? family.from : family.to;
    const FusedGroup group(family, static_cast<std::uint32_t>(block - table.first_block[number]), Shape::at_once);
    const PencilOfThread lane(group, in, end.along, thread);
    SearchedStretches way(group, table.stretches + end.first_stretch, end.stretches, bases, lane.v, lane.begin,
                          Shape::rows);
    visit(way, lane);
  }

  /// visit(u) for numbers begin + u * rows below `length`, at most `count` of them.
  template <int count, bool exact, class Visit>
  static SHARDFFT_HD void each(int begin, int length, const Visit& visit) {
    SHARDFFT_UNROLL
    for (int u = 0; u < count; ++u) {
      if (!exact && begin + u * Shape::rows >= length) break;
      visit(u);
    }
  }
  template <class Visit>
  SHARDFFT_HD void each_of_part(int own, const Visit& visit) const {
    SHARDFFT_UNROLL
    for (int u = 0; u < per_thread; ++u) {
      const int k = own + u * part_rows;
      if (!Shape::exact && k >= this->place.part()) break;
      visit(u, k);
    }
  }
  /// Loads of a batch are all on their way before the first number is put anywhere.
  template <class Packed, class Way, class Put>
  static SHARDFFT_HD void read(Way& way, const PencilOfThread& lane, int length, const Put& put) {
    constexpr int count = Way::batch == 0 ? per_thread : Way::batch;
    constexpr bool exact = Shape::exact && Way::batch == 0;
    SHARDFFT_NO_UNROLL
    for (int begin = lane.begin; begin < length; begin += count * Shape::rows) {
      Packed batch[count];
      int k[count];
      each<count, exact>(begin, length, [&](int u) {
        const FusedPlace here = way.next();
        batch[u] = Packed::load(here.memory), k[u] = here.k;
      });
      each<count, exact>(begin, length, [&](int u) { put(k[u], batch[u]); });
    }
  }
  template <class Way, class Put>
  static SHARDFFT_HD void write(Way& way, const PencilOfThread& lane, int length, const Put& put) {
    constexpr int count = Way::batch == 0 ? per_thread : 1;
    SHARDFFT_NO_UNROLL
    for (int begin = lane.begin; begin < length; begin += count * Shape::rows)
      each<count, Shape::exact && Way::batch == 0>(begin, length, [&](int) { put(way.next()); });
  }
};

}  // namespace shardfft
