// Checksums of payloads: what each chunk adds, by 4 threads for each block of numbers, of all groups at once; then what
// the chunks of each group come to, by a thread for each lane.
#pragma once

#include "device/kernels/codec/xxh3.hpp"
#include "device/kernels/launch.hpp"
#include "device/payload_sums.hpp"

namespace shardfft::kernels {

/// The words of a group's payload; none where it cannot be what an encoder made.
struct PayloadWords {
  const std::uint64_t* words = nullptr;
  std::uint64_t count = 0;
  bool sound = false;

  SHARDFFT_HD PayloadWords(const SumPayloads& task, Index g) {
    const BlockGroup& group = task.tables.group[g];
    const BlockRun& run = task.tables.run[group.run];
    const GroupMade& made = task.made[g];
    const auto bytes = static_cast<std::uint64_t>(run.bytes);
    sound = made.at % 8 == 0 && made.at <= bytes && made.bytes <= bytes - made.at &&
            can_be_summed(made.bytes, group.blocks);
    if (!sound) return;
    words = reinterpret_cast<const std::uint64_t*>(run.memory + made.at);
    count = made.bytes / 8;
  }
  [[nodiscard]] SHARDFFT_HD bool is_short() const { return count <= xxh3::longest_short / 8; }
  /// Chunks that others follow.
  [[nodiscard]] SHARDFFT_HD std::uint64_t chunks() const {
    return is_short() ? 0 : (count - 1) / (xxh3::chunk_bytes / 8);
  }
};

/// Two blocks of numbers have room for the lanes of one chunk, since a chunk is their longest payload.
struct SumChunks {
  static constexpr int threads = 256, phases = 1, threads_of_block = xxh3::lanes / 2;
  static_assert(threads_of_block == BlockTables::sums_of_block);
  using Shared = NoShared;
  SumPayloads task{};
  xxh3::Secret secret{};
  SHARDFFT_HD Index blocks() const { return (task.tables.blocks * threads_of_block + threads - 1) / threads; }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const BlockTables& t = task.tables;
    const Index entry = block * threads + thread, b = entry / threads_of_block;
    if (b >= t.blocks) return;
    const std::uint32_t g = t.group_of[b];
    const PayloadWords payload(task, g);
    const Index first = t.group[g].first * threads_of_block;
    const auto chunk = static_cast<std::uint64_t>((entry - first) / xxh3::lanes);
    const int lane = static_cast<int>((entry - first) % xxh3::lanes);
    if (chunk < payload.chunks())
      t.sums[entry] =
          xxh3::stripes(payload.words + chunk * (xxh3::chunk_bytes / 8), xxh3::stripes_in_chunk, lane, secret);
  }
};

struct SumGroups {
  static constexpr int threads = 128, phases = 2, groups = threads / xxh3::lanes;
  struct GroupLanes {
    std::uint64_t lane[groups][xxh3::lanes];
  };
  using Shared = GroupLanes;
  SumPayloads task{};
  xxh3::Secret secret{};
  SHARDFFT_HD Index blocks() const { return (task.tables.groups + groups - 1) / groups; }
  SHARDFFT_HD void operator()(int phase, Index block, int thread, Shared& shared) const {
    const int mine = thread / xxh3::lanes, lane = thread % xxh3::lanes;
    const Index g = block * groups + mine;
    if (g >= task.tables.groups) return;
    const PayloadWords payload(task, g);
    if (phase == 0) {
      if (!payload.is_short()) shared.lane[mine][lane] = of_lane(payload, g, lane);
    } else if (lane == 0) {
      task.sum[g] = of_group(payload, shared.lane[mine]);
    }
  }

 private:
  [[nodiscard]] SHARDFFT_HD std::uint64_t of_lane(const PayloadWords& payload, Index g, int lane) const {
    const BlockTables& t = task.tables;
    const std::uint64_t* of_chunk = t.sums + t.group[g].first * BlockTables::sums_of_block + lane;
    std::uint64_t sum = secret.first[lane];
    for (std::uint64_t c = 0; c < payload.chunks(); ++c)
      sum = xxh3::mixed(sum + of_chunk[c * xxh3::lanes], lane, secret);
    return sum + xxh3::rest(payload.words, payload.count, lane, secret);
  }
  [[nodiscard]] SHARDFFT_HD std::uint64_t of_group(const PayloadWords& payload, const std::uint64_t* lanes) const {
    if (!payload.sound) return 0;
    if (payload.is_short()) return xxh3::of_short(payload.words, static_cast<int>(payload.count), secret);
    return xxh3::merged(lanes, 8 * payload.count, secret);
  }
};

}  // namespace shardfft::kernels
