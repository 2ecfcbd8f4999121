// Messages that devices make against those of the host: the host's Decoder takes the one and a device the other, and the numbers are the same to the last bit.
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/device_groups.hpp"
#include "exchange/decoder.hpp"
#include "exchange/device_messages.hpp"
#include "exchange/encoder.hpp"
#include "pipeline/memory.hpp"
#include "support/layouts.hpp"

namespace shardfft::testing {
namespace {

struct Coded {
  std::uint64_t seed = 0;
  Layout from{}, to{};
  int writer = 0, reader = 0;
  NumberType type{};
  const DeviceCodec* codec = nullptr;
  Blocking blocking{};
  Terms terms{};

  /// Everything that the writer sends to each of two readers.
  [[nodiscard]] std::vector<Box> pieces(int to_rank) const {
    std::vector<Box> all;
    for (const Box& a : from.boxes(writer))
      for (const Box& b : to.boxes(to_rank))
        if (!intersect(a, b).empty()) all.push_back(intersect(a, b));
    return all;
  }
  [[nodiscard]] MessageForm form(int to_rank) const { return {pieces(to_rank), blocking, codec->host(), type}; }
  [[nodiscard]] std::string text() const {
    return fmt::format("seed {}: {}{} {} {} -> {} of {}, rank {} to {}, units {} and {}, parameter {:a}", seed, codec->name(), terms.rounding == Rounding::dither ? " with dither" : "",
                       type.scalar == Scalar::f32 ? "f32" : "f64", to_string(from.spec()), to_string(to.spec()), to_string(from.global()), writer, reader, to_string(blocking.writer_steps),
                       to_string(blocking.reader_steps), terms.parameter);
  }
};

Coord random_steps(std::mt19937_64& random, int dims) {
  Coord steps = Coord::filled(dims, 1);
  for (int a = 0; a < dims; ++a) steps[a] = Index{1} << pick(random, 0, 5);
  return steps;
}

Coded random_coded(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int ranks = static_cast<int>(pick(random, 1, 4));
  const Shape shape = small_shape(random, 4, 14);
  Coded c{.seed = seed, .from = Layout(random_layout(random, shape, ranks), shape, ranks), .to = Layout(random_layout(random, shape, ranks), shape, ranks)};
  c.writer = static_cast<int>(pick(random, 0, ranks - 1));
  c.reader = static_cast<int>(pick(random, 0, ranks - 1));
  c.type = {.scalar = pick(random, 0, 1) ? Scalar::f64 : Scalar::f32, .complex = pick(random, 0, 2) > 0};
  do c.codec = &device_codecs()[static_cast<std::size_t>(pick(random, 0, block_formats - 1))];
  while (!c.codec->host().refuses(c.type.scalar).empty());
  c.blocking = {.writer_steps = random_steps(random, shape.dims()), .reader_steps = random_steps(random, shape.dims()), .order = {}};
  for (int a = 0; a < shape.dims(); ++a) c.blocking.order.push_back(a);
  std::shuffle(c.blocking.order.begin(), c.blocking.order.end(), random);
  const double parameter = c.codec->host().dithers() ? as(c.type.scalar, std::ldexp(1 + uniform(random), -static_cast<int>(pick(random, 1, 40)))) : c.codec->format() == BlockFormat::lossless ? 0 : 0x1p4;
  c.terms = {.forced = true, .parameter = parameter, .seed = random()};
  if (c.codec->host().dithers() && pick(random, 0, 1) == 0) c.terms.rounding = Rounding::dither;
  return c;
}

/// A rank's boxes in one array.
struct Array {
  Array(const Layout& layout, int me, NumberType type) : memory(packed_memory(layout, me)) {
    patches = caller_patches(memory.boxes, memory.places, Base::input, type.element_bytes());
    bytes.resize(static_cast<std::size_t>(memory.elements * type.element_bytes()), std::byte{0x3C});
  }
  void fill(std::mt19937_64& random, Scalar scalar) {
    for (std::size_t i = 0; i < bytes.size() / size_of(scalar); ++i) {
      const double x = random() % 5 == 0 ? 0 : uniform(random) - 0.5;
      const auto single = static_cast<float>(x);
      scalar == Scalar::f32 ? std::memcpy(bytes.data() + 4 * i, &single, 4) : std::memcpy(bytes.data() + 8 * i, &x, 8);
    }
  }
  LocalMemory memory;
  std::vector<Patch> patches{};
  std::vector<std::byte> bytes{};
};

using Message = std::unique_ptr<std::byte, decltype(&std::free)>;
Message message_for(const MessageForm& form) {
  const auto bytes = static_cast<std::size_t>(form.capacity() + 63) / 64 * 64;
  Message memory(static_cast<std::byte*>(std::aligned_alloc(64, bytes)), std::free);
  std::memset(memory.get(), 0, bytes);
  return memory;
}

struct Scratch {
  explicit Scratch(std::size_t bytes) : memory(bytes + 64) {}
  [[nodiscard]] std::byte* aligned() { return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64); }
  std::vector<std::byte> memory;
};

struct Sent {
  Message message;
  Index bytes = 0;
  double lost2 = 0;
};

Sent host_sends(const Coded& c, const MessageForm& form, const Array& array) {
  Sent sent{.message = message_for(form)};
  Encoder encoder({{sent.message.get(), 0, 0, std::make_shared<const MessageForm>(form)}}, c.type, c.from.global(), false, {});
  Scratch scratch(encoder.scratch_bytes());
  encoder.begin(c.terms);
  for (const Patch& patch : array.patches) {
    const Cells units(patch.box, c.blocking.writer_steps);
    for (Index u = 0; u < units.count(); ++u) {
      const Box unit = units.cell(u);
      Index at = patch.offset;
      for (int a = 0; a < unit.dims(); ++a) at += (unit.lo[a] - patch.box.lo[a]) * patch.strides[a];
      encoder.take(unit, array.bytes.data() + at, patch.strides, 1, scratch.aligned());
    }
  }
  encoder.seal(0, [&](std::size_t, Index n) { sent.bytes = n; });
  sent.lost2 = encoder.lost2();
  return sent;
}

void host_receives(const Coded& c, const MessageForm& form, const Sent& sent, Array& array) {
  Decoder decoder({{sent.message.get(), c.writer, 0, 0, std::make_shared<const MessageForm>(form)}}, c.type, c.from.global());
  Scratch scratch(decoder.scratch_bytes());
  decoder.open(0, [&](std::size_t) { return sent.bytes; });
  for (const Patch& patch : array.patches) decoder.fill(patch.box, array.bytes.data() + patch.offset, patch.strides, scratch.aligned());
  decoder.check();
}

MoveBases based_on(const DeviceMemory& memory) {
  MoveBases bases;
  bases.start[static_cast<int>(MoveBase::input)] = memory.data();
  return bases;
}

/// What a device makes of the messages to all ranks at once.
std::vector<Sent> device_sends(const OnDevice& on, const Coded& c, const std::vector<MessageForm>& forms, const Array& array) {
  std::vector<const MessageForm*> list;
  std::vector<DeviceMemory> memory;
  std::vector<std::byte*> addresses;
  std::vector<Index> room;
  for (const MessageForm& form : forms) {
    list.push_back(&form);
    addresses.push_back(memory.emplace_back(on.device(), static_cast<std::size_t>(form.capacity()), "a message").data());
    room.push_back(form.capacity());
    on.queue().zero(addresses.back(), static_cast<std::size_t>(form.capacity()));
  }
  const DeviceMessages messages(on.device(), on.queue(), list, array.patches, c.from.global());
  const auto runs = messages.place(on.queue(), addresses, room);
  const DeviceMemory data = on_device(on.device(), on.queue(), array.bytes);
  const auto tries = on.table(std::vector<GroupTry>(static_cast<std::size_t>(messages.groups()), c.codec->attempt(c.terms.parameter, 0)));
  auto made = on.table(std::vector<GroupMade>(static_cast<std::size_t>(messages.groups())));
  auto sizes = on.table(std::vector<std::uint64_t>(forms.size()));
  messages.encode(on.queue(), {.rounding = c.terms.rounding, .seed = c.terms.seed, .bases = based_on(data), .messages = runs.data()}, {.attempt = tries.data(), .made = made.data(), .run_bytes = sizes.data()});
  const auto groups = on.read<GroupMade>(made.data(), static_cast<std::size_t>(messages.groups()));
  const auto bytes = on.read<std::uint64_t>(sizes.data(), forms.size());
  std::vector<Sent> sent;
  for (std::size_t m = 0; m < forms.size(); ++m) {
    sent.push_back({.message = message_for(forms[m])});
    if (forms[m].groups().empty()) continue;
    sent.back().bytes = static_cast<Index>(bytes[m]);
    on.queue().copy(sent.back().message.get(), addresses[m], bytes[m]);
    on.queue().synchronize();
    const std::span own(groups.data() + messages.first_groups()[m], groups.data() + messages.first_groups()[m + 1]);
    for (const GroupMade& group : own) sent.back().lost2 += group.lost2;
    seal_message(sent.back().message.get(), forms[m], own, c.terms.rounding, c.terms.seed, sent.back().bytes);
  }
  return sent;
}

void device_receives(const OnDevice& on, const Coded& c, const MessageForm& form, const Sent& sent, Array& array) {
  const auto groups = groups_of_message(sent.message.get(), form);
  ASSERT_TRUE(groups.has_value());
  const DeviceMemory memory(on.device(), static_cast<std::size_t>(sent.bytes), "a message");
  on.queue().copy(memory.data(), sent.message.get(), memory.bytes());
  const MessageForm* list[] = {&form};
  const DeviceMessages messages(on.device(), on.queue(), list, array.patches, c.from.global());
  std::byte* const address = memory.data();
  const auto runs = messages.place(on.queue(), {&address, 1}, {&sent.bytes, 1});
  const DeviceMemory data = on_device(on.device(), on.queue(), array.bytes);
  const auto made = on.table(*groups);
  auto damaged = on.table(std::vector<std::uint8_t>(groups->size(), 7));
  auto count = on.table(std::vector<std::uint32_t>(1, 7));
  messages.decode(on.queue(), {.rounding = c.terms.rounding, .seed = c.terms.seed, .bases = based_on(data), .messages = runs.data()},
                  {.made = made.data(), .damaged = damaged.data(), .damaged_groups = count.data()});
  array.bytes = on_host<std::byte>(on.queue(), data);
  EXPECT_EQ(on.read<std::uint32_t>(count.data(), 1).front(), 0u);
}

class MessagesOfDevices : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Here, MessagesOfDevices, ::testing::ValuesIn(names_of_devices()), as_word);

