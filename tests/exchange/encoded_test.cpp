// Encoded exchanges, through real channels: everything arrives, what is lost is what the encoder says, and damaged
// messages are found.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "exchange/exchange.hpp"
#include "exchange/message_check.hpp"
#include "pipeline/bind/memory.hpp"
#include "shardfft/error.hpp"
#include "support/chosen.hpp"
#include "support/comm/agree.hpp"
#include "support/problems/layouts.hpp"
#include "sweep/sweep.hpp"
#include "transport/private_memory.hpp"

namespace shardfft::testing {
namespace {

struct Coding {
  Layout from{}, to{};
  Chunks chunks{};
  NumberType type{};
  const Codec* codec = nullptr;
  Blocking blocking{};
  ErrorBudget terms{};
  std::uint64_t seed = 0;
  bool needs_planes = false, planes_in_order = false;  ///< in the order of the blocks

  [[nodiscard]] ExchangeSpec spec(int me) const {
    return {.from = from,
            .to = to,
            .chunks = chunks,
            .element_bytes = type.element_bytes(),
            .me = me,
            .slot = 0,
            .skip_self = seed % 3 == 0,
            .codec = codec,
            .encodes = [group = 1 + static_cast<int>(seed % 3), me](int peer) { return peer / group != me / group; },
            .type = type,
            .blocking = blocking};
  }
  [[nodiscard]] std::string text() const {
    return fmt::format(
        "seed {}: {} {} {} -> {} of {} over {}, {} chunks along {} in {} parts along {}, units {} and {}", seed,
        codec->name(), type.scalar == Scalar::f32 ? "f32" : "f64", to_string(from.spec()), to_string(to.spec()),
        to_string(from.global()), from.ranks(), chunks.count, chunks.axis, chunks.parts, chunks.parts_axis,
        to_string(blocking.writer_steps), to_string(blocking.reader_steps));
  }
};

double number(const Coding& c, Index position, Index part) {
  return 2 * random_value(c.seed, 2 * position + part) * ((position >> 3) % 5 == 0 ? 0 : 1);
}

double read(const std::byte* at, Scalar scalar) {
  if (scalar == Scalar::f32) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  double value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

void write(std::byte* at, Scalar scalar, double value) {
  const auto single = static_cast<float>(value);
  scalar == Scalar::f32 ? std::memcpy(at, &single, sizeof single) : std::memcpy(at, &value, sizeof value);
}

// A rank's boxes one after the other.
struct Boxes {
  Boxes(const Layout& layout, int me, Base base, NumberType type)
      : memory(packed_memory(layout, me)), global(layout.global()), type(type) {
    patches = caller_patches(memory.boxes, memory.places, base, type.element_bytes());
    bytes.resize(static_cast<std::size_t>(memory.elements * type.element_bytes()));
  }
  template <class Visit>
  void each(Visit visit) {
    const Whole frame{global, {}};
    for (std::size_t b = 0; b < memory.boxes.size(); ++b)
      for_each(memory.boxes[b], [&](const Coord& at) {
        for (Index part = 0; part < type.per_element(); ++part)
          visit(bytes.data() + memory.position(b, at) * type.element_bytes() +
                    part * static_cast<Index>(size_of(type.scalar)),
                frame.position(at), part);
      });
  }
  LocalMemory memory;
  Shape global;
  NumberType type;
  std::vector<Patch> patches{};
  std::vector<std::byte> bytes{};
};

SweepSpec moves_of(const Coding& c, const Coord& steps) {
  SweepSpec s{.scalar = c.type.scalar,
              .complex_in = c.type.complex,
              .complex_out = c.type.complex,
              .tuning = {{}, 1 + static_cast<int>(c.seed % 2)}};
  s.steps = steps;
  return s;
}

// Patches of these parts do not have all of every unit, which needs a plane then.
std::vector<Box> parts_of_units(const Shape& shape) {
  std::vector<Box> parts(2, whole(shape));
  const int last = shape.dims() - 1;
  parts[0].hi[last] = parts[1].lo[last] = shape[last] * 3 / 4;
  std::erase_if(parts, [](const Box& box) { return box.empty(); });
  return parts;
}

struct Sums {
  double lost2 = 0, said_lost2 = 0, norm2 = 0, said_norm2 = 0;
  std::vector<std::byte> result{};
};

Sums bring(const Coding& c, const Comm& comm) {
  const int me = comm.rank();
  const Exchange exchange(c.spec(me));
  const auto channel = find_transport("threads")->open(comm, {{exchange.round()}});
  const PrivateMemory memory(*channel);
  Boxes before(c.from, me, Base::input, c.type), after(c.to, me, Base::output, c.type);
  Encoder encoder(exchange.encoded_outgoing(*channel, 0), c.type, c.from.global(), true, {},
                  moves_of(c, c.blocking.writer_steps).tuning.threads);
  Decoder decoder(exchange.encoded_incoming(*channel, 0), c.type, c.from.global());

  SweepSpec out = moves_of(c, c.blocking.writer_steps), in = moves_of(c, c.blocking.reader_steps);
  out.from = before.patches;
  out.to = exchange.outgoing(*channel, 0);
  for (const Patch& staying : cut(after.patches, exchange.staying())) out.to.push_back(staying);
  out.sink = &encoder;
  out.sink_boxes = exchange.encoded_boxes_out();
  for (int chunk = 0; chunk < c.chunks.count; ++chunk) {
    out.chunks.emplace_back();
    for (const Box& box : c.from.boxes(me)) out.chunks.back().push_back(c.chunks.part(box, chunk));
  }
  in.from = exchange.incoming(*channel, 0);
  for (const Patch& staying : cut(after.patches, exchange.staying())) in.from.push_back(staying);
  in.to = after.patches;
  in.source = &decoder;
  in.source_boxes = exchange.encoded_boxes_in();
  in.chunks = {c.to.boxes(me)};
  if (c.needs_planes)
    out.from = cut(out.from, parts_of_units(c.from.global())), in.to = cut(in.to, parts_of_units(c.from.global()));
  if (c.planes_in_order) out.sink_order = in.source_order = c.blocking.order;
  const auto store = make_host_sweep(out), collect = make_host_sweep(in);
  std::vector<std::byte> scratch(std::max(store->scratch_bytes(), collect->scratch_bytes()) + 64);
  auto* tiles = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(scratch.data()) + 63) / 64 * 64);

