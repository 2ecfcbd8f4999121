// Codecs of devices against those of the host: the same index, payload and numbers, to the last bit. On every device
// that is here: kernels of the emulated one, and of the tests' own, run on the host.
#include <fmt/format.h>

#include "codec/device_groups.hpp"
#include "codec/rounding.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

constexpr int rounds = sanitized ? 8 : 60, bits_step = sanitized ? 19 : 1;

/// Blocks that the host's codecs take: aligned to 64.
struct Aligned {
  explicit Aligned(std::size_t size) : memory(allocate(size, "blocks")), bytes(size) {}
  Memory memory;
  std::size_t bytes;
};

/// Groups of one call: each with its own number of blocks and parameter, several in a run.
struct Work {
  Scalar scalar = Scalar::f64;
  Rounding rounding = Rounding::nearest;
  const DeviceCodec* codec = nullptr;
  double unit = 1;
  std::vector<DeviceGroups::Group> groups{};
  std::vector<double> parameters{};
  std::vector<std::byte> values{};
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> keys{};  ///< that follow from it
  std::vector<BlockRun> runs{};       ///< addresses: 0

  [[nodiscard]] std::size_t block_bytes() const { return block_numbers * size_of(scalar); }
  /// A step in the units that losses come in: codecs bring units that are too large to be squared into range.
  [[nodiscard]] double in_units(double step) const { return step / safe_unit(unit); }
  [[nodiscard]] Index first_block(std::size_t group) const {
    Index first = 0;
    for (std::size_t g = 0; g < group; ++g) first += groups[g].blocks;
    return first;
  }
};

double some_parameter(Random& random, Scalar scalar, const DeviceCodec& codec, int bits, double size) {
  if (codec.format() == BlockFormat::lossless) return 0;
  if (codec.format() == BlockFormat::block_float)
    return std::min(as(scalar, std::ldexp(size * (1 + uniform(random)), 2 - bits)), 0x1p1021);
  return std::ldexp(1.0, below(random, 40) - 20 - std::ilogb(size));
}

/// A number of blocks: mostly few, sometimes those of several tiles.
Index some_blocks(Random& random) {
  constexpr int tile = BlockTile::most_blocks;
  const int kind = below(random, 96);
  if (kind == 0) return tile - 2 + below(random, 5) + tile * below(random, 3);
  return kind % 4 == 1 ? 200 + below(random, 400) : 1 + below(random, 12);
}

/// `large`: blocks of the first group; 0: some.
Work some_work(Random& random, const DeviceCodec& codec, Scalar scalar, Rounding rounding, int bits, bool any,
               Index large = 0) {
  Work w{.scalar = scalar, .rounding = rounding, .codec = &codec};
  const bool huge = scalar == Scalar::f64 && codec.host().dithers() && below(random, 8) == 0;
  const double size = std::ldexp(1 + uniform(random), scalar == Scalar::f32 ? below(random, 60) - 30
                                                      : huge                ? 1019
                                                                            : below(random, 200) - 100);
  w.unit = std::ldexp(1.0, std::ilogb(size));
  const int count = 1 + below(random, 6);
  Index total = 0;
  for (int g = 0; g < count; ++g) {
    const Index blocks = g == 0 && large > 0 ? large : some_blocks(random);
    const bool new_run = g == 0 || below(random, 3) == 0;
    if (new_run) w.runs.emplace_back();
    BlockRun& run = w.runs.back();
    w.groups.push_back(
        {.run = static_cast<std::uint32_t>(w.runs.size() - 1), .blocks = blocks, .index_at = run.payload_at});
    run.payload_at += blocks + below(random, 3);  // the indexes lie before the payloads, here not even aligned
    total += blocks;
    w.parameters.push_back(some_parameter(random, scalar, codec, bits, size));
    for (Index b = 0; b < blocks; ++b) {
      double x[64];
      const double step = codec.format() == BlockFormat::lossless ? 1 : w.parameters.back();
      put_block(random, scalar, step, size, any, x);
      for (const double v : x) {
        const float single = static_cast<float>(v);
        const auto* bytes = scalar == Scalar::f32 ? reinterpret_cast<const std::byte*>(&single)
                                                  : reinterpret_cast<const std::byte*>(&v);
        w.values.insert(w.values.end(), bytes, bytes + size_of(scalar));
      }
    }
  }
  for (std::size_t r = 0; r < w.runs.size(); ++r) {
    w.runs[r].payload_at = (w.runs[r].payload_at + 7) / 8 * 8;
    w.runs[r].bytes = w.runs[r].payload_at;
    for (const auto& group : w.groups)
      if (group.run == r) w.runs[r].bytes += group.blocks * static_cast<Index>(w.block_bytes());  // no codec takes more
  }
  w.seed = random();
  for (Index b = 0; b < total; ++b) w.keys.push_back(block_key(w.seed, 0, static_cast<std::uint64_t>(b)));
  return w;
}

