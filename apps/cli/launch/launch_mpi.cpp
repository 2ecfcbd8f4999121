#include <array>
#include <cstdlib>
#include <optional>

#include "launch/launch.hpp"
#include "shardfft/error.hpp"
#include "shardfft/mpi.hpp"

namespace shardfft::cli {
namespace {

class MpiWorld final : public World {
 public:
  MpiWorld() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    if (provided < MPI_THREAD_FUNNELED)
      throw Error(Status::unsupported, "MPI must offer MPI_THREAD_FUNNELED; it does not; use another MPI");
    comm_.emplace(mpi(MPI_COMM_WORLD));
  }
  ~MpiWorld() override {
    comm_.reset();
    MPI_Finalize();
  }
  [[nodiscard]] const Comm& comm() const override { return *comm_; }
  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  std::optional<Comm> comm_;
};

}  // namespace

std::unique_ptr<World> join_mpi() { return std::make_unique<MpiWorld>(); }

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace shardfft::cli
