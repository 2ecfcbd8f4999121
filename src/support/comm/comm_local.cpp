// This process alone: a group of one.
#include <algorithm>

#include "support/comm/comm_impl.hpp"

namespace shardfft {
namespace {

struct LocalComm final : CommImpl {
  std::string_view kind() const override { return "local"; }
  void barrier() override {}
  void broadcast(std::span<std::byte>, int) override {}
  void allgather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    std::copy(mine.begin(), mine.end(), all.begin());
  }
  std::shared_ptr<CommImpl> split(int) override { return std::make_shared<LocalComm>(); }
};

}  // namespace

Comm local() { return Comm(std::make_shared<LocalComm>()); }

}  // namespace shardfft