/// Work and its results on a device.
struct Placed {
  Placed(const NamedDevice& on, const Work& w)
      : on(on), groups(on.device(), on.queue(), w.groups), values(on.table(w.values)) {
    std::vector<BlockRun> where = w.runs;
    for (BlockRun& run : where) {
      memory.emplace_back(on.device(), static_cast<std::size_t>(run.bytes), "a message");
      run.memory = memory.back().data();
      on.queue().zero(run.memory, static_cast<std::size_t>(run.bytes));
    }
    runs = on.table(groups.runs(where));
    one_array.elements = static_cast<std::uint32_t>(groups.blocks() * block_numbers);
    one_array.base = MoveBase::input;
    one_array.add_axis(groups.blocks() * block_numbers, static_cast<Index>(size_of(w.scalar)));
    segments = on.table(std::vector{one_array});
    segment_of = on.table(std::vector<std::uint32_t>(static_cast<std::size_t>(groups.blocks())));
    round = {.scalar = w.scalar, .rounding = w.rounding, .seed = w.seed, .runs = runs.data()};
    made = on.table(std::vector<GroupMade>(w.groups.size()));
    run_bytes = on.table(std::vector<std::uint64_t>(w.runs.size()));
  }
  void encode(const std::vector<GroupTry>& tries, double unit) {
    attempts = on.table(tries);
    groups.encode(on.queue(), round,
                  {.elements = in(values.data()),
                   .unit = unit,
                   .tries = static_cast<int>(tries.size() / static_cast<std::size_t>(groups.groups())),
                   .attempt = attempts.data(),
                   .made = made.data(),
                   .run_bytes = run_bytes.data()});
  }
  struct Decoded {
    std::vector<std::byte> values;
    std::vector<std::uint8_t> damaged;
    std::vector<std::uint32_t> damaged_groups;
  };
  Decoded decode(const std::vector<GroupMade>& arrived) {
    made = on.table(arrived);
    const std::size_t bytes = static_cast<std::size_t>(groups.blocks()) * block_numbers * size_of(round.scalar);
    const DeviceMemory to(on.device(), bytes, "numbers"), damaged(on.device(), arrived.size(), "marks"),
        count(on.device(), memory.size() * sizeof(std::uint32_t), "counts");
    groups.decode(on.queue(), round,
                  {.made = made.data(),
                   .elements = in(to.data()),
                   .damaged = reinterpret_cast<std::uint8_t*>(damaged.data()),
                   .damaged_groups = reinterpret_cast<std::uint32_t*>(count.data())});
    return {on.read<std::byte>(to.data(), bytes), on.read<std::uint8_t>(damaged.data(), arrived.size()),
            on.read<std::uint32_t>(count.data(), memory.size())};
  }
  // One after the other, real.
  [[nodiscard]] BlockElements in(std::byte* numbers) const {
    BlockElements all{.complex = false, .segments = 1, .segment = segments.data(), .segment_of = segment_of.data()};
    all.bases.start[static_cast<int>(MoveBase::input)] = numbers;
    return all;
  }

  const NamedDevice& on;
  DeviceGroups groups;
  DeviceTable<std::byte> values;
  DeviceTable<GroupTry> attempts{};
  std::vector<DeviceMemory> memory{};
  DeviceTable<BlockRun> runs{};
  BlockSegment one_array{};
  DeviceTable<BlockSegment> segments{};
  DeviceTable<std::uint32_t> segment_of{};
  DeviceTable<GroupMade> made{};
  DeviceTable<std::uint64_t> run_bytes{};
  GroupsRun round{};
};

struct OfHost {
  std::vector<std::byte> index, payload;
  Aligned decoded;
  Encoded encoded{};
};

