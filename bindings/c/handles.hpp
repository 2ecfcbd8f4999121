// What the handles of shardfft.h hold.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "shardfft.h"
#include "shardfft/shardfft.hpp"
#include "status.hpp"

/// `lent` ones are parts of something else: to destroy them does nothing.
struct shardfft_comm_s {
  shardfft::Comm comm;
  bool lent = false;
  std::string kind{comm.kind()};  ///< ends with a zero
};

struct shardfft_spec_s {
  shardfft::LayoutSpec spec{};
  std::vector<std::pair<int, shardfft::Box>> boxes{};  ///< with their ranks, of which the spec does not know the number

  [[nodiscard]] shardfft::LayoutSpec on(int ranks) const;
};

struct shardfft_layout_s {
  shardfft::Layout layout;
  bool lent = false;
  int listed = -1;                     ///< the rank whose boxes these are:
  std::vector<shardfft::Box> boxes{};  ///< callers ask for them one by one
};

struct shardfft_problem_s {
  shardfft::Problem problem{};
};

struct shardfft_options_s {
  shardfft::Options options{};
  /// A layout as its words, or as a spec, whichever came last.
  struct Asked {
    std::string words{};
    shardfft_spec_s spec{};
    [[nodiscard]] shardfft::LayoutSpec of(int dims, int ranks) const;
  } input{}, output{};

  /// For a plan of `dims` axes on `ranks` ranks.
  [[nodiscard]] shardfft::Options complete(int dims, int ranks) const;
};

struct shardfft_halo_s {
  shardfft::Halo halo;
};

struct shardfft_array_s {
  shardfft::Array array;
  std::string space{shardfft::name(array.space())};
};

struct shardfft_plan_s {
  shardfft_plan_s(const shardfft::Comm& comm, const shardfft::Problem& problem, const shardfft::Options& options)
      : plan(comm, problem, options), input{plan.input(), true}, output{plan.output(), true} {
    if (options.apply != shardfft::Apply::none) middle = {plan.middle(), true};
  }
  shardfft::Plan plan;
  shardfft_layout_s input, output, middle{};
};

namespace shardfft::c {

inline const Comm& there(shardfft_comm handle) { return there(handle, "a shardfft_comm").comm; }
inline shardfft_layout_s& there(shardfft_layout handle) { return there(handle, "a shardfft_layout"); }
inline shardfft_spec_s& there(shardfft_spec handle) { return there(handle, "a shardfft_spec"); }
inline Problem& there(shardfft_problem handle) { return there(handle, "a shardfft_problem").problem; }
inline shardfft_options_s& there(shardfft_options handle) { return there(handle, "a shardfft_options"); }
inline Halo& there(shardfft_halo handle) { return there(handle, "a shardfft_halo").halo; }
inline Plan& there(shardfft_plan handle) { return there(handle, "a shardfft_plan").plan; }

/// A caller's array. One that is refused says why: without a text the call would succeed.
inline View memory_at(const void* start, std::size_t bytes) {
  const auto* text = static_cast<const char*>(start);
  if (bytes == SHARDFFT_REFUSED && (!text || !*text))
    return {"an array with the length SHARDFFT_REFUSED is a text that says what is wrong; got no text; pass one",
            bytes};
  return {start, bytes};
}

/// The number of axes in a list, checked before the list is read.
inline int axes_at_most(int count, const char* name) {
  if (count < 0 || count > max_dims)
    throw Error(Status::invalid_problem, "the number of " + std::string(name) + " is from 0 to " +
                                             std::to_string(max_dims) + "; got " + std::to_string(count) +
                                             "; name each axis once");
  return count;
}

/// A number of an enum of shardfft.h, in which `last` is the greatest. `name`: "the kind"
template <class Enum>
Enum choice(int number, Enum last, const char* name, Status status = Status::invalid_argument) {
  if (number < 0 || number > static_cast<int>(last))
    throw Error(status, std::string(name) + " is a number from 0 to " + std::to_string(static_cast<int>(last)) +
                            "; got " + std::to_string(number) + "; take the names of shardfft.h");
  return static_cast<Enum>(number);
}
inline Direction direction_of(int number) { return choice(number, Direction::backward, "the direction"); }

}  // namespace shardfft::c
