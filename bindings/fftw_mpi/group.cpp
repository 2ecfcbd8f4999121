#include "group.hpp"

namespace shardfft::fftw_mpi {
namespace {

bool finalizing = false;
void (*last_words)() = nullptr;

/// Called as an attribute of MPI_COMM_SELF is deleted, before anything else ends.
int finalize_begins(MPI_Comm, int, void*, void*) {
  finalizing = true;
  if (last_words != nullptr) last_words();
  return MPI_SUCCESS;
}

/// The communicator of the caller is freed.
int forget_group(MPI_Comm, int, void* group, void*) {
  delete static_cast<Group*>(group);
  return MPI_SUCCESS;
}

/// From MPI_Finalize on, no communicator may be freed.
void destroy(shardfft_comm group) {
  if (!finalizing) shardfft_comm_destroy(group);
}

int new_key(MPI_Comm_delete_attr_function* at_end) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, nullptr);
  return key;
}

void watch_finalize() {
  static const int watching = [] {
    const int key = new_key(finalize_begins);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    return key;
  }();
  static_cast<void>(watching);
}

}  // namespace

Group group_of(MPI_Comm comm) {
  static const int key = new_key(forget_group);
  watch_finalize();
  void* known = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key, &known, &found);
  if (found) return *static_cast<const Group*>(known);
  shardfft_comm made = nullptr;
  check(shardfft_comm_mpi(&comm, sizeof comm, &made));
  Group group(made, destroy);
  MPI_Comm_set_attr(comm, key, new Group(group));
  return group;
}

void at_finalize(void (*last)()) {
  last_words = last;
  watch_finalize();
}

}  // namespace shardfft::fftw_mpi
