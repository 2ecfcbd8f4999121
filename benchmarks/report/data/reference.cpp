// Against which entry of shardfft a library is set: like against like.
#include <algorithm>
#include <array>
#include <utility>

#include "compare/statistics/statistics.hpp"
#include "results.hpp"

namespace shardfft::report {
namespace {

/// The libraries of docs/guide/peers.md that transform on GPUs.
constexpr std::array on_gpus{"cufft", "cufftmp", "cufftxt", "vkfft"};

/// What was tuned goes before variants with options of their own; of these the fastest.
auto preference(const Entry& e) { return std::pair(e.library.find('+') != e.library.npos, e.forward->median); }

const Entry* device_reference(const std::vector<Entry>& entries, const std::string& call) {
  const Entry* found = nullptr;
  for (const Entry& e : entries)
    if (e.ok() && e.ours() && e.on_device() && e.call == call && (!found || preference(e) < preference(*found)))
      found = &e;
  return found;
}

/// Formed within the turns that both have, as those to shardfft on the processor are.
std::optional<Interval> ratio_to(const Entry& ours, const Entry& peer, Entry::Turns Entry::* direction) {
  std::vector<double> ratios;
  for (const auto& [turn, seconds] : peer.*direction)
    if (const auto same = (ours.*direction).find(turn); same != (ours.*direction).end())
      ratios.push_back(seconds / same->second);
  if (ratios.empty()) return std::nullopt;
  const compare::Sample s = compare::sample_of_ratios(ratios);
  return Interval{s.median, s.interval.low, s.interval.high, s.interval.coverage};
}

}  // namespace

bool is_ours(std::string_view library) {
  return library == "shardfft" || library.starts_with("shardfft_") || library.starts_with("shardfft+");
}

bool Entry::on_device() const {
  if (!ours()) return std::ranges::find(on_gpus, library) != on_gpus.end();
  constexpr std::string_view option = "+device=";
  if (const std::size_t at = library.find(option); at != library.npos)
    return !library.substr(at + option.size()).starts_with("emulated");
  return library.starts_with("shardfft_");
}

void set_references(std::vector<Entry>& entries) {
  for (Entry& e : entries) {
    if (!e.ok() || e.ours() || !e.on_device()) continue;
    if (const Entry* ours = device_reference(entries, e.call))
      e.reference = ours->library, e.ratio = ratio_to(*ours, e, &Entry::forward_of_turn),
      e.ratio_backward = ratio_to(*ours, e, &Entry::backward_of_turn);
  }
}

}  // namespace shardfft::report
