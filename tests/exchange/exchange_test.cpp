// Exchanges between any two layouts, through real channels; each element carries its own address.
#include "exchange/exchange.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

#include "pipeline/bind/memory.hpp"
#include "support/chosen.hpp"
#include "support/problems/layouts.hpp"
#include "sweep/sweep.hpp"
#include "transport/private_memory.hpp"

namespace shardfft::testing {
namespace {

struct Case {
  Layout from{}, to{};
  Chunks chunks{};
  Index element_bytes = 8;
  Index storage_bytes = 0;  // 0: nothing is narrow; else elements are moved as if they were so short
  bool skip_self = false, whole_self = false;
  int near_group = 0;  // ranks of the same group of this many are near; 0: nobody is
  std::uint64_t seed = 0;

  [[nodiscard]] ExchangeSpec spec(int me) const {
    ExchangeSpec s{.from = from,
                   .to = to,
                   .chunks = chunks,
                   .element_bytes = element_bytes,
                   .me = me,
                   .slot = 0,
                   .skip_self = skip_self,
                   .whole_self = whole_self};
    s.storage_bytes = storage_bytes;
    if (near_group > 0) s.near = [me, group = near_group](int peer) { return peer / group == me / group; };
    return s;
  }
  [[nodiscard]] Index moved_bytes() const { return storage_bytes > 0 ? storage_bytes : element_bytes; }
  [[nodiscard]] std::string text() const {
    return "narrow " + std::to_string(storage_bytes) + ", seed " + std::to_string(seed) + ": " +
           to_string(from.spec()) + " -> " + to_string(to.spec()) + " of " + to_string(from.global()) + " over " +
           std::to_string(from.ranks()) + ", " + std::to_string(element_bytes) + " bytes each, " +
           std::to_string(chunks.count) + " chunks along " + std::to_string(chunks.axis) + " in " +
           std::to_string(chunks.parts) + (chunks.of_receiver ? " parts of the receiver along " : " parts along ") +
           std::to_string(chunks.parts_axis) + (skip_self ? ", skips itself" : "") +
           (whole_self ? ", in one piece" : "") + ", near " + std::to_string(near_group);
  }
};

// A rank's boxes somewhere in memory, with gaps; every byte outside of elements holds 0xee.
class Local {
 public:
  Local(const Layout& layout, int me, Base base, Index element_bytes, std::uint64_t seed)
      : layout_(layout), element_(element_bytes) {
    std::mt19937_64 random(seed * 100 + static_cast<std::uint64_t>(me));
    memory_ = seed % 2 ? padded_memory(layout, me, random) : packed_memory(layout, me);
    patches_ = caller_patches(memory_.boxes, memory_.places, base, element_);
    bytes_.assign(static_cast<std::size_t>((memory_.elements + 3) * element_), std::byte{0xee});
  }

  void number(Index run) {
    for_each_element([&](std::byte* element, Index position) {
      const auto value = value_of(position, run);
      std::memcpy(element, value.data(), value.size());
    });
  }
  [[nodiscard]] Index wrong(Index run) {
    Index n = 0;
    for_each_element([&](std::byte* element, Index position) {
      const auto value = value_of(position, run);
      n += std::memcmp(element, value.data(), value.size()) != 0;
      std::fill_n(element, element_, std::byte{0xee});
    });
    for (const std::byte b : bytes_) n += b != std::byte{0xee};  // gaps
    return n;
  }
  [[nodiscard]] std::byte* data() { return bytes_.data(); }
  [[nodiscard]] const std::vector<Patch>& patches() const { return patches_; }

 private:
  [[nodiscard]] std::vector<std::uint32_t> words(Index position, Index run) const {
    std::vector<std::uint32_t> w;
    for (Index i = 0; i < element_ / 4; ++i)
      w.push_back(static_cast<std::uint32_t>(position * 4 + i) ^ static_cast<std::uint32_t>(run << 24));
    return w;
  }
  [[nodiscard]] std::vector<std::byte> value_of(Index position, Index run) const {
    const auto w = words(position, run);
    std::vector<std::byte> value(w.size() * 4);
    std::memcpy(value.data(), w.data(), value.size());
    return value;
  }
  template <class Visit>
  void for_each_element(Visit visit) {
    const Whole frame{layout_.global(), {}};
    for (std::size_t b = 0; b < memory_.boxes.size(); ++b)
      for_each(memory_.boxes[b],
               [&](const Coord& at) { visit(bytes_.data() + memory_.position(b, at) * element_, frame.position(at)); });
  }

