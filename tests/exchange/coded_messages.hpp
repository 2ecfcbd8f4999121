// Random messages of an exchange, and what the host makes of them.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "codec/device_groups.hpp"
#include "device/exchange/device_messages.hpp"
#include "exchange/decoder.hpp"
#include "exchange/encoder.hpp"
#include "pipeline/bind/memory.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {

struct Coded {
  std::uint64_t seed = 0;
  Layout from{}, to{};
  int writer = 0, reader = 0;
  NumberType type{};
  const DeviceCodec* codec = nullptr;
  Blocking blocking{};
  ErrorBudget terms{};

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
    return fmt::format("seed {}: {}{} {} {} -> {} of {}, rank {} to {}, units {} and {}, parameter {:a}", seed,
                       codec->name(), terms.rounding == Rounding::dither ? " with dither" : "",
                       type.scalar == Scalar::f32 ? "f32" : "f64", to_string(from.spec()), to_string(to.spec()),
                       to_string(from.global()), writer, reader, to_string(blocking.writer_steps),
                       to_string(blocking.reader_steps), terms.parameter);
  }
};

inline Coded random_coded(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int ranks = static_cast<int>(pick(random, 1, 4));
  const Shape shape = small_shape(random, 4, 14);
  Coded c{.seed = seed,
          .from = Layout(random_layout(random, shape, ranks), shape, ranks),
          .to = Layout(random_layout(random, shape, ranks), shape, ranks)};
  c.writer = static_cast<int>(pick(random, 0, ranks - 1));
  c.reader = static_cast<int>(pick(random, 0, ranks - 1));
  c.type = {.scalar = pick(random, 0, 1) ? Scalar::f64 : Scalar::f32, .complex = pick(random, 0, 2) > 0};
  do c.codec = &device_codecs()[static_cast<std::size_t>(pick(random, 0, block_formats - 1))];
  while (!c.codec->host().refuses(c.type.scalar).empty());
  c.blocking = {.writer_steps = random_steps(random, shape.dims()),
                .reader_steps = random_steps(random, shape.dims()),
                .order = {}};
  for (int a = 0; a < shape.dims(); ++a) c.blocking.order.push_back(a);
  std::shuffle(c.blocking.order.begin(), c.blocking.order.end(), random);
  const double parameter =
      c.codec->host().dithers()
          ? as(c.type.scalar, std::ldexp(1 + uniform(random), -static_cast<int>(pick(random, 1, 40))))
      : c.codec->format() == BlockFormat::lossless ? 0
                                                   : 0x1p4;
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
inline Message message_for(const MessageForm& form) {
  const auto bytes = static_cast<std::size_t>(form.capacity() + 63) / 64 * 64;
  Message memory(static_cast<std::byte*>(std::aligned_alloc(64, bytes)), std::free);
  std::memset(memory.get(), 0, bytes);
  return memory;
}

struct Scratch {
  explicit Scratch(std::size_t bytes) : memory(bytes + 64) {}
  [[nodiscard]] std::byte* aligned() {
    return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
  }
  std::vector<std::byte> memory;
};

struct Sent {
  Message message{nullptr, std::free};
  Index bytes = 0;
  double lost2 = 0;
};

inline Sent host_sends(const Coded& c, const MessageForm& form, const Array& array) {
  Sent sent{.message = message_for(form)};
  Encoder encoder({{sent.message.get(), 0, 0, std::make_shared<const MessageForm>(form)}}, c.type, c.from.global(),
                  false, {}, 1);
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

inline void host_receives(const Coded& c, const MessageForm& form, const Sent& sent, Array& array) {
  Decoder decoder({{sent.message.get(), c.writer, 0, 0, std::make_shared<const MessageForm>(form)}}, c.type,
                  c.from.global());
  Scratch scratch(decoder.scratch_bytes());
  decoder.open(0, [&](std::size_t) { return sent.bytes; });
  for (const Patch& patch : array.patches)
    decoder.fill(patch.box, array.bytes.data() + patch.offset, patch.strides, scratch.aligned(), false);
  decoder.check();
}

}  // namespace shardfft::testing
