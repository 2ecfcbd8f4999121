#include "plan/run_gate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "plan/impl.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "transport/dry_run.hpp"

namespace shardfft {
namespace {

struct Wanted {
  const char* name;  // "in" or "out"
  const PlanArray& array;
  const CheckedProblem& problem;
};

[[noreturn]] void fail(const std::string& text) { throw Error(Status::invalid_argument, text); }

/// What is wrong with it; empty if nothing is.
std::string fault_of(const View& view, const Wanted& e) {
  if (view.bytes == View::refused) return static_cast<const char*>(view.data);
  const auto& [name, array, problem] = e;
  const std::size_t scalar = size_of(problem.scalar), element = (array.complex ? 2 : 1) * scalar;
  if (array.bytes == 0) return {};
  if (!view.data)
    return fmt::format("`{}` points to this rank's part of the array, {} bytes; got a null pointer", name, array.bytes);
  const auto words = [](std::size_t bytes, bool complex) {
    return fmt::format("{} f{}", complex ? "complex" : "real", 8 * bytes);
  };
  if (problem.moves() && view.scalar != 0 && (view.complex ? 2 : 1) * view.scalar != element)
    return fmt::format("`{}` holds elements of {} bytes, {} bytes on this rank; got {} numbers", name, element,
                       array.bytes, words(view.scalar, view.complex));
  if (!problem.moves() && view.scalar != 0 && (view.scalar != scalar || view.complex != array.complex))
    return fmt::format("`{}` holds {} numbers, {} bytes on this rank; got {} numbers, {} bytes{}", name,
                       words(scalar, array.complex), array.bytes, words(view.scalar, view.complex), view.bytes,
                       view.scalar == scalar
                           ? "; convert them, or make a plan of another kind"
                           : fmt::format("; convert them, or make the plan with precision f{}", 8 * view.scalar));
  if (reinterpret_cast<std::uintptr_t>(view.data) % scalar != 0)
    return fmt::format("`{}` is aligned to its scalars of {} bytes; got the address {}", name, scalar, view.data);
  if (view.bytes < array.bytes)
    return fmt::format("`{}` holds at least {} bytes on this rank; got {}", name, array.bytes, view.bytes);
  return {};
}

/// `call`(in, out) with both arrays. Where they would be right the other way round, that is said.
void check_two(const View& in, const Wanted& expected_in, const View& out, const Wanted& expected_out,
               std::string_view call, bool fwd) {
  std::string fault = fault_of(in, expected_in);
  if (fault.empty()) fault = fault_of(out, expected_out);
  if (fault.empty()) return;
  if (fault_of(in, expected_out).empty() && fault_of(out, expected_in).empty())
    fault += fmt::format(
        "; the arguments are exchanged: {}(in, out) takes first what is read, here in the plan's {} layout, and second "
        "what is written, in its {} layout",
        call, fwd ? "input" : "output", fwd ? "output" : "input");
  fail(fault);
}

bool overlap(const View& a, std::size_t a_bytes, const View& b, std::size_t b_bytes) {
  const auto* p = static_cast<const std::byte*>(a.data);
  const auto* q = static_cast<const std::byte*>(b.data);
  return a_bytes > 0 && b_bytes > 0 && p < q + b_bytes && q < p + a_bytes;
}

}  // namespace

namespace {

// What a rank says at the start of a run (Channel::handshake()): whether its buffers are right, which way it goes, and
// which arrays of the plan they are.
struct HandshakeByte {
  bool bad = false, asks = false;  // asks: its variation is another one than that of the last run
  int run = 0;                     // as `runs` has it
  int in = 0, out = 0;             // as Channel::array_number: 0 to 8
  static constexpr int numbers = 9;
  static constexpr const char* runs[] = {"goes forward", "goes backward", "applies an operator"};

