// The ends of encoded exchanges on devices against those of the host: messages of the same bytes, the same numbers from
// them, and any damage is found.
#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>

#include <gtest/gtest.h>

#include "device/exchange/device_decoder.hpp"
#include "device/exchange/device_elements.hpp"
#include "device/exchange/device_encoder.hpp"
#include "exchange/coded_messages.hpp"
#include "exchange/message_check.hpp"
#include "grid/cyclic_axis.hpp"
#include "support/chosen.hpp"
#include "support/memory/copy_box.hpp"
#include "support/pi.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

class EndsOnDevices : public OnEveryDevice {
 protected:
  [[nodiscard]] std::shared_ptr<DeviceStaging> make_room() const {
    return std::make_shared<DeviceStaging>(on.device(), on.queue(), [](const Event& event) { event.synchronize(); });
  }
};
INSTANTIATE_TEST_SUITE_P(Here, EndsOnDevices, ::testing::ValuesIn(names_of_devices()), as_word);

constexpr std::uint64_t end_problems = sanitized ? 20 : 150;

// The norm is known, as in all exchanges of devices. Some codecs are used whatever they lose.
Coded with_known_norm(std::uint64_t seed) {
  Coded c = random_coded(seed);
  std::mt19937_64 random(seed + 2);
  c.terms.basis = ErrorBudget::Basis::given;
  c.terms.norm = 0.3 * std::sqrt(static_cast<double>(product(c.from.global())));
  c.terms.values = static_cast<double>(product(c.from.global()) * c.type.per_element());
  c.terms.forced = pick(random, 0, 1) == 0;
  c.terms.share = std::pow(10.0, -static_cast<double>(pick(random, 1, 6)));
  c.terms.a_priori = pick(random, 0, 2) == 0;
  return c;
}

const Patch& holder_of(const Array& array, const Box& box) { return patch_with(PatchIndex(array.patches), box); }

Index offset_in(const Patch& patch, const Box& box) {
  Index at = patch.offset;
  for (int a = 0; a < box.dims(); ++a) at += (box.lo[a] - patch.box.lo[a]) * patch.strides[a];
  return at;
}

struct Outbox {
  std::vector<MessageForm> forms{};  // to those that get something
  std::vector<int> readers{};
};

Outbox outbox_of(const Coded& c) {
  Outbox all;
  for (int rank = 0; rank < c.to.ranks(); ++rank) {
    MessageForm form = c.form(rank);
    if (form.groups().empty()) continue;
    all.forms.push_back(std::move(form));
    all.readers.push_back(rank);
  }
  return all;
}

// Sends chunks as the sweep before would: the boxes of one chunk lie in planes, and are then sealed.
std::vector<Sent> device_sends(const NamedDevice& on, const std::shared_ptr<DeviceStaging>& room, const Coded& c,
                               const Outbox& outbox, const Array& array) {
  constexpr int chunks = 2;
  std::vector<Encoder::Outgoing> outgoing;
  std::vector<DeviceMemory> memory;
  for (std::size_t m = 0; m < outbox.forms.size(); ++m) {
    memory.emplace_back(on.device(), static_cast<std::size_t>(outbox.forms[m].capacity()), "a message");
    const bool far = (c.seed + m) % 3 == 0;
    outgoing.push_back({memory.back().data(), static_cast<int>(m) % chunks, m,
                        std::make_shared<const MessageForm>(outbox.forms[m]), far});
  }
  DeviceEncoder encoder(room, outgoing, c.from.global(), 512, ErrorBudget::Basis::given);
  const DeviceMemory scratch(on.device(), encoder.planes_end(), "planes");
  encoder.use(scratch.data());
  encoder.begin(c.terms);
  std::vector<Sent> sent(outbox.forms.size());
  auto patch = encoder.patches().begin();
  for (int chunk = 0; chunk < chunks; ++chunk) {
    std::vector<std::byte> planes(encoder.planes_end());
    for (std::size_t m = static_cast<std::size_t>(chunk); m < outbox.forms.size(); m += chunks)
      for (const Box& box : outbox.forms[m].boxes()) {
        const Patch& from = holder_of(array, box);
        copy_box(array.bytes.data() + offset_in(from, box), from.strides, planes.data() + patch->offset, patch->strides,
                 box.shape(), c.type.element_bytes());
        ++patch;
      }
    on.queue().copy(scratch.data(), planes.data(), planes.size());
    on.queue().synchronize();
    encoder.seal(chunk, [&](std::size_t number, Index bytes) { sent[number].bytes = bytes; });
    for (std::size_t m = static_cast<std::size_t>(chunk); m < outbox.forms.size(); m += chunks) {
      sent[m].message = message_for(outbox.forms[m]);
      on.queue().copy(sent[m].message.get(), memory[m].data(), static_cast<std::size_t>(sent[m].bytes));
      on.queue().synchronize();
    }
  }
  if (!sent.empty()) sent.front().lost2 = encoder.lost2();
  return sent;
}

