#include "plan/bytes_of_ranks.hpp"

#include <fmt/format.h>

#include "support/text/text.hpp"

namespace shardfft {
namespace {

std::string most_text(const BytesOfRanks& sent) {
  return fmt::format("at most {} from one, rank {}", bytes_text(sent.most), sent.rank);
}

}  // namespace

std::optional<SentByAll> sent_by_all(const Pipeline& p, const Comm& comm) {
  constexpr int worth_listing = 512;
  if (comm.size() == 1 || comm.size() > worth_listing) return {};
  SentByAll sent;
  for (int rank = 0; rank < comm.size(); ++rank) {
    Index far = 0, near = 0;
    for (const Exchange& exchange : p.route().exchanges) {
      const ExchangeSpec& e = exchange.spec();
      for (const Box& box : e.from.boxes(rank))
        for (const auto& [peer, part] : e.to.owners(box))
          if (peer != rank) (comm.node(peer) == comm.node(rank) ? near : far) += part.count() * e.element_bytes;
    }
    sent.far.add(rank, far);
    sent.near.add(rank, near);
  }
  return sent;
}

bool some_share_a_node(const Comm& comm) { return comm.nodes() < comm.size(); }

std::string text_of(const SentByAll& sent, const Comm& comm, bool encodes) {
  std::string text;
  if (comm.nodes() > 1)
    text = fmt::format("{} to other nodes{}, {}", bytes_text(sent.far.all), encodes ? " before encoding" : "",
                       most_text(sent.far));
  if (some_share_a_node(comm))
    text +=
        fmt::format("{}{} within nodes, {}", text.empty() ? "" : "; ", bytes_text(sent.near.all), most_text(sent.near));
  return text;
}

std::string held_by_all(const char* name, const CallerArray& array, Scalar scalar) {
  BytesOfRanks held;
  for (int rank = 0; rank < array.layout.ranks(); ++rank)
    held.add(rank, array.layout.count(rank) * array.element_bytes(scalar));
  return fmt::format("{} {}, at most {} on one, rank {}", bytes_text(held.all), name, bytes_text(held.most), held.rank);
}

}  // namespace shardfft