  Sums sums;
  before.each([&](std::byte* at, Index position, Index part) {
    write(at, c.type.scalar, number(c, position, part));
    sums.norm2 += std::pow(read(at, c.type.scalar), 2);
  });
  const Buffers buffers{before.bytes.data(), after.bytes.data()};
  channel->begin(0);
  encoder.begin(c.terms);
  for (int chunk = 0; chunk < c.chunks.count; ++chunk) {
    store->run(chunk, buffers, tiles, {});
    encoder.seal(chunk, [&](std::size_t i, Index bytes) { channel->shrink(0, i, bytes); });
    channel->send(0, chunk);
  }
  channel->wait(0);
  for (int chunk = 0; chunk < c.chunks.count; ++chunk)
    decoder.open(chunk, [&](std::size_t i) { return channel->received(0, i); });
  collect->run(0, buffers, tiles, {});
  decoder.check();
  channel->release(0);
  after.each([&](std::byte* at, Index position, Index part) {
    const double given =
        c.type.scalar == Scalar::f32 ? static_cast<float>(number(c, position, part)) : number(c, position, part);
    sums.lost2 += std::pow(read(at, c.type.scalar) - given, 2);
  });
  sums.said_lost2 = encoder.lost2();
  sums.said_norm2 = encoder.norm2();
  sums.result = after.bytes;
  return sums;
}

Coding random_coding(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int ranks = static_cast<int>(pick(random, 1, 7));
  const Shape shape = small_shape(random, 4, 12);
  Coding c{.from = Layout(random_layout(random, shape, ranks), shape, ranks),
           .to = Layout(random_layout(random, shape, ranks), shape, ranks),
           .seed = seed};
  c.type = {.scalar = pick(random, 0, 1) ? Scalar::f64 : Scalar::f32, .complex = pick(random, 0, 2) > 0};
  c.chunks = {static_cast<int>(pick(random, 1, 4)), static_cast<int>(pick(random, 0, shape.dims() - 1)),
              static_cast<int>(pick(random, 1, 3)), static_cast<int>(pick(random, 0, shape.dims() - 1))};
  c.chunks.count *= c.chunks.parts;
  do c.codec = codecs()[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(codecs().size()) - 1))];
  while (!c.codec->refuses(c.type.scalar).empty());
  c.blocking = {.writer_steps = random_steps(random, shape.dims()),
                .reader_steps = random_steps(random, shape.dims()),
                .order = {}};
  for (int a = 0; a < shape.dims(); ++a) c.blocking.order.push_back(a);
  std::shuffle(c.blocking.order.begin(), c.blocking.order.end(), random);
  c.terms = {.share = std::pow(10.0, -static_cast<double>(pick(random, 1, c.type.scalar == Scalar::f32 ? 6 : 13))),
             .a_priori = pick(random, 0, 1) == 1,
             .seed = seed};
  if (c.codec->dithers() && pick(random, 0, 2) == 0) c.terms.rounding = Rounding::dither;
  c.needs_planes = pick(random, 0, 1) == 1;
  c.planes_in_order = pick(random, 0, 1) == 1;
  return c;
}

