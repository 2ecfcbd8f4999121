// What a halo does when it is called.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plan/callable.hpp"
#include "plan/halo/impl.hpp"
#include "shardfft/text.hpp"
#include "support/comm/agree.hpp"
#include "support/refuse.hpp"
#include "transport/dry_run.hpp"

namespace shardfft {
namespace {

constexpr std::byte bad_call{255};  // in the handshake; else the number of the call

constexpr int round_of(HaloCall call) { return call == HaloCall::exchange ? 0 : 1; }
constexpr const char* name_of(HaloCall call) {
  constexpr const char* names[] = {"exchange()", "accumulate() of f32", "accumulate() of f64"};
  return names[static_cast<int>(call)];
}

}  // namespace

// Throws for what is wrong on this rank.
void Halo::Impl::check(HaloCall what, const View& view) const {
  if (looks_only(*transport))
    refuse_argument(
        "a halo on ranks of a dry run is looked at and never filled; make it on ranks that exist, with another "
        "transport");
  if (split)
    refuse_argument(
        "call out of order: a halo does one thing at a time, and what was started is under way; call wait() first");
  if (what == HaloCall::of_no_precision)
    refuse_argument("accumulate() takes the precision of numbers, f32 (0) or f64 (1); got neither; name one of them");
  if (view.bytes == View::refused) refuse_argument(static_cast<const char*>(view.data));
  const Index number = what == HaloCall::accumulate_f32 ? 4 : 8;
  if (what != HaloCall::exchange && element != number && element != 2 * number)
    refuse_argument(
        fmt::format("accumulate() adds real or complex numbers of f{}, {} or {} bytes; got elements of {}; name the "
                    "precision that they have",
                    8 * number, number, 2 * number, element));
  if (bytes == 0) return;
  if (!view.data)
    refuse_argument(
        fmt::format("`array` points to this rank's box with its halo, {} bytes; got a null pointer", bytes));
  if (view.bytes < bytes)
    refuse_argument(
        fmt::format("`array` holds at least {} bytes on this rank, box and halo; got {}", bytes, view.bytes));
  const auto said = static_cast<Index>(view.complex ? 2 * view.scalar : view.scalar);
  if (said != 0 && said != element)
    refuse_argument(fmt::format("`array` holds elements of {} bytes; got numbers of {}; make the halo with their size",
                                element, said));
  if (said != 0 && what != HaloCall::exchange && static_cast<Index>(view.scalar) != number)
    refuse_argument(fmt::format("accumulate() was told f{}; got numbers of f{}; name the precision that they have",
                                8 * number, 8 * view.scalar));
  if (view.space != Space::unknown && view.space != Space::host)
    refuse_argument(fmt::format("`array` of a halo is memory of the host; got memory of {}; copy it to the host",
                                name(view.space)));
}

// Every call passes here and allocates nothing.
void Halo::Impl::begin(HaloCall what, const View& view) {
  require_here();
  require_whole();
  std::byte mine = static_cast<std::byte>(what);
  try {
    check(what, view);
  } catch (const Error&) { mine = bad_call; }
  if (mine != bad_call) channel->prepare(round_of(what));
  channel->handshake(comm, mine, words);
  if (std::ranges::find(words, bad_call) != words.end()) collectively(comm, [&] { check(what, view); });
  const auto other = std::ranges::find_if(words, [&](std::byte word) { return word != words.front(); });
  if (other != words.end())
    throw Error(Status::mismatch,
                fmt::format("all ranks make the same call of a halo; rank 0 calls {} and rank {} {}; call one of them "
                            "everywhere",
                            name_of(static_cast<HaloCall>(words.front())), other - words.begin(),
                            name_of(static_cast<HaloCall>(*other))));
  call = what;
  array = static_cast<std::byte*>(const_cast<void*>(view.data));
  stage = CallStage::room;
}

void Halo::Impl::require_whole() const {
  if (broken)
    throw Error(
        Status::transport_failed,
        fmt::format("a halo whose call failed cannot be filled again; make a new one (it failed with: {})", *broken));
}

// An error leaves the halo broken, since peers may be anywhere.
bool Halo::Impl::advance(bool block) {
  require_here();
  require_whole();
  try {
    return take_steps(block);
  } catch (const std::exception& e) {
    broken = e.what();
    channel->end(/*in_run=*/true, channel_memory);
    throw;
  }
}

bool Halo::Impl::take_steps(bool block) {
  const int round = round_of(call);
  const auto at = static_cast<std::size_t>(round);
  if (stage == CallStage::room) {
    if (!block && !channel->ready(round)) return false;
    channel->begin(round);
    shardfft::run(stores[at], HaloWay::store, array, strides, element, threads);
    channel->send(round, 0);
    stage = CallStage::arrival;
  }
  if (stage == CallStage::arrival) {
    if (!block && !channel->arrived(round)) return false;
    channel->wait(round);
    const HaloWay way = call == HaloCall::exchange         ? HaloWay::fill
                        : call == HaloCall::accumulate_f32 ? HaloWay::add_f32
                                                           : HaloWay::add_f64;
    shardfft::run(reads[at], way, array, strides, element, threads);
    channel->release(round);
    stage = CallStage::none;
  }
  return true;
}

void Halo::Impl::run(HaloCall what, const View& view) {
  const OneThread here(in_call, noun);
  begin(what, view);
  (void)advance(true);
}

void Halo::Impl::start(HaloCall what, const View& view) {
  const OneThread here(in_call, noun);
  begin(what, view);
  split = true;
  (void)advance(!channel->interleaves());
}

bool Halo::Impl::go_on(bool block) {
  const OneThread here(in_call, noun);
  if (!split && !broken)
    refuse_argument(
        "call out of order: test() and wait() follow start_exchange() or start_accumulate(); call one of them first");
  const bool done = advance(block);
  split = split && !block;
  return done;
}

Halo::Halo(const Comm& comm, const Layout& layout, const HaloSpec& spec, std::size_t element_bytes,
           const Options& options)
    : impl_(std::make_unique<Impl>(comm, layout, spec, element_bytes, options)) {}
Halo::~Halo() { end_or_put_off(impl_); }
Halo::Halo(Halo&&) noexcept = default;
Halo& Halo::operator=(Halo&& other) noexcept {
  Halo old(std::move(*this));
  impl_ = std::move(other.impl_);
  return *this;
}

const Layout& Halo::layout() const { return there(impl_).layout; }
const HaloSpec& Halo::spec() const { return there(impl_).spec; }
Box Halo::box() const { return there(impl_).box; }
Box Halo::grown_box() const { return there(impl_).grown; }
const std::vector<Placement>& Halo::memory() const { return there(impl_).memory; }
std::size_t Halo::bytes() const { return there(impl_).bytes; }
Array Halo::make_array() const { return Array(there(impl_).bytes); }

std::size_t Halo::index(const Coord& at) const {
  const Impl& m = there(impl_);
  if (at.dims() != m.grown.dims() || !m.grown.contains(at))
    refuse_argument(fmt::format("cells lie in the box with its halo, {}; got {}; ask grown_box()", to_string(m.grown),
                                to_string(at)));
  return static_cast<std::size_t>(m.offset(at));
}

namespace {

constexpr HaloCall accumulate_call(Precision precision) {
  return precision == Precision::f32   ? HaloCall::accumulate_f32
         : precision == Precision::f64 ? HaloCall::accumulate_f64
                                       : HaloCall::of_no_precision;
}

}  // namespace

void Halo::exchange(View array) { callable(impl_).run(HaloCall::exchange, array); }
void Halo::accumulate(View array, Precision precision) { callable(impl_).run(accumulate_call(precision), array); }
void Halo::start_exchange(View array) { callable(impl_).start(HaloCall::exchange, array); }
void Halo::start_accumulate(View array, Precision precision) {
  callable(impl_).start(accumulate_call(precision), array);
}
bool Halo::test() { return callable(impl_).go_on(false); }
void Halo::wait() { (void)callable(impl_).go_on(true); }

std::string Halo::describe() const {
  const Impl& m = there(impl_);
  const auto amount = [&](const std::vector<HaloPiece>& pieces) {
    Index bytes = 0;
    for (const HaloPiece& piece : pieces)
      if (piece.peer != m.comm.rank()) bytes += piece.box.count() * m.element;
    return fmt::format("{} with {}", counted(static_cast<Index>(m.messages(pieces, nullptr).size()), "message"),
                       bytes_text(bytes));
  };
  return fmt::format(
      "{} cells before and {} behind each box of {}, {}{}: rank {} sends {} and receives {}, by {}",
      to_string(m.spec.low), to_string(m.spec.high), m.layout.describe(),
      m.spec.corners ? "with corners" : "faces only",
      m.spec.periodic.empty() ? "" : fmt::format(", periodic along axes {}", fmt::join(m.spec.periodic, " ")),
      m.comm.rank(), amount(m.inside), amount(m.outside), m.transport->name());
}

}  // namespace shardfft
