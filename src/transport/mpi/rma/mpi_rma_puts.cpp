#include "transport/mpi/rma/mpi_rma_puts.hpp"

#include <algorithm>
#include <utility>

#include "transport/ring.hpp"

namespace shardfft {
namespace {

constexpr Index piece_bytes = Index{1} << 30;  // MPI counts in an int
constexpr std::size_t most_in_flight = 16;     // messages

}  // namespace

RmaPuts::RmaPuts(const Traffic& traffic, std::size_t round, const MessageBuffers& buffers,
                 std::span<const Index> targets, int me, int ranks) {
  const Round& messages = traffic.rounds[round];
  for (std::size_t i = 0; i < messages.out.size(); ++i)
    if (const Message& m = messages.out[i]; m.peer != me)
      puts_.push_back({i, m.peer, m.chunk, buffers.out_at(round, i), targets[i], m.bytes});
  const auto turn = [&](const Put& put) { return std::pair(put.chunk, step_of(me, put.peer, ranks)); };
  std::sort(puts_.begin(), puts_.end(), [&](const Put& a, const Put& b) { return turn(a) < turn(b); });
  for (int chunk = 0; chunk < messages.chunks; ++chunk)
    end_of_chunk_.push_back(static_cast<std::size_t>(
        std::count_if(puts_.begin(), puts_.end(), [&](const Put& put) { return put.chunk <= chunk; })));
}

void RmaPuts::make_requests(MPI_Comm comm, int tag) {
  notices_.resize(puts_.size());
  for (std::size_t i = 0; i < puts_.size(); ++i)
    check_mpi(
        MPI_Send_init(&notices_[i], sizeof(RmaNotice), MPI_BYTE, puts_[i].peer, tag, comm, &told_.all.emplace_back()),
        "MPI_Send_init");
  Index pieces = 0;
  for (const Put& put : puts_) pieces = std::max(pieces, (put.most + piece_bytes - 1) / piece_bytes);
  data_.all.assign(std::min(puts_.size(), most_in_flight) * static_cast<std::size_t>(pieces), MPI_REQUEST_NULL);
  told_.reserve();
  data_.reserve();
}

void RmaPuts::begin(std::int64_t use) {
  use_ = use;
  given_ = begun_ = finished_ = 0;
}

void RmaPuts::advance(const MpiWindow& window, const std::byte* memory, const MessageSizes& sizes) {
  for (;;) {
    data_.test();
    if (!data_.idle()) return;
    if (finished_ < begun_) tell(window, sizes);
    if (begun_ == given_) return told_.test();
    put_some(window, memory, sizes);
  }
}

void RmaPuts::put_some(const MpiWindow& window, const std::byte* memory, const MessageSizes& sizes) {
  const std::size_t first = begun_;
  std::size_t request = 0;
  for (; begun_ < given_ && begun_ - first < most_in_flight && puts_[begun_].chunk == puts_[first].chunk; ++begun_) {
    const Put& put = puts_[begun_];
    const Index bytes = sizes.of(put.message);
    for (Index done = 0; done < bytes; done += piece_bytes) {
      window.put(memory + put.from + done, std::min(piece_bytes, bytes - done), put.peer, put.at + done,
                 &data_.all[request]);
      data_.started(request++);
    }
  }
}

void RmaPuts::tell(const MpiWindow& window, const MessageSizes& sizes) {
  for (std::size_t i = finished_; i < begun_; ++i) {
    const Put& put = puts_[i];
    if (sizes.of(put.message) > 0) window.flush(put.peer);
    notices_[i] = {use_, sizes.of(put.message)};
    told_.start(i);
  }
  finished_ = begun_;
}

}  // namespace shardfft