TEST(EncodedExchange, BringsEveryElementAndLosesWhatItSaysAndMay) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(chosen_problems(600)); ++seed) {
    const Coding c = random_coding(seed);
    on_ranks(c.from.ranks(), [&](Comm comm) {
      const Sums mine = bring(c, comm);
      const double lost2 = all_sum(comm, mine.lost2), said = all_sum(comm, mine.said_lost2),
                   norm2 = all_sum(comm, mine.norm2);
      // Codecs promise this precision (codec/codec.hpp).
      const double room = 3e-7 * c.terms.share * std::sqrt(norm2) + 1e-150;
      EXPECT_LE(std::sqrt(lost2), std::sqrt(said) * (1 + 1e-6) + room) << c.text();
      // Zeros that fill up blocks may lose something, too.
      if (c.terms.rounding == Rounding::nearest && c.codec->name() != "zfp") {
        EXPECT_GE(std::sqrt(lost2), std::sqrt(said) * (1 - 1e-6) - room) << c.text();
      }
      EXPECT_NEAR(all_sum(comm, mine.said_norm2), norm2, 1e-12 * norm2) << c.text();
      if (c.terms.rounding == Rounding::nearest) {
        EXPECT_LE(lost2, c.terms.share * c.terms.share * norm2 * (1 + 1e-6)) << c.text();
      }
    });
  }
}

// Codecs work in planes if blocks lie together there: rows of eight elements that go on in each other.
TEST(EncodedExchange, HasTheSameBitsWhereCodecsWorkInThePlanes) {
  for (const Codec* codec : codecs())
    for (const Scalar scalar : {Scalar::f64, Scalar::f32}) {
      if (!codec->refuses(scalar).empty()) continue;
      const Shape shape{128, 24, 16};
      Coding c{.from = Layout(slabs(0), shape, 2),
               .to = Layout(slabs(1), shape, 2),
               .type = {.scalar = scalar},
               .codec = codec,
               .blocking = {.writer_steps = {64, 24, 8}, .reader_steps = {128, 8, 8}, .order = {1, 0, 2}},
               .terms = {.share = 1e-3, .seed = 7},
               .seed = 3,
               .needs_planes = true};
      for (const bool dither : {false, true}) {
        if (dither && !codec->dithers()) continue;
        c.terms.rounding = dither ? Rounding::dither : Rounding::nearest;
        on_ranks(2, [&](Comm comm) {
          Coding in_order = c;
          in_order.planes_in_order = true;
          const Sums copied = bring(c, comm), there = bring(in_order, comm);
          EXPECT_EQ(copied.result, there.result) << c.text();
          EXPECT_NEAR(copied.said_lost2, there.said_lost2, 1e-12 * copied.said_lost2) << c.text();
        });
      }
    }
}

// One message from rank 0 to rank 1, made and opened by hand.
struct ByOwner {
  ByOwner() {
    const Box box = whole(global);
    const Blocking blocking{.writer_steps = {4, 16}, .reader_steps = {8, 4}, .order = {0, 1}};
    const auto form =
        std::make_shared<const MessageForm>(std::vector{box}, blocking, *find_codec("block_float"), NumberType{});
    memory.resize(static_cast<std::size_t>(form->capacity() + 63) / 64 * 64);
    Encoder encoder({{memory.data(), 0, 0, form}}, NumberType{}, global, false, {}, 1);
    std::vector<double> values(static_cast<std::size_t>(2 * box.count()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_value(3, static_cast<Index>(i));
    std::vector<std::byte> scratch(encoder.scratch_bytes() + 64);
    encoder.begin({.share = 1e-4, .seed = 5});
    const Cells units(box, blocking.writer_steps);
    const Coord strides{global[1] * 16, 16};
    for (Index u = 0; u < units.count(); ++u) {
      const Box unit = units.cell(u);
      const double unit_norm2 = static_cast<double>(unit.count()) / 6;
      encoder.take(unit,
                   reinterpret_cast<std::byte*>(values.data()) + unit.lo[0] * strides[0] + unit.lo[1] * strides[1],
                   strides, unit_norm2, aligned(scratch));
    }
    encoder.seal(0, [&](std::size_t, Index n) { bytes = n; });
    incoming = {memory.data(), 3, 0, 0, form};
  }
  static std::byte* aligned(std::vector<std::byte>& bytes) {
    return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(bytes.data()) + 63) / 64 * 64);
  }

