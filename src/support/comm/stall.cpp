#include "support/comm/stall.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <span>

#include "shardfft/error.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/text/notice.hpp"
#include "support/text/number.hpp"

namespace shardfft {
namespace {

constexpr std::size_t most_named = 4;

/// The first of each rank.
std::vector<Owed> by_rank(const std::vector<Owed>& owed) {
  std::vector<Owed> first;
  for (const Owed& o : owed)
    if (std::ranges::find(first, o.rank, &Owed::rank) == first.end()) first.push_back(o);
  return first;
}

}  // namespace

std::chrono::nanoseconds stall_limit() {
  const char* value = std::getenv("SHARDFFT_STALL_SECONDS");
  if (!value || !*value) return std::chrono::seconds(300);
  constexpr double most = 1e9;
  const std::string_view text = value;
  double seconds = 0;
  if (!read_number(text, seconds) || !(seconds >= 0 && seconds <= most))
    throw Error(Status::invalid_argument,
                fmt::format("SHARDFFT_STALL_SECONDS is a number of seconds, 0 to 1000000000; got '{:.200}'; unset it "
                            "for 300, or set 0 to hear of no stall",
                            text));
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

bool StallWatch::say(const std::vector<Owed>& owed) const {
  const std::vector<Owed> ranks = by_rank(owed);
  if (ranks.empty()) return false;
  std::string text;
  for (const Owed& o : std::span(ranks).first(std::min(ranks.size(), most_named))) {
    const RankName name = name_of(comm_, o.rank);
    fmt::format_to(std::back_inserter(text), "{}rank {} on node {} ({})", text.empty() ? "" : ", ", name.rank,
                   name.node, o.what);
  }
  if (ranks.size() > most_named) fmt::format_to(std::back_inserter(text), " and {} more", ranks.size() - most_named);
  text += ranks.size() == 1 ? "; look at this rank: the run goes on when it does"
                            : "; look at these ranks: the run goes on when they do";
  return say(std::string_view(text));
}

bool StallWatch::say(std::string_view whom) const {
  notice(fmt::format("rank {} has waited {:g} s over {} for {}", name_of(comm_, comm_.rank()).rank,
                     std::chrono::duration<double>(limit_).count(), transport_, whom));
  return true;
}

}  // namespace shardfft
