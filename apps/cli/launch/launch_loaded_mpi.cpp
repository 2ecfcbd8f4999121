#include <optional>

#include "launch/launch.hpp"
#include "shardfft/mpi_plugin.hpp"

namespace shardfft::cli {
namespace {

class LoadedWorld final : public World {
 public:
  LoadedWorld() : comm_(start_mpi()) {}
  ~LoadedWorld() override {
    comm_.reset();
    end_mpi();
  }
  [[nodiscard]] const Comm& comm() const override { return *comm_; }
  [[noreturn]] void abort(int status) override { abort_mpi(status); }

 private:
  std::optional<Comm> comm_;
};

}  // namespace

std::unique_ptr<World> join_mpi() {
  return load_mpi_called(find_launcher().mpi) ? std::make_unique<LoadedWorld>() : nullptr;
}

std::string mpi_library() { return shardfft::mpi_library(); }

}  // namespace shardfft::cli