OfHost on_host(const Work& w, const Codec& codec, std::size_t g, double parameter) {
  const int count = static_cast<int>(w.groups[g].blocks);
  const std::size_t bytes = static_cast<std::size_t>(count) * w.block_bytes();
  const std::uint64_t* keys = w.keys.data() + w.first_block(g);
  const Aligned given(bytes);
  std::memcpy(given.memory.get(), w.values.data() + static_cast<std::size_t>(w.first_block(g)) * w.block_bytes(),
              bytes);
  OfHost host{.index = std::vector<std::byte>(static_cast<std::size_t>(codec.index_bytes() * count)),
              .payload = std::vector<std::byte>(codec.most_bytes(w.scalar, count)),
              .decoded = Aligned(bytes)};
  host.encoded = codec.encode({w.scalar, count, given.memory.get(), keys, w.unit}, parameter, w.rounding,
                              host.index.data(), host.payload.data());
  host.payload.resize(host.encoded.bytes);
  EXPECT_TRUE(codec.decode(host.index, host.payload, 0, parameter, w.rounding,
                           {w.scalar, count, host.decoded.memory.get(), keys}));
  return host;
}

/// Roundings in the sum of squares differ: 1e-6 of the root, and 3e-7 of what the step was made for.
void expect_alike(double lost2, double of_host, double step_in_units, Index blocks) {
  EXPECT_EQ(std::isfinite(lost2), std::isfinite(of_host)) << lost2 << " and " << of_host;
  if (!std::isfinite(of_host)) return;
  const double group_budget2 = static_cast<double>(64 * blocks) * step_in_units * step_in_units / 12;
  EXPECT_NEAR(lost2, of_host, 3e-6 * of_host + 1e-12 * group_budget2 + 1e-6 * std::sqrt(of_host * group_budget2));
}

std::string name_of(const Work& w) {
  return fmt::format("{} of {}{}", w.codec->name(), w.scalar == Scalar::f32 ? "f32" : "f64",
                     w.rounding == Rounding::dither ? " with dither" : "");
}

/// Encodes on the device and on the host, compares, and decodes on the device.
void expect_same_bits(const NamedDevice& on, const Work& w) {
  SCOPED_TRACE(name_of(w));
  Placed placed(on, w);
  std::vector<GroupTry> tries;
  for (const double parameter : w.parameters) tries.push_back(w.codec->attempt(parameter, 0));
  placed.encode(tries, w.unit);
  const auto made = on.read<GroupMade>(placed.made.data(), w.groups.size());
  const auto run_bytes = on.read<std::uint64_t>(placed.run_bytes.data(), w.runs.size());
  const auto decoded = placed.decode(made);
  std::vector<std::uint64_t> end;
  for (const BlockRun& run : w.runs) end.push_back(static_cast<std::uint64_t>(run.payload_at));
  std::size_t at = 0;
  for (std::size_t g = 0; g < w.groups.size(); ++g) {
    SCOPED_TRACE(fmt::format("group {} of {} blocks, parameter {:a}", g, w.groups[g].blocks, w.parameters[g]));
    const OfHost host = on_host(w, w.codec->host(), g, w.parameters[g]);
    const auto run = w.groups[g].run;
    const auto message = on.read<std::byte>(placed.memory[run].data(), run_bytes[run]);
    ASSERT_EQ(made[g].bytes, host.encoded.bytes);
    ASSERT_EQ(made[g].at, end[run]) << "payloads lie one after the other";
    end[run] += made[g].bytes;
    ASSERT_LE(end[run], run_bytes[run]);
    const auto* index = message.data() + w.groups[g].index_at;
    ASSERT_TRUE(std::equal(host.index.begin(), host.index.end(), index)) << "index";
    ASSERT_TRUE(std::equal(host.payload.begin(), host.payload.end(), message.data() + made[g].at)) << "payload";
    expect_alike(made[g].lost2, host.encoded.lost2, w.codec->host().dithers() ? w.in_units(w.parameters[g]) : 0,
                 w.groups[g].blocks);
    ASSERT_EQ(decoded.damaged[g], 0);
    ASSERT_EQ(std::memcmp(decoded.values.data() + at, host.decoded.memory.get(), host.decoded.bytes), 0)
        << "decoded numbers";
    at += host.decoded.bytes;
  }
  EXPECT_EQ(end, run_bytes);
  EXPECT_EQ(decoded.damaged_groups, std::vector<std::uint32_t>(w.runs.size(), 0));
}