  // What a message of `n` bytes does to a reader that has just so much memory: its words, or nothing.
  [[nodiscard]] std::string refusal(std::span<const std::byte> message) const {
    const std::unique_ptr<std::byte, decltype(&std::free)> copy(
        static_cast<std::byte*>(std::aligned_alloc(64, memory.size())), std::free);
    std::memset(copy.get(), 0x5a, memory.size());
    std::copy(message.begin(), message.end(), copy.get());
    Decoder::Incoming in = *incoming;
    in.memory = copy.get();
    Decoder decoder({in}, NumberType{}, global);
    std::vector<std::byte> plane(static_cast<std::size_t>(whole(global).count() * 16)),
        scratch(decoder.scratch_bytes() + 64);
    try {
      decoder.open(0, [&](std::size_t) { return static_cast<Index>(message.size()); });
      decoder.fill(whole(global), plane.data(), {global[1] * 16, 16}, aligned(scratch), false);
      decoder.check();
    } catch (const Error& e) { return e.what(); }
    return {};
  }

  Shape global{16, 40};
  std::vector<std::byte> memory{};
  Index bytes = 0;
  std::optional<Decoder::Incoming> incoming{};
};

TEST(EncodedExchange, FindsAnyDamageToAMessageAndNamesTheSender) {
  const ByOwner made;
  const std::span<const std::byte> whole_message(made.memory.data(), static_cast<std::size_t>(made.bytes));
  EXPECT_EQ(made.refusal(whole_message), "");
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bad(whole_message.begin(), whole_message.end());
    const auto at = static_cast<std::size_t>(pick(random, 0, static_cast<Index>(bad.size()) - 1));
    bad[at] ^= static_cast<std::byte>(1 << pick(random, 0, 7));
    EXPECT_NE(made.refusal(bad).find("rank 3"), std::string::npos) << "byte " << at << " of " << bad.size();
  }
}

// The sender makes other messages, with their right checksums.
TEST(EncodedExchange, RefusesHeadsThatAreNotDamagedButSayWhatCannotBe) {
  const ByOwner made;
  const MessageForm& form = *made.incoming->form;
  const auto refusal = [&](auto edit) {
    std::vector<std::byte> message(made.memory.begin(), made.memory.begin() + made.bytes);
    auto header = read_as<MessageHeader>(message.data());
    auto entry = read_as<GroupEntry>(message.data() + sizeof header);
    edit(header, entry);
    std::memcpy(message.data(), &header, sizeof header);
    std::memcpy(message.data() + sizeof header, &entry, sizeof entry);
    header.checksum = head_checksum(message.data(), form);
    std::memcpy(message.data(), &header.checksum, sizeof header.checksum);
    return made.refusal(message);
  };
  const auto payload_at = static_cast<std::uint64_t>(form.payload_at()), bytes = static_cast<std::uint64_t>(made.bytes);
  EXPECT_EQ(refusal([](MessageHeader&, GroupEntry&) {}), "");
  for (const std::uint64_t at : {payload_at + 4, payload_at - 8, bytes + 8})
    EXPECT_NE(refusal([&](MessageHeader&, GroupEntry& e) { e.at = at; }).find("rank 3 has a group at byte"),
              std::string::npos)
        << at;
  const auto expect = [&](const char* words, auto edit) {
    EXPECT_NE(refusal(edit).find(std::string("rank 3 ") + words), std::string::npos) << refusal(edit);
  };
  expect("has a group at byte", [&](MessageHeader&, GroupEntry& e) { e.bytes = static_cast<std::uint32_t>(bytes); });
  expect("holds numbers of codec 99", [](MessageHeader&, GroupEntry& e) { e.codec = 99; });
  expect("says that it has", [&](MessageHeader& h, GroupEntry&) { h.bytes = bytes + 8; });
  expect("says that it has", [&](MessageHeader& h, GroupEntry&) { h.bytes = payload_at - 8; });
  expect("rounds in a way", [](MessageHeader& h, GroupEntry&) { h.rounding = static_cast<Rounding>(7); });
}

