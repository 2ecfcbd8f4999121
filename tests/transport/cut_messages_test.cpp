#include "transport/cut_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "random_traffic.hpp"

namespace shardfft {
namespace {

constexpr int tags = 5;  // few, so that they repeat

// All ranks of one random round, and how each cuts its messages: peers of one node in longer pieces.
struct Cut {
  Round round{};
  CutMessages pieces;
};
std::vector<Cut> random_cuts(std::uint64_t seed) {
  Random random(seed);
  const int ranks = static_cast<int>(pick(random, 1, 7)), chunks = static_cast<int>(pick(random, 1, 3));
  const Index near = 64 * pick(random, 1, 40), far = std::min<Index>(near, 64 * pick(random, 1, 9));
  const RoundSizes sizes = random_sizes(random, ranks, chunks);
  std::vector<Cut> cuts;
  for (int me = 0; me < ranks; ++me) {
    std::vector<Index> most;
    for (int peer = 0; peer < ranks; ++peer) most.push_back(peer / 2 == me / 2 ? near : far);
    cuts.push_back({round_of(random, sizes, me, chunks, 0), CutMessages(me, most, tags)});
  }
  return cuts;
}

using Seen = std::vector<std::tuple<int, Index, Index, int>>;  // chunk, number, from, bytes

// What has a tag between two ranks, in the order in which it is sent, and in that in which it is asked for.
std::map<int, Seen> sent_to(const Cut& cut, int peer) {
  std::map<int, Seen> by_tag;
  for (const MessagePiece& p : cut.pieces.sent(cut.round))
    if (const Message& m = cut.round.out[p.message]; m.peer == peer)
      by_tag[p.tag].emplace_back(m.chunk, p.number, p.from, p.bytes);
  return by_tag;
}
std::map<int, Seen> received_from(const Cut& cut, int peer) {
  std::map<int, Seen> by_tag;
  const PiecesIn in = cut.pieces.received(cut.round);
  for (const MessagePiece& p : in.pieces)
    if (const Message& m = cut.round.in[p.message]; m.peer == peer)
      by_tag[p.tag].emplace_back(m.chunk, p.number, p.from, p.bytes);
  for (const MessageHead& head : in.heads)
    if (const Message& m = cut.round.in[head.message]; m.peer == peer)
      by_tag[cut.pieces.tag_of_heads()].emplace_back(m.chunk, -1, 0, 8);
  return by_tag;
}

class CutMessagesOfRandomRounds : public ::testing::TestWithParam<int> {};

TEST_P(CutMessagesOfRandomRounds, AreToldApartByTheirTagsAndTheirOrderAtBothEnds) {
  const auto cuts = random_cuts(static_cast<std::uint64_t>(GetParam()));
  for (std::size_t from = 0; from < cuts.size(); ++from)
    for (std::size_t to = 0; to < cuts.size(); ++to)
      EXPECT_EQ(sent_to(cuts[from], static_cast<int>(to)), received_from(cuts[to], static_cast<int>(from)))
          << "from " << from << " to " << to;
}

TEST_P(CutMessagesOfRandomRounds, HaveEachByteOnceInPiecesThatAreNotTooLong) {
  const auto cuts = random_cuts(static_cast<std::uint64_t>(GetParam()));
  for (std::size_t me = 0; me < cuts.size(); ++me) {
    const auto& [round, pieces] = cuts[me];
    std::vector<Index> done(round.in.size());
    for (const MessagePiece& p : pieces.received(round).pieces) {
      EXPECT_EQ(p.from, done[p.message]);
      EXPECT_LE(p.bytes, pieces.most(round.in[p.message].peer));
      EXPECT_LT(p.tag, pieces.tag_of_heads());
      done[p.message] += p.bytes;
    }
    for (std::size_t i = 0; i < round.in.size(); ++i)
      EXPECT_EQ(done[i], round.in[i].peer == static_cast<int>(me) ? 0 : round.in[i].bytes);
  }
}

TEST_P(CutMessagesOfRandomRounds, HaveHeadsThatKnowTheirPiecesAndTheHeadBefore) {
  for (const auto& [round, pieces] : random_cuts(static_cast<std::uint64_t>(GetParam()))) {
    const PiecesIn in = pieces.received(round);
    std::map<int, std::size_t> last;
    for (std::size_t h = 0; h < in.heads.size(); ++h) {
      const MessageHead& head = in.heads[h];
      ASSERT_LT(head.first_piece, in.pieces.size());
      EXPECT_EQ(in.pieces[head.first_piece].message, head.message);
      EXPECT_EQ(in.pieces[head.first_piece].number, 0);
      const int peer = round.in[head.message].peer;
      EXPECT_EQ(head.before, last.contains(peer) ? last[peer] : h);
      last[peer] = h;
    }
    EXPECT_EQ(static_cast<std::ptrdiff_t>(in.heads.size()),
              std::count_if(in.pieces.begin(), in.pieces.end(), [&](const MessagePiece& p) {
                return p.number == 0 && pieces.has_head(round.in[p.message]);
              }));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CutMessagesOfRandomRounds, ::testing::Range(1, 41));

}  // namespace
}  // namespace shardfft