// One message, on the device; damaged(bytes) may change it first.
template <class Damage>
std::string device_receives(const NamedDevice& on, const std::shared_ptr<DeviceStaging>& room, const Coded& c,
                            const MessageForm& form, const Sent& sent, Array& array, Damage damage) {
  std::vector<std::byte> bytes(sent.message.get(), sent.message.get() + sent.bytes);
  Index received = sent.bytes;
  damage(bytes, received);
  const DeviceMemory memory(on.device(), static_cast<std::size_t>(form.capacity()), "a message");
  on.queue().copy(memory.data(), bytes.data(), bytes.size());
  on.queue().synchronize();
  DeviceDecoder decoder(room, {{memory.data(), c.writer, 0, 0, std::make_shared<const MessageForm>(form)}},
                        c.from.global(), 256);
  const DeviceMemory scratch(on.device(), decoder.planes_end(), "planes");
  decoder.use(scratch.data());
  const std::string why = thrown([&] {
    decoder.open(0, [&](std::size_t) { return received; });
    decoder.fill_planes();
    decoder.check();
  });
  if (!why.empty()) return why;
  const auto planes = on_host<std::byte>(on.queue(), scratch);
  for (const Patch& patch : decoder.patches()) {
    const Patch& to = holder_of(array, patch.box);
    copy_box(planes.data() + patch.offset, patch.strides, array.bytes.data() + offset_in(to, patch.box), to.strides,
             patch.box.shape(), c.type.element_bytes());
  }
  return {};
}

// Two axes of a tile taken as the halves of a split one.
struct TileHalves {
  TileTwiddles twiddles{};
  int axis = 0, other = 0;

  void expect_factor(Scalar scalar, const Patch& tile, const Coord& at, const std::vector<std::byte>& given,
                     const std::vector<std::byte>& got) const {
    const std::size_t place = static_cast<std::size_t>(offset_in(tile, {at, at}));
    const Index power =
        (at[axis] - tile.box.lo[axis]) * CyclicMap{twiddles.other_length, twiddles.owners}.index(at[other]);
    const long double angle =
        (twiddles.backward ? 2 : -2) * long_pi * static_cast<long double>(power) / static_cast<long double>(twiddles.n);
    const auto number = [&](const std::vector<std::byte>& bytes) {
      return scalar == Scalar::f32 ? number_at<float>(bytes, place) : number_at<double>(bytes, place);
    };
    const auto expected = number(given) * std::polar(1.0L, angle);
    const long double epsilon =
        scalar == Scalar::f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    EXPECT_LE(std::abs(number(got) - expected), 4 * epsilon * std::abs(expected)) << to_string(at);
  }
  template <class T>
  static std::complex<long double> number_at(const std::vector<std::byte>& bytes, std::size_t place) {
    T parts[2];
    std::memcpy(parts, bytes.data() + place, sizeof parts);
    return {parts[0], parts[1]};
  }
};