TEST(EncodedExchange, LetsAPartOfAUnitLoseAllThatTheUnitMayUnlessSharesAreEven) {
  const Shape global{16, 64};
  const Box unit = whole(global);
  std::vector<double> values(static_cast<std::size_t>(2 * unit.count()));
  double norm2 = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = random_value(4, static_cast<Index>(i));
    norm2 += values[i] * values[i];
  }
  const auto part_lost = [&](bool evenly) {  // of what the unit may lose, where a quarter of it is sent
    const auto form = std::make_shared<const MessageForm>(
        std::vector{Box{{0, 0}, {4, 64}}}, Blocking{.writer_steps = global, .reader_steps = global, .order = {0, 1}},
        *find_codec("block_float"), NumberType{});
    std::vector<std::byte> memory(static_cast<std::size_t>(form->capacity() + 128));
    Encoder encoder({{ByOwner::aligned(memory), 0, 0, form}}, NumberType{}, global, false, {}, 1);
    std::vector<std::byte> scratch(encoder.scratch_bytes() + 64);
    constexpr double share = 1e-3;
    encoder.begin({.share = share, .values = static_cast<double>(values.size()), .evenly = evenly, .seed = 5});
    encoder.take(unit, reinterpret_cast<const std::byte*>(values.data()), {global[1] * 16, 16}, norm2,
                 ByOwner::aligned(scratch));
    return encoder.lost2() / (share * share * norm2);
  };
  EXPECT_LE(part_lost(false), 1);
  EXPECT_GT(part_lost(false), 0.5);
  EXPECT_LE(part_lost(true), 0.25);
}

TEST(EncodedExchange, FindsThatAMessageIsTooShort) {
  const ByOwner made;
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const auto n = static_cast<std::size_t>(pick(random, 0, made.bytes - 1));
    EXPECT_NE(made.refusal({made.memory.data(), n}).find("rank 3"), std::string::npos)
        << n << " of " << made.bytes << " bytes";
  }
}

// A codec that leaves every block as long as it is fills a message to its capacity; what is found without listing
// groups is never less than what they take.
TEST(ExpectedBytes, AreThoseOfFullBlocksWithAllHeads) {
  const NumberType type{};
  const Codec &none = *find_codec("none"), &bits = *find_codec("block_float");
  int saves = 0, does_not = 0;
  for (const Coord& writer : {Coord{1, 32, 40}, {30, 1, 8}, {4, 4, 4}, {1, 1, 40}})
    for (const Coord& reader : {Coord{30, 8, 8}, {2, 32, 40}, {1, 1, 1}})
      for (const Box& box : {Box{{0, 0, 0}, {30, 17, 40}}, Box{{3, 5, 7}, {9, 6, 31}}, Box{{1, 1, 1}, {2, 2, 2}}}) {
        const Blocking blocking{.writer_steps = writer, .reader_steps = reader, .order = {0, 1, 2}};
        const std::vector<Box> pieces{box, {{10, 0, 0}, {11, 16, 3}}};
        EXPECT_EQ(expected_bytes(pieces, blocking, none, type, 64).encoded,
                  static_cast<double>(MessageForm(pieces, blocking, none, type).capacity()));
        const MessageForm form(pieces, blocking, bits, type);
        double blocks = 0;
        for (const auto& group : form.groups()) blocks += static_cast<double>(group.blocks);
        const double takes = static_cast<double>(form.payload_at()) + blocks * 64 * 12 / 8;
        const Expected e = expected_bytes(pieces, blocking, bits, type, 12);
        EXPECT_EQ(e.plain, static_cast<double>(form.values()) * 8);
        EXPECT_EQ(e.encoded < e.plain, takes < e.plain);
        EXPECT_GE(e.encoded, takes);
        (e.encoded < e.plain ? saves : does_not) += 1;
      }
  EXPECT_GT(saves, 3);
  EXPECT_GT(does_not, 3);
}

}  // namespace
}  // namespace shardfft::testing
