#include "case_request.hpp"

#include <fmt/format.h>

#include "output/table.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"

namespace shardfft::compare {

std::string too_large_for(const Room& room, const CaseRequest& request) {
  constexpr double arrays = 5;
  const Case& c = request.work;
  if (c.nodes > room.nodes)
    return fmt::format(
        "needs {} nodes, there {} {}; start it in a job of that many nodes, or say with --max-nodes how many there are",
        c.nodes, room.nodes == 1 ? "is" : "are", room.nodes);
  const double needed = arrays * c.array_bytes() / c.nodes;
  if (needed > room.memory_bytes)
    return fmt::format("needs about {} of memory on a node, {} are free", cli::bytes_text(needed),
                       cli::bytes_text(room.memory_bytes));
  const Index cores = Index{room.cores} * c.nodes;
  if (c.workers() > cores && !request.oversubscribe)
    return fmt::format("needs {} cores, there are {}; --oversubscribe runs it all the same", c.workers(), cores);
  return {};
}

void check_call(const std::string& option, const std::string& call) {
  if (call == "best" || call == "default") return;
  throw Error(Status::invalid_argument, fmt::format("{} must be of best, default; got '{}'{}; choose from these",
                                                    option, call, did_you_mean(call, {"best", "default"})));
}

}  // namespace shardfft::compare