  Layout layout_;
  Index element_;
  LocalMemory memory_{};
  std::vector<Patch> patches_{};
  std::vector<std::byte> bytes_{};
};

// A sweep that only moves elements of this size.
SweepSpec moves_of(Index element_bytes) {
  SweepSpec s{.scalar = element_bytes == 4 ? Scalar::f32 : Scalar::f64};
  s.complex_in = s.complex_out = element_bytes == 16;
  return s;
}

// Stores, chunk by chunk, what this rank owns before, and collects what it owns after.
void bring(const Case& c, const Comm& comm) {
  const int me = comm.rank();
  const Exchange exchange(c.spec(me));
  const auto channel = find_transport("threads")->open(comm, {{exchange.round()}});
  const PrivateMemory memory(*channel);
  Local before(c.from, me, Base::input, c.moved_bytes(), c.seed),
      after(c.to, me, Base::output, c.moved_bytes(), c.seed / 2);

  SweepSpec out = moves_of(c.moved_bytes()), in = out;
  out.from = before.patches();
  out.to = c.storage_bytes > 0 ? exchange.storage_outgoing(*channel, 0) : exchange.outgoing(*channel, 0);
  for (std::size_t i = 0; c.storage_bytes > 0 && i < exchange.round().out.size(); ++i)
    EXPECT_LE(exchange.storage_message_bytes(i), exchange.round().out[i].bytes) << c.text();
  for (const Patch& staying : cut(after.patches(), exchange.staying())) out.to.push_back(staying);
  // A pipeline does it so: parts of the receiver are no parts of what is stored, so that each element is stored once,
  // and never behind its message's send.
  const Chunks stored = c.chunks.stored();
  for (int chunk = 0; chunk < stored.count; ++chunk) {
    out.chunks.emplace_back();
    for (const Box& box : c.from.boxes(me)) out.chunks.back().push_back(stored.part(box, chunk));
  }
  in.from = c.storage_bytes > 0 ? exchange.storage_incoming(*channel, 0) : exchange.incoming(*channel, 0);
  in.to = after.patches();
  in.chunks.resize(1);
  for (const Patch& patch : in.from) in.chunks[0].push_back(patch.box);
  const auto store = make_host_sweep(out), collect = make_host_sweep(in);

  for (Index run = 1; run <= 2; ++run) {
    before.number(run);
    const Buffers buffers{before.data(), after.data()};
    channel->begin(0);
    for (int chunk = 0, sent = 0; chunk < stored.count; ++chunk) {
      store->run(chunk, buffers, nullptr, {});
      const int ready = chunk + 1 < stored.count ? chunk + 1 : c.chunks.count;
      for (; sent < ready; ++sent) channel->send(0, sent);
    }
    channel->wait(0);
    collect->run(0, buffers, nullptr, {});
    channel->release(0);
    EXPECT_EQ(after.wrong(run), 0) << "rank " << me << " in run " << run << "; " << c.text();
  }
}

Case varied(const Layout& from, const Layout& to, std::mt19937_64& random) {
  const Index bytes[] = {4, 8, 16};
  Case c{.from = from, .to = to, .element_bytes = bytes[pick(random, 0, 2)]};
  c.chunks = {static_cast<int>(pick(random, 1, 4)), static_cast<int>(pick(random, 0, from.global().dims() - 1)),
              static_cast<int>(pick(random, 1, 3)), static_cast<int>(pick(random, 0, from.global().dims() - 1)),
              pick(random, 0, 1) == 1};
  c.chunks.count *= c.chunks.parts;
  c.skip_self = pick(random, 0, 1) == 1;
  c.whole_self = from.same_owners(to) && pick(random, 0, 1) == 1;
  c.near_group = static_cast<int>(pick(random, 0, 3));
  c.seed = static_cast<std::uint64_t>(pick(random, 0, 1 << 20));
  return c;
}

TEST(Exchange, BringsEveryElementToItsNewOwnerWhateverTheTwoLayouts) {
  Sample pairs;
  for (const int ranks : sanitized ? std::vector{1, 2, 3, 5, 8} : std::vector{1, 2, 3, 4, 5, 6, 7, 8, 12}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(ranks));
    const Shape shape{6, 5, 9};
    std::vector<Case> cases;
    for (const LayoutSpec& from : layouts_of_every_kind(random, shape, ranks))
      for (const LayoutSpec& to : layouts_of_every_kind(random, shape, ranks))
        if (pairs.takes()) cases.push_back(varied(Layout(from, shape, ranks), Layout(to, shape, ranks), random));
    on_ranks(ranks, [&](Comm comm) {
      for (const Case& c : cases) bring(c, comm);
    });
  }
}

TEST(Exchange, BringsEveryElementWhateverTheShapeTheMemoryOrdersAndTheChunks) {
  for (int seed = 0; seed < chosen_problems(200); ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const int ranks = static_cast<int>(pick(random, 1, 7));
    const Shape shape = small_shape(random, 5, 7);
    const Layout from(random_layout(random, shape, ranks), shape, ranks),
        to(random_layout(random, shape, ranks), shape, ranks);
    const Case c = varied(from, to, random);
    on_ranks(ranks, [&](Comm comm) { bring(c, comm); });
  }
}

// Stored in chunks, one piece of memory for those that need all of it at once.
TEST(Exchange, KeepsWhatStaysInOnePiece) {
  const Shape shape{4, 6, 16};
  for (const int ranks : {1, 2})
    for (const auto& [whole_self, parts] : {std::pair{false, 1}, {true, 1}, {false, 2}, {true, 2}}) {
      const Layout layout(slabs(0), shape, ranks);
      const Case c{.from = layout,
                   .to = layout,
                   .chunks = {.count = 4 * parts, .axis = 2, .parts = parts, .parts_axis = 1},
                   .element_bytes = 16,
                   .whole_self = whole_self,
                   .seed = 1};
      on_ranks(ranks, [&c, whole_self = whole_self, parts = parts](Comm comm) {
        const Exchange exchange(c.spec(comm.rank()));
        const auto& messages = exchange.round().out;
        ASSERT_EQ(messages.size(), static_cast<std::size_t>((whole_self ? 1 : 4) * parts));
        for (std::size_t i = 0; i < messages.size(); ++i)
          EXPECT_EQ(messages[i].chunk, whole_self ? 4 * static_cast<int>(i) + 3 : static_cast<int>(i));
        EXPECT_EQ(exchange.round().chunks, 4 * parts);
        bring(c, comm);
      });
    }
}

TEST(Exchange, BringsRowsThatArePaddedAgainstCacheConflicts) {
  const Shape shape{8, 3, 128};  // rows of 2 KiB, and of 512 bytes after the cut
  for (const int near : {0, 2, 4})
    for (const auto& [from, to] : {std::pair{slabs(0), slabs(2)},
                                   {slabs(2), slabs(0).ordered({2, 1, 0})},
                                   {slabs(0), slabs(0).ordered({1, 0, 2})}}) {
      const Case c{.from = Layout(from, shape, 4),
                   .to = Layout(to, shape, 4),
                   .element_bytes = 16,
                   .near_group = near,
                   .seed = 1};
      on_ranks(4, [&](Comm comm) { bring(c, comm); });
    }
}

// In messages that have room for the elements as they are.
TEST(Exchange, BringsNarrowElementsInTheSameMessages) {
  for (int seed = 0; seed < chosen_problems(200); ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(7000 + seed));
    const int ranks = static_cast<int>(pick(random, 1, 7));
    const Shape shape = seed % 4 == 0 ? Shape{3, pick(random, 1, 5), pick(random, 20, 300)} : small_shape(random, 5, 7);
    const Layout from(random_layout(random, shape, ranks), shape, ranks),
        to(random_layout(random, shape, ranks), shape, ranks);
    Case c = varied(from, to, random);
    c.element_bytes = 8 * pick(random, 1, 2);
    c.storage_bytes = c.element_bytes == 8 ? 4 : 4 * pick(random, 1, 2);
    on_ranks(ranks, [&](Comm comm) { bring(c, comm); });
  }
}

