// How much groups may lose, decided on a device: norms of units, tries from them, and what comes of it.
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/device_groups.hpp"
#include "device/exchange/device_shares.hpp"
#include "device/exchange/device_squares.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

class SharesOfDevices : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Here, SharesOfDevices, ::testing::ValuesIn(names_of_devices()), as_word);

struct Field {
  Shape shape;
  NumberType type;
  Patch patch{};
  std::vector<std::byte> bytes{};

  Field(std::mt19937_64& random, const Shape& extents, NumberType numbers) : shape(extents), type(numbers) {
    std::vector<int> order;
    for (int a = 0; a < shape.dims(); ++a) order.push_back(a);
    std::shuffle(order.begin(), order.end(), random);
    patch = {
        .box = whole(shape), .base = Base::input, .strides = packed_strides(shape, order, type.element_bytes(), true)};
    bytes.resize(static_cast<std::size_t>(packed_bytes(shape, patch.strides, type.element_bytes())));
  }
  [[nodiscard]] std::byte* at(const Coord& where, Index part) {
    Index place = part * static_cast<Index>(size_of(type.scalar));
    for (int a = 0; a < shape.dims(); ++a) place += where[a] * patch.strides[a];
    return bytes.data() + place;
  }
  void put(const Coord& where, Index part, double x) {
    const auto single = static_cast<float>(x);
    type.scalar == Scalar::f32 ? std::memcpy(at(where, part), &single, 4) : std::memcpy(at(where, part), &x, 8);
  }
  [[nodiscard]] double get(const Coord& where, Index part) {
    double x = 0;
    float single = 0;
    if (type.scalar == Scalar::f64) return std::memcpy(&x, at(where, part), 8), x;
    return std::memcpy(&single, at(where, part), 4), static_cast<double>(single);
  }
};

MoveBases input_at(const DeviceMemory& memory) {
  MoveBases bases;
  bases.start[static_cast<int>(MoveBase::input)] = memory.data();
  return bases;
}

std::vector<Box> cells_of(const Shape& shape, const Coord& steps) {
  const Cells cells(whole(shape), steps);
  std::vector<Box> all;
  for (Index c = 0; c < cells.count(); ++c) all.push_back(cells.cell(c));
  return all;
}

TEST_P(SharesOfDevices, AddUpSquaresOfAnyBoxesWithWeights) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 30; ++round) {
    const bool large = round == 0;  // cut into parts
    const Shape shape = large ? Shape{3, 211, 331} : small_shape(random, 4, 14);
    const NumberType type{.scalar = round % 2 == 0 ? Scalar::f64 : Scalar::f32, .complex = round % 3 != 1};
    Field field(random, shape, type);
    const int axis = below(random, shape.dims());
    Weights weights;
    if (round % 4 != 1) weights = {.axis = axis, .n = 2 * (shape[axis] - 1) + below(random, 2), .inside = 2};
    Coord steps = Coord::filled(shape.dims(), 1);
    for (int a = 0; a < shape.dims(); ++a) steps[a] = large ? 400 : 1 + below(random, 14);
    std::vector<Box> units = cells_of(shape, steps);
    units.push_back({Coord::filled(shape.dims(), 0), Coord::filled(shape.dims(), 0)});  // empty
    std::vector<double> expected(units.size());
    for (std::size_t u = 0; u < units.size(); ++u)
      for_each(units[u], [&](const Coord& where) {
        const bool once = weights.axis < 0 || where[axis] == 0 || 2 * where[axis] == weights.n;
        for (Index part = 0; part < type.per_element(); ++part) {
          field.put(where, part, uniform(random) - 0.5);
          expected[u] += std::pow(field.get(where, part), 2) * (once ? 1 : 2);
        }
      });
    const DeviceSquares squares(on.device(), on.queue(), type, units, {&field.patch, 1}, weights);
    const DeviceMemory data = on_device(on.device(), on.queue(), field.bytes);
    auto sums = on.table(std::vector<double>(units.size(), 7));
    squares.add_up(on.queue(), input_at(data), sums.data());
    const auto got = on.read<double>(sums.data(), units.size());
    for (std::size_t u = 0; u < units.size(); ++u)
      ASSERT_NEAR(got[u], expected[u], 1e-12 * expected[u]) << to_string(units[u]);
  }
}

