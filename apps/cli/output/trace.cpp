#include "output/trace.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "launch/clock_offset.hpp"
#include "output/costs.hpp"
#include "output/side_files.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

constexpr int steps_row = 0, exchanges_row = 1;

std::string quoted(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

/// What a span is called in the picture: steps and exchanges as everywhere, waits and parts say so.
std::string title(const Span& s) {
  switch (s.what) {
    case Span::What::chunk:
      return fmt::format("chunk {}", s.chunk);
    case Span::What::send:
      return fmt::format("send {}", s.label);
    case Span::What::room:
      return fmt::format("wait for room for {}", s.label);
    case Span::What::wait:
      return fmt::format("wait for {}", s.label);
    default:
      return std::string(s.label);
  }
}

const char* category(Span::What what) {
  switch (what) {
    case Span::What::run:
      return "run";
    case Span::What::step:
      return "step";
    case Span::What::chunk:
      return "chunk";
    case Span::What::send:
      return "send";
    case Span::What::room:
    case Span::What::wait:
      return "wait";
    case Span::What::flight:
      return "exchange";
  }
  return "";
}

std::string named(const char* what, int rank, int row, const std::string& name) {
  return fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", what, rank, row,
                     quoted(name));
}

/// An exchange may begin before the one before it has ended: they take turns on two rows.
int row_of(const Span& s) {
  return s.what == Span::What::flight ? exchanges_row + (s.label.back() % 2 == 0) : steps_row;
}

std::string event(const Span& s, int rank, std::int64_t shift) {
  const auto microseconds = [](std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); };
  std::string arguments = fmt::format(R"("run":{})", s.run);
  if (s.bytes > 0) arguments += fmt::format(R"(,"bytes":{})", s.bytes);
  if (s.chunk >= 0) arguments += fmt::format(R"(,"chunk":{})", s.chunk);
  return fmt::format(R"({{"name":{},"cat":"{}","ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                     quoted(title(s)), category(s.what), rank, row_of(s), microseconds(s.begin_ns + shift),
                     microseconds(s.end_ns - s.begin_ns), arguments);
}

/// Events of this rank, each on a line of its own with a comma before it.
std::string events_of(const Plan& plan, std::int64_t shift) {
  const int rank = plan.comm().rank();
  std::string text =
      ",\n" + named("process_name", rank, steps_row, fmt::format("rank {} on node {}", rank, plan.comm().node(rank)));
  text += ",\n" + named("thread_name", rank, steps_row, "sweeps") + ",\n" +
          named("thread_name", rank, exchanges_row, "exchanges in flight");
  text += ",\n" + named("thread_name", rank, exchanges_row + 1, "exchanges in flight, even ones");
  for (const Span& s : plan.recorded()) text += ",\n" + event(s, rank, shift);
  return text;
}

/// Collective: what must be added to a span's times so that the first one of all ranks begins at 0.
std::int64_t shift_of(const Plan& plan) {
  const std::int64_t offset = clock_offset(plan.comm());
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Span& s : plan.recorded()) first = std::min(first, s.begin_ns + offset);
  return offset - std::ranges::min(all_values(plan.comm(), first));
}

/// Collective: on rank 0 the texts of all ranks one after the other. One rank's at a time, so that the others need no
/// more than that.
std::string gathered(const Comm& comm, const std::string& mine) {
  std::string all;
  const std::vector<std::int64_t> sizes = all_values(comm, static_cast<std::int64_t>(mine.size()));
  for (int rank = 0; rank < comm.size(); ++rank) {
    std::string text =
        rank == comm.rank() ? mine : std::string(static_cast<std::size_t>(sizes[static_cast<std::size_t>(rank)]), ' ');
    comm.broadcast(std::as_writable_bytes(std::span(text)), rank);
    if (comm.rank() == 0) all += text;
  }
  return all;
}

}  // namespace

void write_trace(const Plan& plan, const std::string& path) {
  if (path.empty()) return;
  const Comm& comm = plan.comm();
  const std::string events = gathered(comm, events_of(plan, shift_of(plan)));
  const Json about{{"version", SHARDFFT_VERSION},
                   {"problem", to_string(plan.problem())},
                   {"ranks", comm.size()},
                   {"nodes", comm.nodes()}};
  const std::string text = fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[{}\n]}}\n",
                                       about.dump(), events.substr(events.empty() ? 0 : 1));
  collectively(comm, [&] {
    if (comm.rank() == 0) write_side_file({"--trace", path}, text);
  });
}

}  // namespace shardfft::cli
