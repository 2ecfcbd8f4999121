#include "transport/mpi/mpi_eager.hpp"

#include <mpi.h>

#include <algorithm>

namespace shardfft {
namespace {

constexpr Index room_for_headers =
    256;  // of MPI's own, which the limit counts; as of version 5 they take less than 100 bytes

/// What MPI's tools interface says, while one of these lives.
class MpiVariables {
 public:
  MpiVariables() {
    int provided = 0;
    open_ = MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided) == MPI_SUCCESS;
  }
  MpiVariables(const MpiVariables&) = delete;
  ~MpiVariables() {
    if (open_) MPI_T_finalize();
  }

  /// Components that were not chosen have no variables.
  [[nodiscard]] bool has(const char* name) const {
    int index = 0;
    return find(name, index);
  }
  /// 0 where there is none, or none of this type.
  [[nodiscard]] unsigned long size(const char* name) const {
    int index = 0, count = 0;
    unsigned long value = 0;
    MPI_T_cvar_handle handle{};
    if (!find(name, index) || !is_size(index) ||
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
      return 0;
    if (count != 1 || MPI_T_cvar_read(handle, &value) != MPI_SUCCESS) value = 0;
    MPI_T_cvar_handle_free(&handle);
    return value;
  }

 private:
  bool find(const char* name, int& index) const { return open_ && MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS; }
  static bool is_size(int index) {
    int name_length = 0, text_length = 0, verbosity = 0, binding = 0, scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum names{};
    return MPI_T_cvar_get_info(index, nullptr, &name_length, &verbosity, &type, &names, nullptr, &text_length, &binding,
                               &scope) == MPI_SUCCESS &&
           type == MPI_UNSIGNED_LONG && binding == MPI_T_BIND_NO_OBJECT;
  }

  bool open_ = false;
};

Index read_tcp_eager_bytes() {
  const MpiVariables variables;
  if (!variables.has("pml_ob1_send_pipeline_depth") || variables.has("btl_openib_eager_limit")) return 0;
  const auto limit = static_cast<Index>(std::min<unsigned long>(variables.size("btl_tcp_eager_limit"), 1UL << 30));
  return std::max<Index>(limit - room_for_headers, 0) / 64 * 64;
}

}  // namespace

// Asked once: Open MPI 4.1.4 takes 0.2 s to open its tools interface, which is more than all else of a plan.
Index tcp_eager_bytes() {
  static const Index bytes = read_tcp_eager_bytes();
  return bytes;
}

}  // namespace shardfft