template <class Body>
void for_every_way(Body body) {
  for (const DeviceCodec& codec : device_codecs())
    for (const Scalar scalar : {Scalar::f32, Scalar::f64})
      if (codec.host().refuses(scalar).empty())
        for_every_rounding(codec.host(), [&](Rounding rounding) { body(codec, scalar, rounding); });
}

class CodecsOfDevices : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Here, CodecsOfDevices, ::testing::ValuesIn(names_of_devices()), as_word);

TEST(DeviceCodecs, AreCodecsOfTheHost) {
  for (const DeviceCodec& codec : device_codecs()) {
    EXPECT_EQ(find_codec(codec.name()), &codec.host());
    EXPECT_EQ(find_device_codec(codec.number()), &codec);
    EXPECT_EQ(find_device_codec(codec.format()), &codec);
    EXPECT_EQ(codec.host().block_values(), block_numbers);
  }
  EXPECT_EQ(find_device_codec(find_codec("none")->number()), nullptr);
}

TEST_P(CodecsOfDevices, GiveTheHostsBitsForAnyNumbersAndParameters) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for_every_way([&](const DeviceCodec& codec, Scalar scalar, Rounding rounding) {
    for (int bits = 1; bits <= 60; bits += bits_step) {
      SCOPED_TRACE(fmt::format("about {} bits", bits));
      expect_same_bits(on, some_work(random, codec, scalar, rounding, bits, true));
      if (HasFatalFailure()) return;
    }
  });
}

TEST(KernelsOfCodecs, AreAFewMoreWhereAGroupHasManyTiles) {
  const auto launches = [](const DeviceTask& task) {
    int count = 0;
    kernels::passes(task, [&](const auto&) { ++count; });
    return count;
  };
  BlockTables small{.groups = 3, .tiles = 3}, large{.groups = 3, .tiles = 5};
  constexpr auto check = DecodeStep::check, decode = DecodeStep::decode;
  EXPECT_EQ(launches(EncodeBlocks{.tables = small, .tries = 3}), 8);
  EXPECT_EQ(launches(EncodeBlocks{.tables = large, .tries = 3}), 11);
  EXPECT_EQ(launches(EncodeBlocks{.tables = small, .tries = 3, .far = true}), 8);
  EXPECT_EQ(launches(DecodeBlocks{.step = check, .tables = small}), 2);
  EXPECT_EQ(launches(DecodeBlocks{.step = check, .tables = large}), 3);
  EXPECT_EQ(launches(DecodeBlocks{.step = decode, .tables = large}), 1);
  EXPECT_EQ(launches(SumPayloads{.tables = large}), 2);
}

TEST_P(CodecsOfDevices, GiveTheHostsBitsForGroupsOfManyTiles) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  constexpr Index tile = BlockTile::most_blocks;
  const auto same = [&](BlockFormat format, Scalar scalar, Rounding rounding, Index blocks) {
    expect_same_bits(on, some_work(random, *find_device_codec(format), scalar, rounding, 9, true, blocks));
  };
  for (const Index blocks : {tile, tile + 1, 2 * tile, 3 * tile - 1})
    for (const Scalar scalar : {Scalar::f32, Scalar::f64})
      same(BlockFormat::block_float, scalar, Rounding::dither, blocks);
  if (sanitized) return;
  same(BlockFormat::block_float, Scalar::f32, Rounding::dither, 100'000 + below(random, 50'000));
  same(BlockFormat::lossless, Scalar::f64, Rounding::nearest, 100'000 + below(random, 50'000));
}

