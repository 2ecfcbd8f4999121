// Who sends what to whom, against all pairs of boxes.
#include "grid/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "shardfft/error.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

struct Cases {
  std::mt19937_64 random;
  int ranks = 1;
  Layout from{}, to{};
  Chunks chunks{};

  explicit Cases(std::uint64_t seed) : random(seed) {}
  void next() {
    ranks = static_cast<int>(pick(random, 1, 9));
    const Shape shape = small_shape(random, 4, 6);
    from = Layout(random_layout(random, shape, ranks), shape, ranks);
    to = Layout(random_layout(random, shape, ranks), shape, ranks);
    chunks = {static_cast<int>(pick(random, 1, 4)), static_cast<int>(pick(random, 0, shape.dims() - 1)),
              static_cast<int>(pick(random, 1, 3)), static_cast<int>(pick(random, 0, shape.dims() - 1)),
              pick(random, 0, 1) == 1};
    chunks.count *= chunks.parts;
  }
  [[nodiscard]] std::string text() const {
    return to_string(from.spec()) + " -> " + to_string(to.spec()) + " of " + to_string(from.global()) + " over " +
           std::to_string(ranks) + ", " + std::to_string(chunks.count) + " chunks along " +
           std::to_string(chunks.axis) + " in " + std::to_string(chunks.parts) +
           (chunks.of_receiver ? " parts of the receiver along " : " parts along ") + std::to_string(chunks.parts_axis);
  }
};

// The pieces between two ranks in one chunk, in the promised order.
std::vector<Box> shared(const Cases& c, int sender, int receiver, int chunk) {
  std::vector<Box> boxes;
  for (const Box& mine : c.from.boxes(sender))
    for (const Box& theirs : c.to.boxes(receiver))
      if (const Box both = intersect(c.chunks.part(mine, chunk), c.chunks.received_part(theirs, chunk)); !both.empty())
        boxes.push_back(both);
  return boxes;
}

TEST(Pieces, AreWhatTheBoxesOfSenderAndReceiverShareInThePromisedOrder) {
  for (int seed = 0; seed < 150; ++seed) {
    Cases c(static_cast<std::uint64_t>(seed));
    c.next();
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + c.text());
    for (int me = 0; me < c.ranks; ++me) {
      std::vector<Piece> sent, received;
      for (int chunk = 0; chunk < c.chunks.count; ++chunk)
        for (int peer = 0; peer < c.ranks; ++peer)
          for (const Box& box : shared(c, me, peer, chunk)) sent.push_back({peer, chunk, box});
      for (int peer = 0; peer < c.ranks; ++peer)
        for (int chunk = 0; chunk < c.chunks.count; ++chunk)
          for (const Box& box : shared(c, peer, me, chunk)) received.push_back({peer, chunk, box});
      EXPECT_TRUE(pieces_to_send(c.from, c.to, c.chunks, me) == sent) << "rank " << me;
      EXPECT_TRUE(pieces_to_receive(c.from, c.to, c.chunks, me) == received) << "rank " << me;
    }
  }
}

TEST(Pieces, BetweenTwoRanksAreSentAndReceivedInTheSameOrder) {
  Cases c(77);
  for (int i = 0; i < 100; ++i) {
    c.next();
    for (int a = 0; a < c.ranks; ++a)
      for (int b = 0; b < c.ranks; ++b) {
        std::vector<std::pair<int, Box>> sent, received;
        for (const Piece& p : pieces_to_send(c.from, c.to, c.chunks, a))
          if (p.peer == b) sent.emplace_back(p.chunk, p.box);
        for (const Piece& p : pieces_to_receive(c.from, c.to, c.chunks, b))
          if (p.peer == a) received.emplace_back(p.chunk, p.box);
        EXPECT_EQ(sent, received) << "from " << a << " to " << b << ": " << c.text();
      }
  }
}

TEST(Pieces, OfAllRanksTogetherAreTheArrayOnce) {
  Cases c(78);
  for (int i = 0; i < 100; ++i) {
    c.next();
    const Whole frame{c.from.global(), {}};
    const std::vector<int> before = owner_of_each(c.from), after = owner_of_each(c.to);
    std::vector<int> sent(before.size());
    for (int me = 0; me < c.ranks; ++me)
      for (const Piece& piece : pieces_to_send(c.from, c.to, c.chunks, me))
        for_each(piece.box, [&](const Coord& at) {
          const auto p = static_cast<std::size_t>(frame.position(at));
          ++sent[p];
          EXPECT_EQ(before[p], me);
          EXPECT_EQ(after[p], piece.peer);
        });
    EXPECT_EQ(sent, std::vector<int>(sent.size(), 1)) << c.text();
  }
}

