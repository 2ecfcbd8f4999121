#include "support/comm/agree.hpp"

#include <fmt/format.h>
#include <span>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <new>
#include <numeric>

#include "shardfft/error.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/text/echo.hpp"

namespace shardfft {
namespace {

struct RankFailure {
  Status status = Status::ok;
  std::string text{};
};

RankFailure attempt(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Error& e) { return {e.status(), with_short_echoes(e.what())}; } catch (const std::bad_alloc&) {
    return {Status::out_of_memory, "an allocation failed; use more nodes or a smaller array"};
  } catch (const std::exception& e) { return {Status::internal, with_short_echoes(e.what())}; } catch (...) {
    return {Status::internal, "unknown exception"};
  }
}

template <class T>
std::vector<T> values_of_all(const Comm& comm, T value) {
  std::vector<T> all(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&value, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// Collective: the text that `root` holds.
std::string text_of(const Comm& comm, const std::string& mine, int root) {
  std::uint64_t length = mine.size();
  comm.broadcast(std::as_writable_bytes(std::span(&length, 1)), root);
  std::string text = mine;
  text.resize(length);
  comm.broadcast(std::as_writable_bytes(std::span(text)), root);
  return text;
}

/// FNV-1a, 64 bits, then the length mixed in.
std::uint64_t fingerprint(const std::string& text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash ^ (text.size() * 0x9e3779b97f4a7c15u);
}

/// "0-2 5 7-8": the ranks whose entry equals `value`.
std::string ranks_with(const std::vector<std::uint64_t>& entries, std::uint64_t value) {
  std::string list;
  for (std::size_t r = 0; r < entries.size(); ++r) {
    if (entries[r] != value) continue;
    const std::size_t first = r;
    while (r + 1 < entries.size() && entries[r + 1] == value) ++r;
    list += fmt::format("{}{}", list.empty() ? "" : " ", first);
    if (r > first) list += fmt::format("-{}", r);
  }
  return list;
}

std::string line_of(const std::string& text, std::size_t number) {
  std::size_t begin = 0;
  for (; number > 0 && begin < text.size(); --number) begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// The number of the first line in which two texts differ.
std::size_t first_difference(const std::string& a, const std::string& b) {
  const auto in_a = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(std::count(a.begin(), in_a, '\n'));
}

/// Collective: "ranks 0-2 have `chunks 4`", what `rank` has and who else. Long text is cut.
std::string held(const Comm& comm, const std::string& mine, int rank, const std::vector<std::uint64_t>& prints) {
  constexpr std::size_t most = 200;
  std::string text = text_of(comm, mine, rank);
  if (text.size() > most) text = text.substr(0, most) + "...";
  const std::string ranks = ranks_with(prints, prints[static_cast<std::size_t>(rank)]);
  const bool one = ranks.find_first_of(" -") == std::string::npos;
  return fmt::format("{} {} {} `{}`", one ? "rank" : "ranks", ranks, one ? "has" : "have", text);
}

/// Collective, where some rank failed. Throws the Error of the lowest of them.
[[noreturn]] void throw_failure(const Comm& comm, const RankFailure& mine) {
  struct RankStatus {
    std::int64_t status;
    std::uint64_t print;
    bool operator==(const RankStatus&) const = default;
  };
  const auto reports = values_of_all(comm, RankStatus{static_cast<std::int64_t>(mine.status), fingerprint(mine.text)});
  auto failed = std::find_if(reports.begin(), reports.end(),
                             [](const RankStatus& r) { return r.status != static_cast<std::int64_t>(Status::ok); });
  if (comm.kind() == "dry_run") failed = reports.begin() + comm.rank();  // the only rank that exists
  const auto rank = static_cast<int>(failed - reports.begin());
  const std::string text = text_of(comm, mine.text, rank);
  const bool all_alike = std::all_of(reports.begin(), reports.end(), [&](const RankStatus& r) { return r == *failed; });
  throw Error(static_cast<Status>(failed->status), all_alike ? text : fmt::format("rank {}: {}", rank, text));
}

/// Collective, where some ranks have other texts.
[[noreturn]] void throw_mismatch(const Comm& comm, const std::string& subject, const std::string& text) {
  const auto prints = values_of_all(comm, fingerprint(text));
  const auto other = std::find_if(prints.begin(), prints.end(), [&](auto p) { return p != prints[0]; });
  const int second = static_cast<int>(other - prints.begin());
  const std::size_t line = first_difference(text_of(comm, text, 0), text_of(comm, text, second));
  const std::string mine = line_of(text, line);
  const auto lines = values_of_all(comm, fingerprint(mine));
  throw Error(Status::mismatch, fmt::format("{} must be the same on all ranks, but {} and {}", subject,
                                            held(comm, mine, 0, lines), held(comm, mine, second, lines)));
}

}  // namespace

void all_max(const Comm& comm, std::span<std::int64_t> numbers) {
  if (comm.kind() == "local" || comm.kind() == "dry_run") return;
  require_rank_here(comm);
  comm.impl().all_max(numbers);
}

void collectively(const Comm& comm, std::span<std::int64_t> numbers, const std::function<void()>& work) {
  const RankFailure mine = attempt(work);
  std::vector<std::int64_t> all(numbers.begin(), numbers.end());
  all.push_back(mine.status != Status::ok);
  all_max(comm, all);
  if (all.back() != 0) throw_failure(comm, mine);
  std::copy_n(all.begin(), numbers.size(), numbers.begin());
}

void collectively(const Comm& comm, const std::function<void()>& work) { collectively(comm, {}, work); }

void require_same(const Comm& comm, const std::string& subject, const std::string& text) {
  collectively_same(comm, subject, [&] { return text; });
}

void collectively_same(const Comm& comm, const std::string& subject, const std::function<std::string()>& work) {
  std::string text;
  const RankFailure mine = attempt([&] { text = work(); });
  // ~ turns the order of numbers around: the largest of ~print tells the least print.
  const auto print = static_cast<std::int64_t>(fingerprint(text));
  std::array<std::int64_t, 3> all{print, ~print, mine.status != Status::ok};
  all_max(comm, all);
  if (all[2] != 0) throw_failure(comm, mine);
  if (all[0] != ~all[1]) throw_mismatch(comm, subject, text);
}

double all_sum(const Comm& comm, double value) {
  const auto all = values_of_all(comm, value);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

double all_max(const Comm& comm, double value) {
  double largest = value;
  for (const double v : values_of_all(comm, value))
    if (!(v <= largest)) largest = std::isnan(largest) ? largest : v;
  return largest;
}

std::int64_t all_max(const Comm& comm, std::int64_t value) {
  all_max(comm, std::span(&value, 1));
  return value;
}

std::int64_t all_sum(const Comm& comm, std::int64_t value) {
  const auto all = values_of_all(comm, value);
  return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

std::vector<std::int64_t> all_values(const Comm& comm, std::int64_t value) { return values_of_all(comm, value); }

std::string text_of_first(const Comm& comm, std::string text) {
  std::uint64_t size = text.size();
  comm.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  text.resize(size);
  if (size > 0) comm.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

}  // namespace shardfft