#ifdef SHARDFFT_SANITIZED
constexpr std::uint64_t problems = 40;
#else
constexpr std::uint64_t problems = 300;
#endif

TEST_P(MessagesOfDevices, AreTakenByTheHostAndTheOtherWayRound) {
  const std::uint64_t first = std::random_device()();
  int messages = 0;
  for (std::uint64_t seed = first; seed < first + problems; ++seed) {
    const Coded c = random_coded(seed);
    SCOPED_TRACE(c.text());
    std::mt19937_64 random(seed + 1);
    Array given(c.from, c.writer, c.type);
    given.fill(random, c.type.scalar);
    std::vector<MessageForm> forms;
    for (int rank = 0; rank < c.to.ranks(); ++rank) forms.push_back(c.form(rank));
    const std::vector<Sent> of_device = device_sends(on, c, forms, given);
    const auto reader = static_cast<std::size_t>(c.reader);
    if (forms[reader].groups().empty()) continue;
    ++messages;
    const Sent of_host = host_sends(c, forms[reader], given);
    EXPECT_EQ(of_device[reader].bytes, of_host.bytes);
    const double step2 = c.codec->host().dithers() ? c.terms.parameter * c.terms.parameter : 0;
    EXPECT_NEAR(of_device[reader].lost2, of_host.lost2, 1e-5 * of_host.lost2 + 1e-6 * step2);
    Array expected(c.to, c.reader, c.type), by_host = expected, by_device = expected;
    host_receives(c, forms[reader], of_host, expected);
    host_receives(c, forms[reader], of_device[reader], by_host);
    device_receives(on, c, forms[reader], of_host, by_device);
    ASSERT_EQ(by_host.bytes, expected.bytes) << "the device's message, decoded by the host";
    ASSERT_EQ(by_device.bytes, expected.bytes) << "the host's message, decoded by the device";
  }
  EXPECT_GT(messages, static_cast<int>(problems) / 4);
}

}  // namespace
}  // namespace shardfft::testing