// Every unit keeps to its share of its own norm, whatever its size; units of unusual norms lose nothing; and of the
// tries that keep to it, the one of fewest bits is taken.
TEST_P(SharesOfDevices, KeepEveryUnitToItsShareOfItsOwnNorm) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<int> attempts(3);
  for (int round = 0; round < 60; ++round) {
    const NumberType type{.scalar = round % 2 == 0 ? Scalar::f64 : Scalar::f32, .complex = round % 3 != 0};
    const DeviceCodec* codec = nullptr;
    do codec = &device_codecs()[static_cast<std::size_t>(below(random, block_formats))];
    while (!codec->host().refuses(type.scalar).empty());
    const Shape shape{8, 6 + below(random, 20), 5 + below(random, 40)};
    const Blocking blocking{.writer_steps = {2, 32, 64}, .reader_steps = {8, 4, 8}, .order = {0, 1, 2}};
    ErrorBudget terms{.share = std::pow(10.0, -(1 + 5 * uniform(random))), .a_priori = round % 5 == 0};
    if (codec->host().dithers() && round % 4 == 0) terms.rounding = Rounding::dither;
    SCOPED_TRACE(fmt::format("round {}: {} of {}, share {}", round, codec->name(),
                             type.scalar == Scalar::f32 ? "f32" : "f64", terms.share));
    const MessageForm form({whole(shape)}, blocking, codec->host(), type);
    Field field(random, shape, type);
    const std::vector<Box> units = cells_of(shape, blocking.writer_steps);  // one group each
    ASSERT_EQ(units.size(), form.groups().size());
    const double step = 1e-3;  // half-steps are hard on the usual parameter only when they meet it
    for (std::size_t u = 0; u < units.size(); ++u) {
      const double size =
          u == 0 ? (type.scalar == Scalar::f32 ? 1e-30 : 1e-130) : std::pow(10.0, 20 * uniform(random) - 10);
      for_each(units[u], [&](const Coord& where) {
        for (Index part = 0; part < type.per_element(); ++part)
          field.put(where, part, u == 1 ? step * size * below(random, 2) : size * (uniform(random) - 0.5));
      });
    }
    const MessageForm* list[] = {&form};
    const DeviceMessages messages(on.device(), on.queue(), list, {&field.patch, 1}, shape);
    std::vector<std::uint32_t> unit_of(units.size());
    std::iota(unit_of.begin(), unit_of.end(), 0U);
    const DeviceShares shares(on.device(), on.queue(), messages, unit_of, static_cast<Index>(units.size()));
    const DeviceMemory pinned(on.device(), shares.pinned_bytes(), "shares", MemoryKind::pinned);
    shares.begin(on.queue(), messages, terms, pinned.data());
    const DeviceSquares squares(on.device(), on.queue(), type, units, {&field.patch, 1}, {});
    const DeviceMemory data = on_device(on.device(), on.queue(), field.bytes),
                       message(on.device(), static_cast<std::size_t>(form.capacity()), "a message");
    std::byte* const address = message.data();
    const Index room = form.capacity();
    const auto runs = messages.place(on.queue(), {&address, 1}, {&room, 1});
    auto norm2 = on.table(std::vector<double>(units.size()));
    auto made = on.table(std::vector<GroupMade>(units.size()));
    auto bytes = on.table(std::vector<std::uint64_t>(1));
    auto damaged = on.table(std::vector<std::uint8_t>(units.size() + 4));
    const MessagesRun run{
        .rounding = terms.rounding, .seed = random(), .bases = input_at(data), .messages = runs.data()};
    // All of it without the host: norms, tries, messages, and back into the array.
    squares.add_up(on.queue(), run.bases, norm2.data());
    shares.set(on.queue(), norm2.data());
    messages.encode(on.queue(), run,
                    {.tries = DeviceMessages::tries_of_a_group,
                     .attempt = shares.tries(),
                     .made = made.data(),
                     .run_bytes = bytes.data()});
    auto count = on.table(std::vector<std::uint32_t>(1, 9));
    messages.decode(on.queue(), run, {.made = made.data(), .damaged = damaged.data(), .damaged_groups = count.data()});
    const auto groups = on.read<GroupMade>(made.data(), units.size());
    EXPECT_EQ(on.read<std::uint32_t>(count.data(), 1).front(), 0u);
    Field decoded = field;
    decoded.bytes = on_host<std::byte>(on.queue(), data);
    for (std::size_t u = 0; u < units.size(); ++u) {
      double lost2 = 0, all2 = 0;
      for_each(units[u], [&](const Coord& where) {
        for (Index part = 0; part < type.per_element(); ++part) {
          lost2 += std::pow(decoded.get(where, part) - field.get(where, part), 2);
          all2 += std::pow(field.get(where, part), 2);
        }
      });
      ++attempts[groups[u].attempt];
      EXPECT_LE(lost2, terms.share * terms.share * all2 * (1 + 1e-6)) << "unit " << u;
      if (u == 0) {
        EXPECT_EQ(lost2, 0) << "of unusual size";
        EXPECT_EQ(groups[u].format, BlockFormat::lossless);
      }
      // What the host would have taken for that norm.
      const EncodeAttempts host = encode_attempts(
          terms, type.scalar, codec->host(),
          group_budget_of(terms, type.scalar, messages.values()[u], messages.values()[u], all2), messages.stored()[u]);
      if (u > 0 && groups[u].attempt < 2) {
        EXPECT_NEAR(groups[u].parameter, host.parameter[groups[u].attempt], 1e-6 * groups[u].parameter) << "unit " << u;
      }
    }
  }
  EXPECT_GT(attempts[0], 100);
  EXPECT_GT(attempts[2], 50);
}

}  // namespace
}  // namespace shardfft::testing
