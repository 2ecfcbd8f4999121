// How a halo comes to be. Which cells travel is index arithmetic (grid/pieces.hpp), how they travel is the transports'
// business. Round 0 of the channel is exchange, round 1 accumulate: the same messages the other way.
#include "shardfft/halo.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/bind/memory.hpp"
#include "plan/halo/impl.hpp"
#include "plan/impl.hpp"
#include "planner/decide/backends.hpp"
#include "planner/options/choices.hpp"
#include "shardfft/programs/machine.hpp"
#include "support/comm/agree.hpp"
#include "support/memory/round_up.hpp"
#include "support/refuse.hpp"
#include "support/text/notice.hpp"
#include "transport/dry_run.hpp"

namespace shardfft {
namespace {

// Pieces begin on cache lines of their message.
Index message_bytes(const HaloPiece& piece, Index element_bytes) {
  return round_up(piece.box.count() * element_bytes, cache_line);
}

void check_widths(const Coord& widths, const char* name, int dims) {
  if (widths.dims() != dims)
    refuse_argument(fmt::format("a halo has one width for each of the {} axes; got {} in `{}`; 0 is none", dims,
                                widths.dims(), name));
  for (const Index width : widths)
    if (width < 0 || width >= Index{1} << 58)
      refuse_argument(
          fmt::format("a width of a halo is 0 or more cells, less than 2^58; got {} in `{}`; 0 is none", width, name));
}

// Checks the widths, and counts axes from the front.
HaloSpec checked(HaloSpec spec, const Layout& layout, std::size_t element_bytes, int ranks) {
  const int dims = layout.global().dims();
  if (layout.ranks() != ranks)
    throw Error(Status::invalid_layout,
                fmt::format("a halo is of a layout over the ranks of its group; got one over {} "
                            "for {} ranks; make the layout with comm.size()",
                            layout.ranks(), ranks));
  check_widths(spec.low, "low", dims);
  check_widths(spec.high, "high", dims);
  for (int& axis : spec.periodic) {
    if (axis < -dims || axis >= dims)
      refuse_argument(fmt::format("periodic axes are from {} to {}; got {}; leave it out", -dims, dims - 1, axis));
    axis += axis < 0 ? dims : 0;
  }
  if (constexpr std::array sizes{1, 2, 4, 8, 16}; std::ranges::find(sizes, element_bytes) == sizes.end())
    refuse_argument(
        fmt::format("elements of a halo have 1, 2, 4, 8 or 16 bytes; got {}; make what they consist of the last axis",
                    element_bytes));
  return spec;
}

// Each time that a halo goes around the array is a piece of its own.
void check_rounds(const Box& grown, const Coord& period) {
  constexpr Index most = Index{1} << 20;
  Index rounds = 1;
  for (int a = 0; a < grown.dims(); ++a) {
    const Index along = period[a] > 0 ? grown.extent(a) / period[a] + 1 : 1;
    if (along > most / rounds)
      refuse_argument(
          fmt::format("a halo goes around a periodic array at most 2^20 times; got {} cells along axis {} "
                      "of {} elements; make it narrower",
                      grown.extent(a), a, period[a]));
    rounds *= along;
  }
}

void check_boxes(const Layout& layout) {
  for (int rank = 0; rank < layout.ranks(); ++rank)
    if (layout.spec().kind == LayoutSpec::Kind::cyclic ? layout.ranks() > 1 : layout.boxes(rank).size() > 1)
      throw Error(Status::invalid_layout,
                  fmt::format("a halo is around one box of each rank; got {}; take slabs, pencils, bricks, or one box "
                              "for each rank",
                              layout.describe()));
}

// What is not in order is for the plans that the same options make.
Options checked(const Options& options) {
  Options o = choose_from(options).options;
  if (!o.device.empty())
    throw Error(
        Status::unsupported,
        fmt::format("halos are not on devices yet; got device {}; leave it out, with the array in memory of the "
                    "host",
                    o.device));
  return o;
}

}  // namespace

Halo::Impl::Impl(const Comm& group, const Layout& of, const HaloSpec& asked, std::size_t element_bytes,
                 const Options& options)
    : comm(group), layout(of), words(static_cast<std::size_t>(group.size())) {
  Options o;
  collectively(comm, [&] {
    spec = checked(asked, layout, element_bytes, comm.size());
    check_boxes(layout);
    element = static_cast<Index>(element_bytes);
    o = checked(options);
    threads = o.threads > 0 ? o.threads : usual_threads(comm);
    place(o);
  });
  require_same(
      comm, "the layout and the halo",
      fmt::format("shape {}\nlayout {}\nlow {}\nhigh {}\nperiodic {}\ncorners {}\nelement bytes {}\ntransport {}",
                  to_string(layout.global()), to_string(layout.spec()), to_string(spec.low), to_string(spec.high),
                  fmt::join(spec.periodic, " "), spec.corners, element, o.expert.transport));
  collectively(comm, [&] {
    inside = halo_to_send(layout, cells, comm.rank());
    outside = halo_to_receive(layout, cells, comm.rank());
  });
  open(o);
}

// Places the box in the array, with room around it.
void Halo::Impl::place(const Options& options) {
  cells = {.low = spec.low, .high = spec.high, .period = Coord::filled(spec.low.dims(), 0), .corners = spec.corners};
  for (const int axis : spec.periodic) cells.period[axis] = layout.global()[axis];
  const auto boxes = layout.boxes(comm.rank());
  const Coord zero = Coord::filled(spec.low.dims(), 0);
  box = boxes.empty() ? Box{zero, zero} : boxes.front();
  grown = cells.around(box);
  (void)product(grown.shape());  // throws if nobody can count them
  check_rounds(grown, cells.period);
  memory = options.input_memory;
  if (!memory.empty()) (void)placements(layout, comm.rank(), memory, "input_memory");
  if (boxes.empty()) return;
  if (memory.empty()) memory = {{0, packed_strides(grown.shape(), layout.order(), 1, false)}};
  Placement first = memory.front();                               // of the first cell
  check_placement(grown, {0, first.strides}, 0, "input_memory");  // so that the room before the box can be counted
  Index room = 0;
  for (int a = 0; a < box.dims(); ++a) room += cells.low[a] * first.strides[a];
  if (options.input_memory.empty())
    memory.front().offset = room;
  else
    first.offset -= room;
  if (first.offset < 0)
    throw Error(Status::invalid_layout,
                fmt::format("options.input_memory[0].offset leaves room for the halo before the box, {} elements; got "
                            "{}; make it that large",
                            room, memory.front().offset));
  check_placement(grown, first, 0, "input_memory");
  bytes = static_cast<std::size_t>(extent_of({grown}, {first}) * element);
  strides = first.strides;
  for (int a = 0; a < box.dims(); ++a) strides[a] *= element;
}

Index Halo::Impl::offset(const Coord& at) const {
  return memory.front().offset + offset_between(box.lo, at, memory.front().strides);
}

// One for each peer; what stays on this rank is in none. `inbox`: its length, of messages that come in.
std::vector<Message> Halo::Impl::messages(const std::vector<HaloPiece>& pieces, Index* inbox) const {
  std::vector<Message> all;
  for (const HaloPiece& piece : pieces) {
    if (piece.peer == comm.rank()) continue;
    if (all.empty() || all.back().peer != piece.peer) all.push_back({.peer = piece.peer, .offset = inbox ? *inbox : 0});
    all.back().bytes += message_bytes(piece, element);
    if (inbox) *inbox += message_bytes(piece, element);
  }
  return all;
}

void Halo::Impl::open(const Options& options) {
  Traffic traffic;
  for (const bool exchanges : {true, false}) {
    Round& round = traffic.rounds.emplace_back();
    round.out = messages(exchanges ? inside : outside, nullptr);
    round.in = messages(exchanges ? outside : inside, &round.inbox_bytes);
  }
  std::vector<const Transport*> all;
  collectively(comm, [&] { all = choose_transports(comm, options.expert.transport, /*forced=*/true, nullptr); });
  for (std::size_t i = 0; !channel; ++i) {
    transport = all[i];
    require_room(comm, need_of(comm, *transport, traffic, /*own=*/true), "a halo",
                 "use more nodes, or a smaller shape");
    try {
      channel = transport->open(comm, traffic);
    } catch (const Error& e) {
      if (i + 1 == all.size()) throw;
      if (comm.rank() == 0)
        notice(
            fmt::format("transport {} cannot be used ({}); using {}", transport->name(), e.what(), all[i + 1]->name()));
    }
  }
  collectively(comm, [&] {
    const bool dry = looks_only(*transport);
    if (!dry)
      channel_memory->reset(allocate(static_cast<std::size_t>(channel->private_bytes()), "the buffers of a halo"));
    channel->bind(channel_memory->get());
    if (dry) return;
    for (const int round : {0, 1}) {
      const auto at = static_cast<std::size_t>(round);
      stores[at] = moves(round == 0 ? inside : outside, round == 1, round, true);
      reads[at] = moves(round == 0 ? outside : inside, round == 0, round, false);
    }
  });
}

// Pieces lie in messages one after the other, in the layout's order; both ends count alike. `of_cells`: the array's
// side are cells of the halo, else elements of the box.
std::vector<HaloMove> Halo::Impl::moves(const std::vector<HaloPiece>& pieces, bool of_cells, int round,
                                        bool out) const {
  std::vector<HaloMove> all;
  std::size_t next = 0;  // message
  std::byte* message = nullptr;
  Index used = 0;
  int peer = -1;
  for (const HaloPiece& piece : pieces) {
    Coord shifted = piece.box.lo;
    for (int a = 0; a < shifted.dims(); ++a) shifted[a] += piece.shift[a];
    const Index own = offset(piece.box.lo) * element, cell = offset(shifted) * element;
    HaloMove move{.shape = piece.box.shape(), .at = of_cells ? cell : own};
    if (piece.peer == comm.rank()) {
      if (out) continue;
      move.other = of_cells ? own : cell;
      move.other_strides = strides;
    } else {
      if (piece.peer != peer) {
        message = out ? channel->out(round, next) : const_cast<std::byte*>(channel->in(round, next));
        ++next, used = 0, peer = piece.peer;
      }
      move.message = message;
      move.other = used;
      move.other_strides = packed_strides(move.shape, layout.order(), element, false);
      used += message_bytes(piece, element);
    }
    all.push_back(move);
  }
  return all;
}

}  // namespace shardfft
