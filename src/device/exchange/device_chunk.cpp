#include "device/exchange/device_chunk.hpp"

#include <numeric>

namespace shardfft {
namespace {

std::vector<Patch> in_planes(std::span<const PlacedMessage> messages, std::size_t& at) {
  constexpr std::size_t aligned = 256;
  std::vector<Patch> patches;
  for (const PlacedMessage& message : messages) {
    const Index element_bytes = message.form->type().element_bytes();
    for (const Box& box : message.form->boxes()) {
      std::vector<int> order(static_cast<std::size_t>(box.dims()));
      std::iota(order.begin(), order.end(), 0);
      patches.push_back({.box = box,
                         .base = Base::plane,
                         .offset = static_cast<Index>(at),
                         .strides = packed_strides(box.shape(), order, element_bytes, false)});
      at += (static_cast<std::size_t>(box.count() * element_bytes) + aligned - 1) / aligned * aligned;
    }
  }
  return patches;
}

std::vector<const MessageForm*> forms_of(std::span<const PlacedMessage> messages) {
  std::vector<const MessageForm*> forms;
  for (const PlacedMessage& message : messages) forms.push_back(message.form);
  return forms;
}

DeviceTable<BlockRun> runs_of(const DeviceMessages& tables, Queue& queue, std::span<const PlacedMessage> messages) {
  std::vector<std::byte*> memory, readers;
  std::vector<Index> staging;
  for (const PlacedMessage& message : messages) {
    memory.push_back(message.memory);
    readers.push_back(message.reader);
    staging.push_back(message.form->capacity());
  }
  return tables.place(queue, memory, staging, readers);
}

}  // namespace

DeviceChunk::DeviceChunk(const DeviceStaging& staging, std::span<const PlacedMessage> messages, const Shape& global,
                         std::size_t planes_at)
    : planes_end_(planes_at),
      patches_(in_planes(messages, planes_end_)),
      tables_(staging.device(), staging.queue(), forms_of(messages), patches_, global),
      runs_(runs_of(tables_, staging.queue(), messages)) {}

MessagesRun DeviceChunk::run(Rounding rounding, std::uint64_t seed, std::byte* planes) const {
  MessagesRun run{.rounding = rounding, .seed = seed, .messages = runs_.data()};
  run.bases.start[static_cast<int>(MoveBase::work)] = planes;
  return run;
}

}  // namespace shardfft
