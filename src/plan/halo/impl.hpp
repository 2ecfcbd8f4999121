// The inside of a halo.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <thread>

#include "grid/pieces.hpp"
#include "plan/halo/moves.hpp"
#include "shardfft/halo.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/memory/buffer.hpp"
#include "transport/transport.hpp"

namespace shardfft {

enum class HaloCall { exchange, accumulate_f32, accumulate_f64, of_no_precision };

struct Halo::Impl {
  static constexpr const char* noun = "halo";

  Impl(const Comm& group, const Layout& of, const HaloSpec& asked, std::size_t element_bytes, const Options& options);
  ~Impl() {
    if (channel) channel->end(/*in_run=*/stage != CallStage::none, channel_memory);
  }

  Comm comm;
  Layout layout;
  HaloSpec spec{};
  Index element = 0;  ///< bytes
  int threads = 1;
  HaloCells cells{};
  Box box{}, grown{};
  std::vector<Placement> memory{};
  std::size_t bytes = 0;
  std::vector<HaloPiece> inside{}, outside{};  ///< elements of the box that are sent, cells that are received
  Coord strides{};                             ///< of the array, in bytes
  const Transport* transport = nullptr;
  std::shared_ptr<Memory> channel_memory = std::make_shared<Memory>();
  std::unique_ptr<Channel> channel{};
  /// Moves of each round: those that fill messages, and those that read messages or the array itself.
  std::array<std::vector<HaloMove>, 2> stores{}, reads{};

  // State of a call.
  enum class CallStage { none, room, arrival } stage = CallStage::none;
  bool split = false;  ///< start() was called, and wait() not yet
  HaloCall call = HaloCall::exchange;
  std::byte* array = nullptr;
  std::vector<std::byte> words;  ///< one per rank
  std::optional<std::string> broken{};
  const std::thread::id maker = std::this_thread::get_id();
  std::atomic<bool> in_call = false;

  [[nodiscard]] bool is_left_behind() const { return shardfft::is_left_behind(comm); }
  void require_here() const { require_rank_here(comm); }
  void require_whole() const;

  // halo.cpp
  void place(const Options& options);
  [[nodiscard]] Index offset(const Coord& at) const;  ///< elements
  [[nodiscard]] std::vector<Message> messages(const std::vector<HaloPiece>& pieces, Index* inbox) const;
  void open(const Options& options);
  [[nodiscard]] std::vector<HaloMove> moves(const std::vector<HaloPiece>& pieces, bool of_cells, int round,
                                            bool out) const;

  // calls.cpp
  void check(HaloCall what, const View& view) const;
  void begin(HaloCall what, const View& view);
  [[nodiscard]] bool advance(bool block);
  [[nodiscard]] bool take_steps(bool block);
  void run(HaloCall what, const View& view);
  void start(HaloCall what, const View& view);
  [[nodiscard]] bool go_on(bool block);
};

}  // namespace shardfft
