#include "device/transport/nccl/nccl_calls.hpp"

#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "random_traffic.hpp"

namespace shardfft {
namespace {

/// The message that a call is about.
const Message& message_of(const Round& round, const NcclCall& call) {
  return (call.sends ? round.out : round.in)[call.message];
}

/// Says what is wrong when ranks make these calls, matched as NCCL does: the i-th send of a group from a to b with the
/// i-th receive of b from a.
std::string wrong_with_group(const std::vector<Round>& rounds, int chunk) {
  const int ranks = static_cast<int>(rounds.size());
  std::map<std::pair<int, int>, std::deque<Index>> sent;
  std::vector<std::vector<NcclCall>> calls;
  for (int me = 0; me < ranks; ++me) {
    calls.push_back(nccl_calls(rounds[static_cast<std::size_t>(me)], chunk, me, ranks));
    for (const NcclCall& call : calls.back())
      if (call.sends) sent[{me, call.peer}].push_back(message_of(rounds[static_cast<std::size_t>(me)], call).bytes);
  }
  for (int me = 0; me < ranks; ++me)
    for (const NcclCall& call : calls[static_cast<std::size_t>(me)]) {
      if (call.sends) continue;
      auto& from_peer = sent[{call.peer, me}];
      if (from_peer.empty()) return fmt::format("rank {} receives what rank {} does not send", me, call.peer);
      if (from_peer.front() != message_of(rounds[static_cast<std::size_t>(me)], call).bytes)
        return fmt::format("rank {} receives another size than rank {} sends", me, call.peer);
      from_peer.pop_front();
    }
  for (const auto& [pair, left] : sent)
    if (!left.empty()) return fmt::format("rank {} sends what rank {} does not receive", pair.first, pair.second);
  return {};
}

/// Says what is missing or too much in the calls of all chunks of a rank.
std::string wrong_with_rank(const Round& round, int me, int ranks) {
  std::set<std::pair<bool, std::size_t>> made, expected;
  for (int chunk = 0; chunk < round.chunks; ++chunk)
    for (const NcclCall& call : nccl_calls(round, chunk, me, ranks)) {
      const Message& m = message_of(round, call);
      if (m.chunk != chunk || m.peer != call.peer)
        return fmt::format("a call of chunk {} with rank {} is about chunk {} and rank {}", chunk, call.peer, m.chunk,
                           m.peer);
      if (!made.emplace(call.sends, call.message).second) return fmt::format("message {} twice", call.message);
    }
  for (const bool sends : {false, true})
    for (std::size_t i = 0; i < (sends ? round.out : round.in).size(); ++i)
      if ((sends ? round.out : round.in)[i].peer != me) expected.emplace(sends, i);
  return made == expected ? std::string() : "messages are missing";
}

TEST(NcclCalls, MatchAtBothEndsAndMoveEveryMessageOnceWhateverTheTraffic) {
  int groups = 0;
  for (int ranks = 1; ranks <= 9; ++ranks)
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("ranks {} seed {}", ranks, seed));
      std::vector<Traffic> all;
      for (int me = 0; me < ranks; ++me) all.push_back(random_traffic(seed, ranks, me));
      for (std::size_t r = 0; r < all[0].rounds.size(); ++r) {
        std::vector<Round> rounds;
        for (const Traffic& traffic : all) rounds.push_back(traffic.rounds[r]);
        for (int me = 0; me < ranks; ++me)
          ASSERT_EQ(wrong_with_rank(rounds[static_cast<std::size_t>(me)], me, ranks), "");
        for (int chunk = 0; chunk < rounds[0].chunks; ++chunk, ++groups) ASSERT_EQ(wrong_with_group(rounds, chunk), "");
      }
    }
  EXPECT_GT(groups, 500);
}

TEST(NcclCalls, GoAroundTheRing) {
  Round round;
  for (int peer = 0; peer < 4; ++peer) {
    round.out.push_back({peer, 0, 0, 64});
    round.in.push_back({peer, 0, 64 * peer, 64});
  }
  const std::vector<NcclCall> expected{{true, 2, 2},  {false, 0, 0}, {true, 3, 3},
                                       {false, 3, 3}, {true, 0, 0},  {false, 2, 2}};
  EXPECT_EQ(nccl_calls(round, 0, 1, 4), expected);
}

// The library is loaded when somebody asks for it; where it is not installed there is none.
TEST(NcclLibrary, TellsItsVersionWhereItCanBeLoaded) {
  const Transport* nccl = find_transport("nccl");
  if (!nccl) GTEST_SKIP() << "built without NCCL";
  EXPECT_TRUE(std::regex_match(nccl->library(), std::regex("|(NCCL|RCCL) \\d+\\.\\d+\\.\\d+"))) << nccl->library();
}

}  // namespace
}  // namespace shardfft
