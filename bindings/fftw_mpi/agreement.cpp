#include "agreement.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fftw3-mpi.h"

namespace shardfft::fftw_mpi {
namespace {

/// What a rank says of its request.
struct Word {
  std::size_t hash = 0;  ///< of its text
  bool breaks_rule = false;
  int in_place = -1;  ///< 0, 1, or -1: two null pointers do not tell
  int threads = 1;
  double seconds = -1;
};

struct Text {
  char letters[400] = {};
};

/// All arguments that must be equal on all ranks.
std::string text_of(const Request& request) {
  std::string text = fmt::format("{} of {}, howmany {}, blocks {} and {}, sign {}, flags {:#x}", full_name(request),
                                 fmt::join(request.n, " x "), request.howmany, request.in_block, request.out_block,
                                 request.sign, request.flags & ~FFTW_UNALIGNED);
  if (!request.kinds.empty()) text += fmt::format(", kinds {}", fmt::join(request.kinds, ", "));
  return text;
}

template <class Value>
std::vector<Value> all_of(const Group& group, const Value& mine) {
  std::vector<Value> all(static_cast<std::size_t>(shardfft_comm_size(group.get())));
  check(shardfft_comm_allgather(group.get(), &mine, sizeof mine, all.data()));
  return all;
}

template <class Is>
std::size_t first(const std::vector<Word>& words, Is is) {
  return static_cast<std::size_t>(std::find_if(words.begin(), words.end(), is) - words.begin());
}

/// The rule that a rank breaks, or two requests that differ.
std::string difference(const Group& group, const std::vector<Word>& words, const std::string& asked) {
  const std::size_t breaks = first(words, [](const Word& word) { return word.breaks_rule; });
  const std::size_t other = first(words, [&](const Word& word) { return word.hash != words.front().hash; });
  Text mine;
  asked.copy(mine.letters, sizeof mine.letters - 1);
  const std::vector<Text> texts = all_of(group, mine);
  if (breaks < words.size()) return fmt::format("rank {}: {}", breaks, texts[breaks].letters);
  return fmt::format("all ranks must ask for the same plan; got {} on rank 0, {} on rank {}", texts.front().letters,
                     texts[other].letters, other);
}

}  // namespace

Agreed agree(const Group& group, const Request& request, const Sides& mine) {
  const bool breaks_rule = !mine.refused.empty() && !mine.others_may, same = request.in == request.out;
  const std::string asked = breaks_rule            ? mine.refused
                            : mine.refused.empty() ? text_of(request)
                                                   : fmt::format("{} ({})", text_of(request), mine.refused);
  const std::vector<Word> words = all_of(group, Word{.hash = std::hash<std::string>()(asked),
                                                     .breaks_rule = breaks_rule,
                                                     .in_place = same && request.in == nullptr ? -1 : int{same},
                                                     .threads = request.threads,
                                                     .seconds = request.seconds});
  const auto any = [&](auto is) { return std::any_of(words.begin(), words.end(), is); };
  if (any([&](const Word& word) { return word.hash != words.front().hash; }))
    return {.refused = difference(group, words, asked)};
  if (!mine.refused.empty()) return {.refused = mine.refused, .others_may = mine.others_may};

  const bool in_place = any([](const Word& word) { return word.in_place == 1; }),
             apart = any([](const Word& word) { return word.in_place == 0; });
  if (in_place && apart) return {.refused = "in and out must be one array on all ranks or on none; got both"};
  return {.in_place = !apart, .threads = words.front().threads, .seconds = words.front().seconds};
}

}  // namespace shardfft::fftw_mpi