// Halves of a tile of complex numbers that lie without gaps.
std::optional<TileHalves> random_halves(std::mt19937_64& random, const Coded& c, const Patch& tile) {
  const int dims = tile.box.dims();
  const Index element = c.type.element_bytes();
  if (!c.type.complex || dims < 2 ||
      packed_bytes(tile.box.shape(), tile.strides, element) != tile.box.count() * element)
    return std::nullopt;
  TileHalves halves{.axis = static_cast<int>(pick(random, 0, dims - 1))};
  halves.other = static_cast<int>((halves.axis + pick(random, 1, dims - 1)) % dims);
  const Index length = tile.box.extent(halves.axis), other = c.from.global()[halves.other];
  halves.twiddles = {.backward = pick(random, 0, 1) == 1,
                     .n = length * other,
                     .length = length,
                     .step = tile.strides[halves.axis] / element,
                     .other_extent = tile.box.extent(halves.other),
                     .other_step = tile.strides[halves.other] / element,
                     .from = tile.box.lo[halves.other],
                     .other_length = other,
                     .owners = pick(random, 1, 4),
                     .at = tile.offset};
  return halves;
}

// Takes messages to the tiles of a sweep, which are cells of some of the reader's units.
void device_fills_tiles(const NamedDevice& on, const std::shared_ptr<DeviceStaging>& room, const Coded& c,
                        const MessageForm& form, const Sent& sent, Array& array, std::mt19937_64& random) {
  const DeviceMemory memory(on.device(), static_cast<std::size_t>(form.capacity()), "a message");
  on.queue().copy(memory.data(), sent.message.get(), static_cast<std::size_t>(sent.bytes));
  DeviceDecoder decoder(room, {{memory.data(), c.writer, 0, 0, std::make_shared<const MessageForm>(form)}},
                        c.from.global(), 256);
  Coord units = c.blocking.reader_steps;
  std::vector<int> order(static_cast<std::size_t>(units.dims()));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (int a = 0; a < units.dims(); ++a) units[a] *= pick(random, 1, 3);
  for (const Patch& all : array.patches) {
    const Cells cells(all.box, units);
    for (Index number = 0; number < cells.count(); ++number) {
      Patch tile{.box = cells.cell(number),
                 .base = Base::plane,
                 .offset = 64,
                 .strides = packed_strides(cells.cell(number).shape(), order, c.type.element_bytes(),
                                           pick(random, 0, 1) == 1)};
      const DeviceMemory scratch(
          on.device(),
          static_cast<std::size_t>(tile.offset + packed_bytes(tile.box.shape(), tile.strides, c.type.element_bytes())),
          "a tile");
      const auto filled = [&](const std::optional<TileTwiddles>& twiddles) {
        const auto part = decoder.part(tile, twiddles);
        EXPECT_TRUE(part) << to_string(tile.box);
        decoder.open(0, [&](std::size_t) { return sent.bytes; });
        MoveBases bases;
        bases.start[static_cast<int>(MoveBase::work)] = scratch.data();
        part->fill(bases);
        decoder.check();
        return on_host<std::byte>(on.queue(), scratch);
      };
      const auto bytes = filled(std::nullopt);
      if (const auto halves = random_halves(random, c, tile)) {
        const auto multiplied = filled(halves->twiddles);
        for (const Box& piece : form.boxes())
          for_each(intersect(piece, tile.box),
                   [&](const Coord& at) { halves->expect_factor(c.type.scalar, tile, at, bytes, multiplied); });
      }
      for (const Box& piece : form.boxes())
        if (const Box both = intersect(piece, tile.box); !both.empty())
          copy_box(bytes.data() + offset_in(tile, both), tile.strides, array.bytes.data() + offset_in(all, both),
                   all.strides, both.shape(), c.type.element_bytes());
    }
  }
}

