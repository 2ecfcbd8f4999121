#include "comparison.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compare/cases/variant.hpp"
#include "compare/statistics/statistics.hpp"
#include "launch_record.hpp"
#include "options/words.hpp"
#include "output/table.hpp"
#include "process.hpp"
#include "schedule.hpp"
#include "shardfft/error.hpp"

namespace shardfft::compare {
namespace {

namespace fs = std::filesystem;

/// The case as a plan of this library would be asked: a batch is an axis in front that is not transformed.
Problem problem_of(const Case& c) {
  Problem problem;
  const auto real = cli::real_kind(c.kind);
  problem.kind = real ? r2r : cli::parse_kind(c.kind);
  if (real) problem.kinds.assign(c.transformed().size(), *real);
  problem.precision = cli::parse_precision(c.precision);
  std::vector<Index> extents(c.shape.begin(), c.shape.end());
  if (c.batch > 1) extents.insert(extents.begin(), c.batch);
  problem.shape = Shape(std::span<const Index>(extents));
  for (const int axis : c.transformed()) problem.axes.push_back(axis + (c.batch > 1 ? 1 : 0));
  return problem;
}

std::string outcome_text(const LaunchRecord& record) {
  if (!record.ok()) return record.status + ": " + record.reason;
  return fmt::format("forward {}, backward {}", cli::seconds_text(median(record.forward_s)),
                     cli::seconds_text(median(record.backward_s)));
}

Entry entry_for(const Peer& peer, const std::string& call, const Case& work) {
  Entry entry;
  entry.library = peer.library;
  entry.version = peer.version;
  entry.call = call;
  entry.reason = refusal_of(peer, work);
  entry.status = entry.reason.empty() ? "ok" : "unsupported";
  return entry;
}

/// What remains to be launched of a case.
std::vector<Slot> missing_slots(const CaseResult& result, int launches) {
  std::vector<Slot> slots = schedule(launches, result.entries.size());
  std::erase_if(slots, [&](const Slot& slot) {
    return !is_running(result.entries[slot.contestant]) || result.entries[slot.contestant].has(slot.turn);
  });
  return slots;
}

int missing_turns(const Entry& entry, int launches) {
  int missing = 0;
  for (int turn = 0; turn < launches; ++turn) missing += !entry.has(turn);
  return missing;
}

bool wants(const CaseRequest& request, const Peer& peer) {
  const auto named = [&](const std::string& name) {
    return std::ranges::find(request.with, name) != request.with.end();
  };
  return peer.library == "shardfft" || named(peer.library) ||
         (named("all") && peer.available && variant_of(peer.library).library == peer.library);
}

}  // namespace

Limit limit_of(const Case& c, int cores) {
  const Index threads = std::min((c.workers() + c.nodes - 1) / c.nodes, Index{cores});
  return measure_limit(local(), problem_of(c), static_cast<int>(std::max(Index{1}, threads)), c.nodes);
}

bool is_running(const Entry& entry) { return entry.status == "ok"; }

void drop_partial_turns(CaseResult& result) {
  const auto partial = [&](int turn) {
    return std::ranges::any_of(result.entries, [&](const Entry& e) { return is_running(e) && !e.has(turn); });
  };
  std::vector<int> dropped;
  for (const Entry& entry : result.entries)
    for (const LaunchRecord& launch : entry.launches)
      if (partial(launch.turn)) dropped.push_back(launch.turn);
  for (Entry& entry : result.entries) {
    if (!is_running(entry)) continue;
    std::erase_if(entry.launches,
                  [&](const LaunchRecord& launch) { return std::ranges::find(dropped, launch.turn) != dropped.end(); });
  }
}

void forget_failures(Results& results) {
  for (CaseResult& result : results.cases)
    for (Entry& entry : result.entries) {
      if (is_running(entry) || entry.launches.empty()) continue;
      entry.failed_before +=
          static_cast<int>(std::erase_if(entry.launches, [](const LaunchRecord& launch) { return !launch.ok(); }));
      entry.status = "ok", entry.reason.clear();
    }
}

Comparison::Comparison(Surroundings surroundings, Results& results, std::function<void()> keep,
                       std::function<void(const CaseResult&)> show)
    : around_(std::move(surroundings)), results_(results), keep_(std::move(keep)), show_(std::move(show)) {}

const Peer* Comparison::peer_of(const Entry& entry) const {
  const auto found = std::ranges::find(around_.peers, entry.library, &Peer::library);
  return found == around_.peers.end() ? nullptr : &*found;
}

void Comparison::add_entries(CaseResult& result, const CaseRequest& request) const {
  for (const Peer& peer : around_.peers) {
    if (!wants(request, peer)) continue;
    for (const std::string& call : request.calls) result.entries.push_back(entry_for(peer, call, result.work));
  }
}

void Comparison::note_deferred(const CaseResult& begun, const CaseRequest& request) {
  for (const Peer& peer : around_.peers) {
    if (!wants(request, peer)) continue;
    for (const std::string& call : request.calls)
      if (begun.find(peer.library, call) == nullptr) ++late_[peer.library + " " + call];
  }
}

void Comparison::tell_late() const {
  for (const auto& [name, cases] : late_)
    fmt::print(
        stderr,
        "left out: {}: {} case{} begun without it, and ratios are formed within turns; measure it into another file\n",
        name, cases, cases == 1 ? " was" : "s were");
}

CaseResult& Comparison::prepare(const CaseRequest& request) {
  const auto begun =
      std::ranges::find_if(results_.cases, [&](const CaseResult& c) { return same_work(c.work, request.work); });
  if (begun != results_.cases.end()) {
    drop_partial_turns(*begun);
    note_deferred(*begun, request);
    return *begun;
  }
  CaseResult& result = results_.cases.emplace_back();
  result.work = request.work;
  add_entries(result, request);
  return result;
}

void Comparison::launch(CaseResult& result, Entry& entry, int turn, ProgressLines& lines) {
  const std::string name = fmt::format("{}, turn {}, {} {}", result.work.text(), turn + 1, entry.library, entry.call);
  const Peer* peer = peer_of(entry);
  lines.begin(name);
  // A file name of its own for every launch: ranks of an earlier one that were hard to end, on another node, cannot
  // write into this one's.
  const fs::path folder = around_.scratch / entry.library,
                 file = around_.scratch / fmt::format("result-{}.json", launched_++);
  fs::create_directories(folder);
  fs::remove(file);
  const auto request = request_for(*peer, entry.call, result.work, results_.settings, around_.launcher, folder, file);
  LaunchRecord record = record_of(run_process(request), file, results_.settings, result.work, turn);
  fs::remove(file);
  lines.end(name, outcome_text(record));
  entry.add(std::move(record));
  keep_();
}

// The limit is a record beside the times: without it they are worth as much.
void Comparison::measure_limit_of(CaseResult& result) const try {
  result.no_limit.clear();
  result.limit = around_.limit(result.work, around_.cores);
} catch (const Error& e) { result.no_limit = e.what(); }

void Comparison::run_case(CaseResult& result, ProgressLines& lines) {
  for (Entry& entry : result.entries) {
    const int missing = missing_turns(entry, results_.settings.launches);
    if (!is_running(entry) || missing == 0) continue;  // what is measured stays, also where the library has gone
    const Peer* peer = peer_of(entry);
    const std::string refusal = peer == nullptr ? fmt::format(
                                                      "{} of {} launches are missing, and it is not here now, or not "
                                                      "in --with; --resume --retry goes on with it",
                                                      missing, results_.settings.launches)
                                                : refusal_of(*peer, result.work);
    if (!refusal.empty()) entry.status = "unsupported", entry.reason = refusal;
  }
  const std::vector<Slot> slots = missing_slots(result, results_.settings.launches);
  if (result.limit.seconds() == 0) measure_limit_of(result);
  for (const Slot& slot : slots) {
    Entry& entry = result.entries[slot.contestant];
    is_running(entry) ? launch(result, entry, slot.turn, lines) : lines.skip(1);
  }
}

void Comparison::run(const std::vector<CaseRequest>& requests) {
  std::size_t launches = 0;
  results_.cases.reserve(results_.cases.size() + requests.size());  // so that references stay
  std::vector<CaseResult*> prepared;
  for (const CaseRequest& request : requests) {
    CaseResult& result = prepare(request);
    prepared.push_back(&result);
    launches += missing_slots(result, results_.settings.launches).size();
  }
  tell_late();
  keep_();
  ProgressLines lines(launches);
  for (CaseResult* result : prepared) {
    run_case(*result, lines);
    keep_();
    lines.wipe();
    show_(*result);
  }
}

}  // namespace shardfft::compare
