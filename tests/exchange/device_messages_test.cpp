// Messages that devices make against those of the host: the host's Decoder takes the one and a device the other, and
// the numbers are the same to the last bit.
#include <gtest/gtest.h>

#include "exchange/coded_messages.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

MoveBases based_on(const DeviceMemory& memory) {
  MoveBases bases;
  bases.start[static_cast<int>(MoveBase::input)] = memory.data();
  return bases;
}

/// What a device makes of the messages to all ranks at once.
std::vector<Sent> device_sends(const NamedDevice& on, const Coded& c, const std::vector<MessageForm>& forms,
                               const Array& array) {
  std::vector<const MessageForm*> list;
  std::vector<DeviceMemory> memory;
  std::vector<std::byte*> addresses;
  std::vector<Index> room;
  for (const MessageForm& form : forms) {
    list.push_back(&form);
    addresses.push_back(
        memory.emplace_back(on.device(), static_cast<std::size_t>(form.capacity()), "a message").data());
    room.push_back(form.capacity());
    on.queue().zero(addresses.back(), static_cast<std::size_t>(form.capacity()));
  }
  const DeviceMessages messages(on.device(), on.queue(), list, array.patches, c.from.global());
  const auto runs = messages.place(on.queue(), addresses, room);
  const DeviceMemory data = on_device(on.device(), on.queue(), array.bytes);
  const auto tries = on.table(
      std::vector<GroupTry>(static_cast<std::size_t>(messages.groups()), c.codec->attempt(c.terms.parameter, 0)));
  auto made = on.table(std::vector<GroupMade>(static_cast<std::size_t>(messages.groups())));
  auto sizes = on.table(std::vector<std::uint64_t>(forms.size()));
  const MessagesRun run{
      .rounding = c.terms.rounding, .seed = c.terms.seed, .bases = based_on(data), .messages = runs.data()};
  messages.encode(on.queue(), run, {.attempt = tries.data(), .made = made.data(), .run_bytes = sizes.data()});
  const auto groups = on.read<GroupMade>(made.data(), static_cast<std::size_t>(messages.groups()));
  auto checksums = on.table(std::vector<std::uint64_t>(groups.size()));
  messages.sum(on.queue(), run, made.data(), checksums.data());
  const auto sums = on.read<std::uint64_t>(checksums.data(), groups.size());
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
    seal_message(sent.back().message.get(), forms[m], own, {sums.data() + messages.first_groups()[m], own.size()},
                 c.terms.rounding, c.terms.seed, sent.back().bytes);
  }
  return sent;
}

void device_receives(const NamedDevice& on, const Coded& c, const MessageForm& form, const Sent& sent, Array& array) {
  std::vector<GroupMade> groups(form.groups().size());
  std::vector<std::uint64_t> sums(groups.size());
  ASSERT_TRUE(groups_of_message(sent.message.get(), form, groups, sums));
  const DeviceMemory memory(on.device(), static_cast<std::size_t>(sent.bytes), "a message");
  on.queue().copy(memory.data(), sent.message.get(), memory.bytes());
  const MessageForm* list[] = {&form};
  const DeviceMessages messages(on.device(), on.queue(), list, array.patches, c.from.global());
  std::byte* const address = memory.data();
  const auto runs = messages.place(on.queue(), {&address, 1}, {&sent.bytes, 1});
  const DeviceMemory data = on_device(on.device(), on.queue(), array.bytes);
  const auto made = on.table(groups);
  auto damaged = on.table(std::vector<std::uint8_t>(groups.size(), 7));
  auto count = on.table(std::vector<std::uint32_t>(1, 7));
  messages.decode(
      on.queue(),
      {.rounding = c.terms.rounding, .seed = c.terms.seed, .bases = based_on(data), .messages = runs.data()},
      {.made = made.data(), .damaged = damaged.data(), .damaged_groups = count.data()});
  array.bytes = on_host<std::byte>(on.queue(), data);
  EXPECT_EQ(on.read<std::uint32_t>(count.data(), 1).front(), 0u);
}

class MessagesOfDevices : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Here, MessagesOfDevices, ::testing::ValuesIn(names_of_devices()), as_word);

constexpr std::uint64_t message_problems = sanitized ? 40 : 300;

TEST_P(MessagesOfDevices, AreTakenByTheHostAndTheOtherWayRound) {
  const std::uint64_t first = std::random_device()();
  int messages = 0;
  for (std::uint64_t seed = first; seed < first + message_problems; ++seed) {
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
  EXPECT_GT(messages, static_cast<int>(message_problems) / 4);
}

}  // namespace
}  // namespace shardfft::testing