// A segment that is cut in two has no parts.
void expect_no_part_of_a_segment(const std::shared_ptr<DeviceStaging>& room, const Coded& c, const MessageForm& form,
                                 std::byte* memory) {
  DeviceDecoder decoder(room, {{memory, c.writer, 0, 0, std::make_shared<const MessageForm>(form)}}, c.from.global(),
                        0);
  const Box segment = form.segments(form.groups().front()).cell(0);
  for (int a = 0; a < segment.dims(); ++a)
    for (const bool first : {true, false}) {
      if (segment.extent(a) < 2) continue;
      Patch tile{.box = segment, .base = Base::plane, .strides = Coord::filled(segment.dims(), 16)};
      (first ? --tile.box.hi[a] : ++tile.box.lo[a]);
      EXPECT_FALSE(decoder.part(tile, std::nullopt)) << to_string(tile.box);
    }
}

constexpr auto as_it_is = [](std::vector<std::byte>&, Index&) {};

// Header, entries, indexes and payloads; payloads may lie in any order.
void expect_same_message(const MessageForm& form, const Sent& got, const Sent& expected) {
  ASSERT_EQ(got.bytes, expected.bytes);
  EXPECT_EQ(thrown([&] { check_message(got.message.get(), form, 0, got.bytes, {}); }), "");
  for (std::size_t g = 0; g < form.groups().size(); ++g) {
    const GroupEntry a = entry_of(got.message.get(), g), b = entry_of(expected.message.get(), g);
    ASSERT_EQ(a.codec, b.codec) << "group " << g;
    ASSERT_EQ(a.parameter, b.parameter) << "group " << g;
    ASSERT_EQ(a.checksum, b.checksum) << "group " << g;
    ASSERT_EQ(a.bytes, b.bytes) << "group " << g;
  }
  const auto indexes = sizeof(MessageHeader) + form.groups().size() * sizeof(GroupEntry);
  EXPECT_EQ(std::memcmp(got.message.get() + indexes, expected.message.get() + indexes,
                        static_cast<std::size_t>(form.payload_at()) - indexes),
            0);
}

TEST_P(EndsOnDevices, MakeTheHostsMessagesAndReadThem) {
  const std::uint64_t first = std::random_device()();
  const auto room = make_room();
  int messages = 0;
  for (std::uint64_t seed = first; seed < first + end_problems && !HasFailure(); ++seed) {
    const Coded c = with_known_norm(seed);
    SCOPED_TRACE(c.text());
    std::mt19937_64 random(seed + 1);
    Array given(c.from, c.writer, c.type);
    given.fill(random, c.type.scalar);
    const Outbox outbox = outbox_of(c);
    const auto of_device = device_sends(on, room, c, outbox, given);
    double lost2 = 0;
    for (std::size_t m = 0; m < outbox.forms.size(); ++m) {
      const Sent of_host = host_sends(c, outbox.forms[m], given);
      lost2 += of_host.lost2;
      expect_same_message(outbox.forms[m], of_device[m], of_host);
      Array expected(c.to, outbox.readers[m], c.type), got = expected;
      host_receives(c, outbox.forms[m], of_host, expected);
      EXPECT_EQ(device_receives(on, room, c, outbox.forms[m], of_device[m], got, as_it_is), "");
      ASSERT_EQ(got.bytes, expected.bytes);
      Array by_tiles(c.to, outbox.readers[m], c.type);
      device_fills_tiles(on, room, c, outbox.forms[m], of_device[m], by_tiles, random);
      ASSERT_EQ(by_tiles.bytes, expected.bytes) << "tiles";
      const DeviceMemory nothing(on.device(), static_cast<std::size_t>(outbox.forms[m].capacity()), "a message");
      expect_no_part_of_a_segment(room, c, outbox.forms[m], nothing.data());
      ++messages;
    }
    if (messages > 0 && !of_device.empty()) { EXPECT_NEAR(of_device.front().lost2, lost2, 1e-5 * lost2 + 1e-12); }
  }
  EXPECT_GT(messages, static_cast<int>(end_problems) / 2);
}