TEST_P(CodecsOfDevices, TryAgainWhatLosesTooMuchAndKeepWhatNothingMayBeLostOf) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for_every_way([&](const DeviceCodec& codec, Scalar scalar, Rounding rounding) {
    if (codec.format() == BlockFormat::lossless) return;
    const Work w = some_work(random, codec, scalar, rounding, 8, false);
    SCOPED_TRACE(name_of(w));
    // Group g takes try g % 3, if that loses a number: the tries before it lose a little too much, or their parameter
    // is none.
    const std::size_t n = w.groups.size();
    const double finer = codec.host().dithers() ? 0.125 : 1;
    const auto parameter = [&](std::size_t g, int attempt) {
      return attempt == 0 ? w.parameters[g] : w.parameters[g] * finer;
    };
    std::vector<GroupTry> tries;
    std::vector<int> expected(n, 2);
    for (int attempt = 0; attempt < 2; ++attempt)
      for (std::size_t g = 0; g < n; ++g) {
        const double lost2 = on_host(w, codec.host(), g, parameter(g, attempt)).encoded.lost2;
        const bool taken = static_cast<std::size_t>(attempt) == g % 3, none = !taken && below(random, 3) == 0;
        if (taken && std::isfinite(lost2)) expected[g] = attempt;
        const double roundings = codec.host().dithers() ? 1e-6 * std::pow(w.in_units(parameter(g, attempt)), 2)
                                                        : 0;  // what sums of nearly nothing may differ by
        const double allowed2 = taken ? lost2 * 1.001 + roundings : lost2 > 1000 * roundings ? lost2 * 0.999 : -1;
        tries.push_back(codec.attempt(none ? std::numeric_limits<double>::quiet_NaN() : parameter(g, attempt),
                                      std::isfinite(lost2) ? allowed2 : 1));
      }
    for (std::size_t g = 0; g < n; ++g) tries.push_back(find_device_codec(BlockFormat::lossless)->attempt(0, 0));
    Placed placed(on, w);
    placed.encode(tries, w.unit);
    const auto made = on.read<GroupMade>(placed.made.data(), n);
    for (std::size_t g = 0; g < n; ++g) {
      SCOPED_TRACE(fmt::format("group {}", g));
      const int attempt = expected[g];
      const DeviceCodec& taken = *find_device_codec(attempt == 2 ? BlockFormat::lossless : codec.format());
      ASSERT_EQ(made[g].attempt, attempt);
      ASSERT_EQ(made[g].format, taken.format());
      const OfHost host = on_host(w, taken.host(), g, attempt == 2 ? 0 : parameter(g, attempt));
      ASSERT_EQ(made[g].bytes, host.encoded.bytes);
      const auto payload = on.read<std::byte>(placed.memory[w.groups[g].run].data() + made[g].at, made[g].bytes);
      ASSERT_EQ(payload, host.payload);
      const auto index =
          on.read<std::byte>(placed.memory[w.groups[g].run].data() + w.groups[g].index_at, host.index.size());
      ASSERT_EQ(index, host.index);
    }
    const auto decoded = placed.decode(made);
    EXPECT_EQ(decoded.damaged, std::vector<std::uint8_t>(n, 0));
  });
}

/// What the host says of the group as it arrived; nullopt: that it cannot be.
std::optional<std::vector<std::byte>> host_decodes(const Work& w, const std::vector<std::vector<std::byte>>& messages,
                                                   std::size_t g, const GroupMade& made) {
  const BlockRun& run = w.runs[w.groups[g].run];
  const DeviceCodec* codec = find_device_codec(made.format);
  const auto bytes = static_cast<std::uint64_t>(run.bytes);
  if (!codec || !codec->host().refuses(w.scalar).empty()) return std::nullopt;
  if (made.at < static_cast<std::uint64_t>(run.payload_at) || made.at % 8 != 0 || made.at > bytes ||
      made.bytes > bytes - made.at)
    return std::nullopt;
  const int count = static_cast<int>(w.groups[g].blocks);
  const std::byte* memory = messages[w.groups[g].run].data();
  const std::byte* at = memory + w.groups[g].index_at;
  const std::vector<std::byte> index(at, at + codec->host().index_bytes() * count),
      payload(memory + made.at, memory + made.at + made.bytes);
  const Aligned to(static_cast<std::size_t>(count) * w.block_bytes());
  if (!codec->host().decode(index, payload, 0, made.parameter, w.rounding,
                            {w.scalar, count, to.memory.get(), w.keys.data() + w.first_block(g)}))
    return std::nullopt;
  return std::vector<std::byte>(to.memory.get(), to.memory.get() + to.bytes);
}

using Messages = std::vector<std::vector<std::byte>>;

