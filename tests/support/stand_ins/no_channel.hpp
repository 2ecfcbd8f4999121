// Channels that move nothing, for what only asks them.
#pragma once

#include "transport/transport.hpp"

namespace shardfft::testing {

/// No memory behind it. `Base`: Channel, or a part of one that leaves this open.
template <class Base>
class WithoutMemory : public Base {
 public:
  using Base::Base;
  [[nodiscard]] std::string_view path_to(int) const override { return "nowhere"; }
  [[nodiscard]] Index private_bytes() const override { return 0; }
  [[nodiscard]] Index shared_bytes() const override { return 0; }
  void bind(std::byte*) override {}
  [[nodiscard]] std::byte* out(int, std::size_t) const override { return nullptr; }
  [[nodiscard]] const std::byte* in(int, std::size_t) const override { return nullptr; }
  [[nodiscard]] Index received(int, std::size_t) const override { return 0; }
};

/// All has arrived and is free at once.
class NoChannel : public WithoutMemory<Channel> {
 public:
  [[nodiscard]] bool ready(int) override { return true; }
  void begin(int) override {}
  void send(int, int) override {}
  void progress(int) override {}
  [[nodiscard]] bool arrived(int) override { return true; }
  void wait(int) override {}
  [[nodiscard]] bool arrived(int, int) override { return true; }
  void wait(int, int) override {}
  void release(int) override {}
  void start_sum(std::span<const double>) override {}
  [[nodiscard]] bool summed(std::span<double>) override { return true; }
};

}  // namespace shardfft::testing