// Counts what is read from some memory, but by kernels that make messages, which only write there.
class WatchedQueue final : public MemoryQueue {
 public:
  void watch(const DeviceMemory& memory) { watched_.emplace_back(memory.data(), memory.data() + memory.bytes()); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    note(from);
    MemoryQueue::copy(to, from, bytes);
  }
  void run(const DeviceTask& task) override {
    if (const auto* sums = std::get_if<SumPayloads>(&task))
      for (Index r = 0; r < sums->tables.runs; ++r) note(sums->tables.run[r].memory);
    MemoryQueue::run(task);
  }
  [[nodiscard]] int reads() const { return reads_; }

 private:
  void note(const void* from) {
    const auto* at = static_cast<const std::byte*>(from);
    for (const auto& [start, end] : watched_) reads_ += at >= start && at < end;
  }
  std::vector<std::pair<const std::byte*, const std::byte*>> watched_{};
  int reads_ = 0;
};

TEST(FarMessages, AreStoredOnTheOtherDeviceAndNotReadThere) {
  const auto device = std::make_shared<MemoryDevice>();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Coded c = with_known_norm(seed);
    const Outbox outbox = outbox_of(c);
    WatchedQueue queue;
    const auto room = std::make_shared<DeviceStaging>(device, queue, [](const Event&) {});
    std::vector<DeviceMemory> memory;
    std::vector<Encoder::Outgoing> outgoing;
    for (std::size_t m = 0; m < outbox.forms.size(); ++m) {
      memory.emplace_back(device, static_cast<std::size_t>(outbox.forms[m].capacity()), "a message");
      queue.watch(memory.back());
      outgoing.push_back({memory.back().data(), 0, m, std::make_shared<const MessageForm>(outbox.forms[m]), true});
    }
    DeviceEncoder encoder(room, outgoing, c.from.global(), 0, ErrorBudget::Basis::given);
    const DeviceMemory scratch(device, encoder.planes_end(), "planes");
    queue.zero(scratch.data(), scratch.bytes());
    encoder.use(scratch.data());
    encoder.begin(c.terms);
    encoder.seal(0, [&](std::size_t m, Index bytes) {
      EXPECT_EQ(thrown([&] { check_message(memory[m].data(), outbox.forms[m], 0, bytes, {}); }), "");
    });
    EXPECT_EQ(queue.reads(), 0);
  }
}

TEST_P(EndsOnDevices, FindAnyDamageAndNameTheSender) {
  const auto room = make_room();
  std::uint64_t seed = 1;
  Outbox outbox;
  Coded c;
  for (; outbox.forms.empty() || c.codec->format() != BlockFormat::block_float; ++seed) {
    c = with_known_norm(seed);
    outbox = outbox_of(c);
  }
  std::mt19937_64 random(3);
  Array given(c.from, c.writer, c.type), got(c.to, outbox.readers.front(), c.type);
  given.fill(random, c.type.scalar);
  const Sent sent = host_sends(c, outbox.forms.front(), given);
  const std::string name = fmt::format("rank {}", c.writer);
  for (int i = 0; i < 300; ++i) {
    const auto at = static_cast<std::size_t>(pick(random, 0, sent.bytes - 1));
    const auto bit = static_cast<std::byte>(1 << pick(random, 0, 7));
    const std::string why = device_receives(on, room, c, outbox.forms.front(), sent, got,
                                            [&](std::vector<std::byte>& bytes, Index&) { bytes[at] ^= bit; });
    EXPECT_NE(why.find(name), std::string::npos) << "byte " << at << " of " << sent.bytes << ": " << why;
    const Index fewer = pick(random, 0, sent.bytes - 1);
    const std::string cut = device_receives(on, room, c, outbox.forms.front(), sent, got,
                                            [&](std::vector<std::byte>&, Index& received) { received = fewer; });
    EXPECT_NE(cut.find(name), std::string::npos) << fewer << " of " << sent.bytes << " bytes: " << cut;
  }
  EXPECT_EQ(device_receives(on, room, c, outbox.forms.front(), sent, got, as_it_is), "");
}

}  // namespace
}  // namespace shardfft::testing
