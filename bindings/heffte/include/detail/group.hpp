// The group of a communicator, made once and kept with it: programs make and drop many transforms.
#pragma once

#include "shardfft/mpi.hpp"

namespace heffte::detail {

/// From MPI_Finalize on no communicator may be freed: groups stay then.
inline bool& finalizing() {
  static bool begun = false;
  return begun;
}

inline int finalize_begins(MPI_Comm, int, void*, void*) {
  finalizing() = true;
  return MPI_SUCCESS;
}
/// The communicator is freed.
inline int forget_group(MPI_Comm, int, void* group, void*) {
  if (!finalizing()) delete static_cast<shardfft::Comm*>(group);
  return MPI_SUCCESS;
}
inline int new_key(MPI_Comm_delete_attr_function* at_end) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, nullptr);
  return key;
}

/// Collective over `comm`, at the first call.
inline shardfft::Comm group_of(MPI_Comm comm) {
  static const int key = new_key(forget_group);
  // Attributes of MPI_COMM_SELF are deleted before anything else ends.
  static const int watch = MPI_Comm_set_attr(MPI_COMM_SELF, new_key(finalize_begins), nullptr);
  static_cast<void>(watch);
  void* known = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key, &known, &found);
  if (found) return *static_cast<const shardfft::Comm*>(known);
  const shardfft::Comm made = shardfft::mpi(comm);
  MPI_Comm_set_attr(comm, key, new shardfft::Comm(made));
  return made;
}

}  // namespace heffte::detail