TEST(Chunks, CutABoxIntoConsecutiveParts) {
  const Box box{{3, 5}, {10, 9}};
  for (int count = 1; count <= 9; ++count) {
    const Chunks chunks{count, 0};
    Index at = 3;
    for (int c = 0; c < count; ++c) {
      const Box part = chunks.part(box, c);
      EXPECT_EQ(part.lo, (Coord{at, 5}));
      EXPECT_EQ(part.hi[1], 9);
      at = part.hi[0];
    }
    EXPECT_EQ(at, 10);
  }
}

TEST(Chunks, OfPartsAreThoseOfOnePartAfterTheOther) {
  const Box box{{3, 5}, {13, 9}};
  for (const int parts : {2, 3}) {
    const Chunks of_sender{.count = 4 * parts, .axis = 1, .parts = parts, .parts_axis = 0},
        of_receiver{.count = 4 * parts, .axis = 1, .parts = parts, .parts_axis = 0, .of_receiver = true}, along{4, 1};
    EXPECT_EQ(of_sender.in_part(), 4);
    EXPECT_EQ(of_sender.stored().count, 4 * parts);
    EXPECT_EQ(of_receiver.stored().count, 4);
    for (int c = 0; c < 4 * parts; ++c) {
      const Index lo = 3 + (parts == 2 ? 5 * (c / 4) : std::array{0, 4, 7}[static_cast<std::size_t>(c / 4)]),
                  hi = 3 + (parts == 2 ? 5 * (c / 4 + 1) : std::array{4, 7, 10}[static_cast<std::size_t>(c / 4)]);
      const Box part = of_sender.part(box, c);
      EXPECT_EQ(part.lo[0], lo);
      EXPECT_EQ(part.hi[0], hi);
      EXPECT_EQ(part.lo[1], along.part(box, c % 4).lo[1]);
      EXPECT_EQ(part.hi[1], along.part(box, c % 4).hi[1]);
      EXPECT_EQ(of_sender.received_part(box, c), box);
      EXPECT_EQ(of_receiver.part(box, c), along.part(box, c % 4));
      EXPECT_EQ(of_sender.stored().part(box, c), part);
      EXPECT_EQ(of_receiver.stored().part(box, c % 4), along.part(box, c % 4));
      EXPECT_EQ(of_receiver.received_part(box, c), (Box{{lo, 5}, {hi, 9}}));
    }
  }
}

TEST(Pieces, OfOneRankAreFewWhereItHasFewPartnersHoweverManyRanksThereAre) {
  constexpr Index n = 40000, p = 250, q = 400;
  constexpr int ranks = 100000;
  const Layout z(process_grid({p, q, 1}), {n, n, n}, ranks), y(process_grid({p, 1, q}), {n, n, n}, ranks),
      x(process_grid({1, p, q}), {n, n, n}, ranks);
  for (const int me : {0, 1, 57123, ranks - 1})
    for (const int chunks : {1, 4}) {
      const Chunks cut{chunks, 0};
      const auto sent = pieces_to_send(z, y, cut, me);
      EXPECT_EQ(sent.size(), static_cast<std::size_t>(q * chunks));
      EXPECT_EQ(pieces_to_receive(z, y, cut, me).size(), static_cast<std::size_t>(q * chunks));
      EXPECT_EQ(pieces_to_send(y, x, {chunks, 2}, me).size(), static_cast<std::size_t>(p * chunks));
      Index elements = 0;
      for (const Piece& piece : sent) elements += piece.box.count();
      EXPECT_EQ(elements, n / p * (n / q) * n);
    }
}

TEST(Pieces, AreRefusedBetweenDifferentArrays) {
  const Layout a(slabs(0), {4, 4}, 2);
  EXPECT_THROW((void)pieces_to_send(a, Layout(slabs(0), {4, 5}, 2), {}, 0), Error);
  EXPECT_THROW((void)pieces_to_receive(a, Layout(slabs(0), {4, 4}, 3), {}, 0), Error);
}

}  // namespace
}  // namespace shardfft::testing
