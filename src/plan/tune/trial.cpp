#include "plan/tune/trial.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "planner/options/choices.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/memory/memory_room.hpp"
#include "verify/noise.hpp"

namespace shardfft {
namespace {

using Clock = std::chrono::steady_clock;

Options options_of(const Options& given, const Tuning& variant) {
  Choices choices{.options = given};
  fill_in(choices, variant, "tuner");
  Options o = choices.options;
  o.effort = "model";
  o.wisdom = false;
  o.workspace = nullptr;
  o.workspace_bytes = 0;
  return o;
}

/// After these, ranks may be at different places.
bool ends_the_race(Status status) {
  return status == Status::transport_failed || status == Status::internal || status == Status::mismatch;
}

}  // namespace

Lap Trials::run(const Tuning& variant, int runs, double limit) try {
  Plan plan(comm_, problem_, options_of(given_, variant));
  provide(plan);
  if (const std::string wrong = what_is_wrong(plan, variant); !wrong.empty()) return {.dropped = wrong};
  return {.seconds = best_of(plan, runs, limit)};
} catch (const Error& e) {
  if (ends_the_race(e.status())) throw;
  return {.dropped = e.what()};
}

// Memory is the same for all candidates, but where a plan's own arrays may make it faster: on a device, and among the
// ranks of a node, which reach each other's.
bool Trials::makes_arrays() const {
  return on_device() || (comm_.size() > 1 && comm_.nodes() == 1 && !given_.in_place);
}

// With the copy of an input that is overwritten.
void Trials::require_room(const Plan& plan) {
  if (has_room_ || on_device()) return;
  const bool overwritten = given_.in_place || given_.destroy_input;
  const auto in = static_cast<Index>(plan.input_bytes()), out = static_cast<Index>(plan.output_bytes()),
             larger = std::max(in, out);
  const MemoryNeed need{.own = (given_.in_place ? larger : in + out) + (overwritten ? larger : 0)};
  if (const std::string why = why_no_room(comm_, need); !why.empty())
    throw Error(
        Status::out_of_memory,
        fmt::format(
            "there is no room for the arrays with which recipes are tried: {}; use more nodes, or tune a smaller shape",
            why));
  has_room_ = true;
}

void Trials::provide(const Plan& plan) {
  require_room(plan);
  collectively(comm_, [&] {
    if (makes_arrays()) {
      in_ = {};
      out_ = {};
      in_ = plan.make_input();
      if (!given_.in_place) out_ = plan.make_output();
      return;
    }
    const std::size_t in_bytes =
        given_.in_place ? std::max(plan.input_bytes(), plan.output_bytes()) : plan.input_bytes();
    if (in_.bytes() < in_bytes) in_ = Array(in_bytes);
    if (!given_.in_place && out_.bytes() < plan.output_bytes()) out_ = Array(plan.output_bytes());
  });
}

// Devices are filled from the host.
void Trials::fill(const Plan& plan) {
  if (!on_device()) return fill(plan, in_);
  Array made(in_.bytes());
  fill(plan, made);
  plan.copy(made, in_);
}

// The caller's own places in memory may have gaps, and belong to layouts that do not vary: there, any data that is the
// same for all candidates will do.
void Trials::fill(const Plan& plan, Array& array) {
  const bool complex = problem_.kind != Kind::r2c && problem_.kind != Kind::r2r;
  if (given_.input_memory.empty()) {
    const int padded = !complex && given_.padded_reals ? plan.input().order().back() : -1;  // the rows of reals
    fill_with_noise(plan.input(), comm_.rank(), problem_.precision, complex, array, 1, padded);
    return;
  }
  const auto set = [&](auto values) {
    std::uint64_t state = 1 + static_cast<std::uint64_t>(comm_.rank());
    for (auto& v : values) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      v = static_cast<std::remove_reference_t<decltype(v)>>(static_cast<double>(state >> 40) * 0x1p-23 - 1);
    }
  };
  problem_.precision == Precision::f32 ? set(array.as<float>()) : set(array.as<double>());
}

Array Trials::copy_of(const Plan& plan, Array& array) const {
  Array copy;
  collectively(comm_, [&] { copy = Array(array.bytes()); });
  plan.copy(array, copy);
  return copy;
}

// The first results of an engine are verified; all others must have the same bits. In approximate mode, and on devices,
// bits depend on how the work is spread: there, those of each variant are verified, and again where they change.
std::string Trials::what_is_wrong(Plan& plan, const Tuning& variant) {
  fill(plan);
  const std::uint64_t input = plan.hash_input(in());
  const bool exact = plan.loss().bytes_before == 0 && !has_tolerance(given_) && given_.device.empty();
  const std::pair key{exact ? variant.engine : to_string(variant), input};
  const auto known = right_.find(key);
  const bool verified = !exact || known == right_.end(),
             overwritten = verified && (given_.in_place || given_.destroy_input);
  const auto verdict = [&](View from, View to, Direction direction) -> std::string {
    const Verdict v = plan.verify(from, to, direction);
    return v.ok() ? ""
                  : fmt::format("its result {} is wrong: relative error {:.2e}, bound {:.2e}",
                                direction == Direction::forward ? "forward" : "backward", v.error_rel_l2, v.bound);
  };
  Array before = overwritten ? copy_of(plan, in()) : Array();
  plan.forward(in(), out());
  if (spoil_) spoil_(Direction::forward, out());
  Hashes found{.forward = plan.hash_output(out())};
  const bool new_forward = known == right_.end() || found.forward != known->second.forward;
  if (verified && new_forward)
    if (const std::string wrong = verdict(overwritten ? before : in(), out(), Direction::forward); !wrong.empty())
      return wrong;
  before = overwritten ? copy_of(plan, out()) : Array();
  plan.backward(out(), in());
  if (spoil_) spoil_(Direction::backward, in());
  found.backward = plan.hash_input(in());
  if (verified && (new_forward || found.backward != known->second.backward))
    if (const std::string wrong = verdict(overwritten ? before : out(), in(), Direction::backward); !wrong.empty())
      return wrong;
  if (verified) right_[key] = found;
  if (verified || found == known->second) return {};
  const auto& [right, mine, where] = found.forward != known->second.forward
                                         ? std::tuple(known->second.forward, found.forward, "forward")
                                         : std::tuple(known->second.backward, found.backward, "backward");
  return fmt::format("its result {} differs from that of other recipes with engine {}: hash {:016x} instead of {:016x}",
                     where, variant.engine, mine, right);
}

double Trials::best_of(Plan& plan, int runs, double limit) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    comm_.barrier();
    const auto start = Clock::now();
    plan.forward(in(), out());
    plan.backward(out(), in());
    plan.synchronize();
    const double mine = std::chrono::duration<double>(Clock::now() - start).count() / 2;
    best = std::min(best, all_max(comm_, mine));
    if (best > limit) break;
  }
  return best;
}

}  // namespace shardfft