// 85 or 86 columns of 256: a tile that is whole lines of the row is whole lines of the message, too.
TEST(Exchange, LeavesColumnsWhereTheyLieInTheirCacheLines) {
  const Shape shape{6, 4, 256};
  const Case c{.from = Layout(slabs(0), shape, 3),
               .to = Layout(slabs(2), shape, 3),
               .element_bytes = 16,
               .near_group = 3,
               .seed = 2};
  on_ranks(3, [&](Comm comm) {
    const Exchange exchange(c.spec(comm.rank()));
    const auto channel = find_transport("threads")->open(comm, {{exchange.round()}});
    const PrivateMemory memory(*channel);
    const auto check = [&](const std::vector<Patch>& patches) {
      EXPECT_EQ(patches.size(), 3u);
      for (const Patch& patch : patches)
        EXPECT_EQ((reinterpret_cast<std::uintptr_t>(patch.address) + static_cast<std::uintptr_t>(patch.offset)) % 64,
                  static_cast<std::uintptr_t>(patch.box.lo[2] * c.element_bytes % 64));
    };
    check(exchange.outgoing(*channel, 0));
    check(exchange.incoming(*channel, 0));
    comm.barrier();
  });
}

// What one rank sends, counted element by element.
struct Counts {
  Index bytes = 0;
  std::set<std::pair<int, int>> messages{};  // peer, chunk
};

