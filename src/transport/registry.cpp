// Which transports there are, best first: those that were compiled in, and MPI's where that was loaded.
#include <atomic>
#include <memory>
#include <vector>

#include "transport/foreign_mpi.hpp"
#include "transport/mixed.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

struct Table {
  std::unique_ptr<const Mixed> mixed{}, mixed_rma{}, node{};
  std::vector<const Transport*> all{};

  Table() : Table(nullptr) {}
  explicit Table(const MpiPart& mpi) : Table(&mpi) {}

 private:
  explicit Table(const MpiPart* mpi) {
    all.push_back(&shared_memory_transport());
    if (mpi) {
      mixed = std::make_unique<Mixed>("mixed", shared_memory_transport(), *mpi->p2p);
      mixed_rma = std::make_unique<Mixed>("mixed_rma", shared_memory_transport(), *mpi->rma, mixed.get());
      node = std::make_unique<Mixed>("mpi_node", shared_memory_transport(), *mpi->node, mixed.get());
      all.insert(all.end(), {mixed.get(), node.get(), mpi->p2p, mpi->alltoallv, mixed_rma.get(), mpi->rma});
    }
    all.insert(all.end(), {&threads_transport(), &dry_run_transport()});
    // In the memory of devices.
    all.insert(all.end(), {&peer_kernel_transport(), &peer_copy_transport()});
#if SHARDFFT_WITH_NCCL
    all.push_back(&nccl_transport());
#endif
    if (mpi) all.push_back(mpi->device);
    all.insert(all.end(), {&via_host_transport(), &staged_transport()});
  }
};

std::atomic<const MpiPart*> loaded_mpi{nullptr};

// Loading MPI makes another table; plans go on with entries of the one before.
const Table& table() {
  const MpiPart* mpi = mpi_part();
  if (!mpi) {
    static const Table without;
    return without;
  }
  static const Table with(*mpi);
  return with;
}

}  // namespace

bool has_mpi_built_in() {
#if SHARDFFT_WITH_MPI
  return true;
#else
  return false;
#endif
}

const MpiPart* mpi_part() {
#if SHARDFFT_WITH_MPI
  return &own_mpi_part();
#else
  return loaded_mpi.load(std::memory_order_acquire);
#endif
}

void use_mpi_part(const MpiPart& loaded) { loaded_mpi.store(&loaded, std::memory_order_release); }

std::span<const Transport* const> transports() { return table().all; }

const Transport* find_transport(std::string_view name) {
  for (const Transport* transport : transports())
    if (transport->name() == name) return transport;
  return nullptr;
}

}  // namespace shardfft