void damage(Random& random, const Work& w, Messages& messages, std::vector<GroupMade>& made) {
  const std::size_t g = random() % made.size();
  const BlockRun& run = w.runs[w.groups[g].run];
  std::byte* memory = messages[w.groups[g].run].data();
  const double wrong[] = {std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity(),
                          -1.0,
                          0.0,
                          1e-320,
                          1e308,
                          std::bit_cast<double>(random()),
                          0x1p-400,
                          0x1p130,
                          3.0};
  const int codes[] = {0, 1, 8, 23, 24, 25, 32, 51, 52, 56, 64, 127, 128, 129, 255};
  switch (below(random, 10)) {
    case 0:
      made[g].parameter = wrong[below(random, 10)];
      break;
    case 1:
      made[g].format =
          static_cast<BlockFormat>(below(random, 2) == 0 ? below(random, block_formats + 1) : below(random, 256));
      break;
    case 2:
      made[g].at = below(random, 2) == 0 ? random() : made[g].at + 8 * random() % 64;
      break;
    case 3:
      made[g].at += random() % 9;
      break;
    case 4:
      made[g].bytes = static_cast<std::uint32_t>(below(random, 2) == 0 ? random() : made[g].bytes - random() % 9);
      break;
    case 5:
      made[g].at = static_cast<std::uint64_t>(run.bytes) - 8 * (random() % 4);
      break;
    case 6:
      memory[w.groups[g].index_at + below(random, static_cast<int>(w.groups[g].blocks))] =
          static_cast<std::byte>(random());
      break;
    case 7:
      memory[w.groups[g].index_at + below(random, static_cast<int>(w.groups[g].blocks))] =
          static_cast<std::byte>(codes[below(random, 15)]);
      break;
    case 8:
      for (Index i = 0; i < w.groups[g].blocks; ++i)
        memory[w.groups[g].index_at + i] = static_cast<std::byte>(random());
      break;
    default:
      for (Index i = run.payload_at; i < run.bytes; ++i) memory[i] = static_cast<std::byte>(random());
  }
}

TEST_P(CodecsOfDevices, SayNoWhereTheHostDoesAndElseDecodeDamagedBytesAlike) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  int refusals = 0, decodes = 0;
  for_every_way([&](const DeviceCodec& codec, Scalar scalar, Rounding rounding) {
    for (int round = 0; round < rounds; ++round) {
      const Work w = some_work(random, codec, scalar, rounding, 1 + below(random, 50), true);
      SCOPED_TRACE(name_of(w));
      Placed placed(on, w);
      std::vector<GroupTry> tries;
      for (const double parameter : w.parameters) tries.push_back(codec.attempt(parameter, 0));
      placed.encode(tries, w.unit);
      auto made = on.read<GroupMade>(placed.made.data(), w.groups.size());
      Messages messages;
      for (std::size_t r = 0; r < w.runs.size(); ++r)
        messages.push_back(on.read<std::byte>(placed.memory[r].data(), placed.memory[r].bytes()));
      for (int i = 0; i < 1 + round % 3; ++i) damage(random, w, messages, made);
      for (std::size_t r = 0; r < w.runs.size(); ++r)
        on.queue().copy(placed.memory[r].data(), messages[r].data(), messages[r].size());
      const auto decoded = placed.decode(made);
      std::vector<std::uint32_t> counts(w.runs.size());
      for (std::size_t g = 0; g < made.size(); ++g) {
        SCOPED_TRACE(fmt::format("group {}: parameter {:a}, at {}, {} bytes, format {}", g, made[g].parameter,
                                 made[g].at, made[g].bytes, static_cast<int>(made[g].format)));
        const auto expected = host_decodes(w, messages, g, made[g]);
        ASSERT_EQ(decoded.damaged[g], expected ? 0 : 1);
        ++(expected ? decodes : refusals);
        if (!expected) ++counts[w.groups[g].run];
        const std::size_t bytes = static_cast<std::size_t>(w.groups[g].blocks) * w.block_bytes();
        const auto* got = decoded.values.data() + static_cast<std::size_t>(w.first_block(g)) * w.block_bytes();
        ASSERT_EQ(std::memcmp(got, expected.value_or(std::vector<std::byte>(bytes)).data(), bytes), 0)
            << "numbers, or zeros where it is damaged";
      }
      ASSERT_EQ(decoded.damaged_groups, counts);
    }
  });
  EXPECT_GT(refusals, 5 * rounds);
  EXPECT_GT(decodes, 5 * rounds);
}

}  // namespace
}  // namespace shardfft::testing