Counts counted(const Case& c, int me, const std::function<bool(int)>& counts) {
  Counts result;
  const Whole frame{c.from.global(), {}};
  const std::vector<int> owner = owner_of_each(c.to);
  for (const Box& box : c.from.boxes(me))
    for (int chunk = 0; chunk < c.chunks.count; ++chunk)
      for_each(c.chunks.part(box, chunk), [&](const Coord& at) {
        const int peer = owner[static_cast<std::size_t>(frame.position(at))];
        if (peer == me || !counts(peer)) return;
        const std::vector<Box> theirs = c.to.boxes(peer);
        if (std::none_of(theirs.begin(), theirs.end(),
                         [&](const Box& b) { return c.chunks.received_part(b, chunk).contains(at); }))
          return;
        result.bytes += c.element_bytes;
        result.messages.emplace(peer, chunk);
      });
  return result;
}

TEST(Exchange, CountsBytesAndMessagesToOthersAsTheElementsSay) {
  for (int seed = 0; seed < chosen_problems(150); ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(1000 + seed));
    const int ranks = static_cast<int>(pick(random, 1, 12));
    const Shape shape = small_shape(random, 4, 7);
    const Case c = varied(Layout(random_layout(random, shape, ranks), shape, ranks),
                          Layout(random_layout(random, shape, ranks), shape, ranks), random);
    for (int me = 0; me < ranks; ++me) {
      const Exchange exchange(c.spec(me));
      const auto everybody = [](int) { return true; };
      const auto odd = [](int peer) { return peer % 2 == 1; };
      for (const std::function<bool(int)>& who : {std::function<bool(int)>(everybody), std::function<bool(int)>(odd)}) {
        const Counts expected = counted(c, me, who);
        EXPECT_EQ(exchange.payload(who), expected.bytes) << "rank " << me << "; " << c.text();
        EXPECT_EQ(exchange.messages(who), static_cast<Index>(expected.messages.size()))
            << "rank " << me << "; " << c.text();
      }
    }
  }
}

TEST(Exchange, LaysMessagesOutAsTransportsWantThemAndAlikeOnBothEnds) {
  for (int seed = 0; seed < chosen_problems(150); ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(2000 + seed));
    const int ranks = static_cast<int>(pick(random, 1, 8));
    const Shape shape = small_shape(random, 4, 7);
    const Case c = varied(Layout(random_layout(random, shape, ranks), shape, ranks),
                          Layout(random_layout(random, shape, ranks), shape, ranks), random);
    std::vector<Round> rounds;
    for (int me = 0; me < ranks; ++me) rounds.push_back(Exchange(c.spec(me)).round());
    for (int me = 0; me < ranks; ++me) {
      SCOPED_TRACE("rank " + std::to_string(me) + "; " + c.text());
      const Round& round = rounds[static_cast<std::size_t>(me)];
      const auto out_key = [](const Message& m) { return std::pair(m.chunk, m.peer); };
      const auto in_key = [](const Message& m) { return std::pair(m.peer, m.chunk); };
      for (std::size_t i = 1; i < round.out.size(); ++i) EXPECT_LT(out_key(round.out[i - 1]), out_key(round.out[i]));
      for (std::size_t i = 1; i < round.in.size(); ++i) EXPECT_LT(in_key(round.in[i - 1]), in_key(round.in[i]));
      Index end = 0;
      for (const Message& m : round.in) {
        EXPECT_GE(m.offset, end) << "messages overlap";
        EXPECT_EQ(m.offset % 64, 0);
        end = m.offset + m.bytes;
        EXPECT_TRUE(m.bytes > 0 && m.bytes % 64 == 0);
      }
      EXPECT_GE(round.inbox_bytes, end);
      for (int peer = 0; peer < ranks; ++peer) {
        std::vector<std::pair<int, Index>> sent, received;
        for (const Message& m : round.out)
          if (m.peer == peer) sent.emplace_back(m.chunk, m.bytes);
        for (const Message& m : rounds[static_cast<std::size_t>(peer)].in)
          if (m.peer == me) received.emplace_back(m.chunk, m.bytes);
        EXPECT_EQ(sent, received) << "to " << peer;
        EXPECT_TRUE(sent.empty() || !c.skip_self || peer != me);
      }
    }
  }
}

}  // namespace
}  // namespace shardfft::testing
