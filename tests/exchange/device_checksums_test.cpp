// Checksums of payloads that a device makes, against the host's (xxHash).
#include <gtest/gtest.h>

#include "exchange/coded_messages.hpp"

namespace shardfft::testing {
namespace {

class ChecksumsOfDevices : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Here, ChecksumsOfDevices, ::testing::ValuesIn(names_of_devices()), as_word);

// Groups of one message, as long as the payloads given, in bytes.
struct Payloads {
  std::vector<DeviceGroups::Group> groups{};
  std::vector<GroupMade> made{};
  std::vector<std::byte> bytes{};

  void add(std::size_t length) {
    constexpr std::size_t most = block_numbers * sizeof(double);
    groups.push_back({.blocks = std::max<Index>(1, static_cast<Index>((length + most - 1) / most))});
    made.push_back({.at = bytes.size(), .bytes = static_cast<std::uint32_t>(length)});
    bytes.resize(bytes.size() + (length + 7) / 8 * 8);
  }
  void fill() {
    std::mt19937_64 random(1);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  }
  [[nodiscard]] std::vector<std::uint64_t> of_device(const NamedDevice& on) const {
    const DeviceGroups all(on.device(), on.queue(), groups);
    const DeviceMemory memory = on_device(on.device(), on.queue(), bytes);
    const std::vector<BlockRun> run{{.memory = memory.data(), .bytes = static_cast<Index>(bytes.size())}};
    const auto runs = on.table(all.runs(run));
    const auto table = on.table(made);
    auto sums = on.table(std::vector<std::uint64_t>(made.size(), 7));
    all.sum(on.queue(), {.runs = runs.data()}, table.data(), sums.data());
    return on.read<std::uint64_t>(sums.data(), made.size());
  }
  [[nodiscard]] std::uint64_t of_host(std::size_t g) const { return checksum_of({&bytes[made[g].at], made[g].bytes}); }
};

TEST_P(ChecksumsOfDevices, AreTheHostsForEveryLength) {
  Payloads payloads;
  for (std::size_t length = 8; length <= 6200; length += 8) payloads.add(length);
  for (const std::size_t length : {102400, 102408, 1024 * 1024, 1024 * 1024 - 8}) payloads.add(length);
  payloads.fill();
  const auto sums = payloads.of_device(on);
  for (std::size_t g = 0; g < sums.size(); ++g)
    ASSERT_EQ(sums[g], payloads.of_host(g)) << payloads.made[g].bytes << " bytes";
}

TEST_P(ChecksumsOfDevices, OfNothingAreTheHosts) {
  Payloads payloads;
  payloads.add(0);
  payloads.add(8);
  payloads.fill();
  EXPECT_EQ(payloads.of_device(on).front(), checksum_of({}));
}

TEST_P(ChecksumsOfDevices, AreZeroWherePayloadsCannotBe) {
  Payloads payloads;
  for (int g = 0; g < 5; ++g) payloads.add(4096);
  payloads.fill();
  payloads.made[0].bytes = 4095;                       // no whole words
  payloads.made[1].bytes = 4104;                       // more than its numbers
  payloads.made[2].at += 4;                            // not aligned
  payloads.made[3].at = payloads.bytes.size() - 4088;  // past the end
  const auto sums = payloads.of_device(on);
  EXPECT_EQ(std::vector(sums.begin(), sums.end() - 1), std::vector<std::uint64_t>(4, 0));
  EXPECT_EQ(sums.back(), payloads.of_host(4));
}

}  // namespace
}  // namespace shardfft::testing