  [[nodiscard]] std::byte byte() const {
    return static_cast<std::byte>(bad ? 255 : asks ? 253 : (run * numbers + in) * numbers + out);
  }
  [[nodiscard]] static HandshakeByte of(std::byte b) {
    const int n = std::to_integer<int>(b);
    return {n == 255, n == 253, n / (numbers * numbers), n / numbers % numbers, n % numbers};
  }
};

// Every rank has the same words, so that all of them throw or none does.
void require_one_direction(const std::vector<std::byte>& words) {
  const auto run = [&](std::size_t rank) { return HandshakeByte::of(words[rank]).run; };
  for (std::size_t rank = 1; rank < words.size(); ++rank) {
    if (run(rank) == run(0)) continue;
    const std::size_t one = run(0) < run(rank) ? 0 : rank, other = rank - one;
    throw Error(Status::mismatch,
                fmt::format("a run has one direction on all ranks; rank {} {} and rank {} {}; call the "
                            "same of them everywhere",
                            one, HandshakeByte::runs[run(one)], other, HandshakeByte::runs[run(other)]));
  }
}

// Whether all ranks passed the plan's array of the same number. Programs make arrays in the same order on all ranks, so
// they do where they pass such arrays at all.
bool same_array(const std::vector<std::byte>& words, int HandshakeByte::* which) {
  const int number = HandshakeByte::of(words.front()).*which;
  return number > 0 && std::all_of(words.begin(), words.end(),
                                   [&](std::byte word) { return HandshakeByte::of(word).*which == number; });
}

}  // namespace

// It allocates nothing. A view may name its space, too.
void PlanParts::check_space(const View& view, const char* name, bool asks_devices) const {
  const RankDevice* holder = recipe.holder();
  if (!asks_devices && !holder && (view.space == Space::unknown || view.space == Space::host)) return;
  const MemoryOwner owner = asks_devices ? owner_of(view.data) : MemoryOwner{},
                    wanted = holder ? MemoryOwner{holder->space(), holder->number()} : MemoryOwner{};
  const auto text = [](const MemoryOwner& o) {
    return o.is_host() ? "memory of the host" : fmt::format("memory of {} device {}", o.space, o.number);
  };
  const auto mismatch = [&](const std::string& got) {
    fail(fmt::format("`{}` of this plan is {}; got {}; {}", name, text(wanted), got,
                     holder ? "copy it there, or make the plan with arrays = host"
                            : "copy it to the host, or make the plan with the option device"));
  };
  if (owner != wanted) mismatch(text(owner));
  const std::string_view said = shardfft::name(view.space);
  if (view.space != Space::unknown && said != wanted.space) mismatch(fmt::format("a view of {} memory", said));
  if (holder && reinterpret_cast<std::uintptr_t>(view.data) % (2 * size_of(recipe.problem.scalar)) != 0)
    fail(fmt::format("`{}` on a device is aligned to complex numbers, {} bytes; got the address {}", name,
                     2 * size_of(recipe.problem.scalar), view.data));
}

RunGate::RunGate(const PlanParts& plan)
    : plan_(plan), never_runs_(looks_only(*plan.transport)), words_(static_cast<std::size_t>(plan.comm.size())) {}

bool RunGate::weighs_in_adjoints() const {
  const CheckedProblem& p = plan_.recipe.problem;
  return p.real || p.is_pruned() || !p.has_fourier_only();
}

void RunGate::require_read(const View& view, bool input_of_forward, const char* name, const char* otherwise) const {
  const auto expected = [&](bool of_input) {
    return Wanted{name, of_input ? plan_.arrays.input : plan_.arrays.output, plan_.recipe.problem};
  };
  collectively(plan_.comm, [&] {
    const std::string fault = fault_of(view, expected(input_of_forward));
    if (!fault.empty())
      fail(fault_of(view, expected(!input_of_forward)).empty()
               ? fmt::format("{}; it fits the plan's {} layout: {}", fault, input_of_forward ? "output" : "input",
                             otherwise)
               : fault);
  });
}

void RunGate::require_both(Direction direction, const View& in, const View& out, const char* call) const {
  const auto ends = plan_.arrays.ends(direction);
  const CheckedProblem& p = plan_.recipe.problem;
  collectively(plan_.comm, [&] {
    check_two(in, {"in", ends.from, p}, out, {"out", ends.to, p}, call, direction == Direction::forward);
  });
}

// Throws for what is wrong on this rank.
void RunGate::require_own(Direction direction, const View& in, const View& out, bool adjoint, const Operator* f) const {
  const bool fwd = direction == Direction::forward;
  const auto [from, to, call] = plan_.arrays.ends(direction, f != nullptr);
  if (!fwd && direction != Direction::backward)  // a number that another language passed
    fail(fmt::format("a run has a direction, forward (0) or backward (1); got {}", static_cast<int>(direction)));
  if (never_runs_)
    fail(
        "a plan on ranks of a dry run is looked at and never run; make it on ranks that exist, with another transport");
  if (split == Split::under_way)
    fail(
        "call out of order: a plan runs once at a time, and a run that was started is under way; call wait() before "
        "the next run");
  const CheckedProblem& p = plan_.recipe.problem;
  check_two(in, {"in", from, p}, out, {"out", to, p}, adjoint ? "adjoint" : call, fwd);
  if (f) require_operator(*f);
  const bool asks_devices = devices_may_own_memory();
  if (from.bytes > 0) plan_.check_space(in, "in", asks_devices);
  if (to.bytes > 0) plan_.check_space(out, "out", asks_devices);
  if (plan_.options().in_place && from.bytes > 0 && to.bytes > 0 && in.data != out.data)
    fail(fmt::format("a plan made with in_place takes the same memory for `in` and `out`; got {} and {}", in.data,
                     out.data));
  if (!plan_.options().in_place && overlap(in, from.bytes, out, to.bytes))
    fail("`in` and `out` are different memory unless the plan was made with in_place; got buffers that overlap");
}

// The last pass multiplies with both at once, in the precision of the plan.
void RunGate::require_factor(Direction direction, const Variation& by) const {
  const double here = factor(direction, by);
  if (here == 1) return;
  if (plan_.recipe.problem.moves())
    throw Error(Status::invalid_argument,
                fmt::format("a plan that only moves has no factor but 1; got {}; leave it out", by.factor));
  const double all = std::abs(here) * plan_.recipe.problem.scale(direction == Direction::forward);
  const bool narrow = plan_.recipe.problem.scalar == Scalar::f32;
  const double least = narrow ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min(),
               most = narrow ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  if (!(all >= least && all <= most))
    throw Error(
        Status::invalid_argument,
        fmt::format("a factor is finite and not 0, and with the plan's scaling a normal number of {}; got {}; use one "
                    "nearer to 1",
                    to_string(plan_.recipe.problem.asked.precision), by.factor));
  if (plan_.recipe.fused())
    throw Error(Status::unsupported,
                fmt::format("engine fused has no factor but 1; got {}; take the engine library", here));
}

// Some elements weigh differently then: devices do not know, nor do those who share out a tolerance.
void RunGate::require_adjoint() const {
  if (!weighs_in_adjoints()) return;
  if (plan_.recipe.problem.is_pruned() && !plan_.recipe.problem.has_fourier_only())
    throw Error(
        Status::unsupported,
        "adjoints of cosines and sines have all modes and points so far; got fewer; leave modes and support out");
  if (plan_.recipe.device)
    throw Error(
        Status::unsupported,
        fmt::format(
            "adjoints of r2c, c2r, cosines, sines and fewer modes are not on devices yet; got device {}; take c2c, or "
            "the processor",
            plan_.options().device));
  if (plan_.recipe.encoding.loses())
    throw Error(
        Status::unsupported,
        "adjoints of r2c, c2r, cosines and sines are exact; got a plan with a tolerance or a codec; make one without");
}

double RunGate::factor(Direction direction, const Variation& by) const {
  if (!by.adjoint) return by.factor;
  const bool fwd = direction == Direction::forward;
  return by.factor * (plan_.recipe.problem.scale(!fwd) / plan_.recipe.problem.scale(fwd));
}

void RunGate::agree_on(Direction direction, const Variation& by) {
  collectively(plan_.comm, [&] {
    if (by.adjoint) require_adjoint();
    require_factor(direction, by);
  });
  require_same(plan_.comm, "the factor of a run, or whether it is an adjoint",
               fmt::format("{}{}", by.factor, by.adjoint ? ", adjoint" : ""));
  variation_ = by;
}

// Every run passes here, so the good case allocates nothing, and tells the ranks of a node through their shared memory.
// A variation is told where it changes.
unsigned RunGate::pass(Direction direction, const View& in, const View& out, const Variation& by, const Operator* f) {
  HandshakeByte mine{.run = f ? 2 : static_cast<int>(direction),
                     .in = plan_.channel->array_number(in.data),
                     .out = plan_.channel->array_number(out.data)};
  try {
    require_own(direction, in, out, by.adjoint, f);
  } catch (const Error&) { mine.bad = true; }
  const std::byte known = mine.byte();
  mine.asks = !mine.bad && !(by == variation_);
  plan_.pipeline(direction, f != nullptr)
      .prepare((mine.in > 0 ? reads_peers : 0u) | (mine.out > 0 ? writes_peers : 0u));
  if (words_.size() == 1 && !mine.bad && !mine.asks)
    return (mine.in > 0 ? reads_peers : 0u) | (mine.out > 0 ? writes_peers : 0u);
  plan_.channel->handshake(plan_.comm, mine.byte(), words_);
  if (std::any_of(words_.begin(), words_.end(), [](std::byte word) { return HandshakeByte::of(word).bad; }))
    collectively(plan_.comm, [&] { require_own(direction, in, out, by.adjoint, f); });
  if (std::any_of(words_.begin(), words_.end(), [](std::byte word) { return HandshakeByte::of(word).asks; })) {
    agree_on(direction, by);
    plan_.comm.allgather(std::span(&known, 1), words_);
  }
  require_one_direction(words_);
  return (same_array(words_, &HandshakeByte::in) ? reads_peers : 0u) |
         (same_array(words_, &HandshakeByte::out) ? writes_peers : 0u);
}

}  // namespace shardfft
