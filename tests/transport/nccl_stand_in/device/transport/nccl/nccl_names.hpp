// Stands for src/device/transport/nccl/nccl_names.hpp in a test: what the transport takes of NCCL, between emulated
// devices (nccl.cpp). Values are not NVIDIA's.
#pragma once

#include <cstddef>
#include <cstdio>

enum ncclResult_t { ncclSuccess, ncclInvalidArgument, ncclInvalidUsage, ncclInternalError, ncclRemoteError };
enum ncclDataType_t { ncclInt8 };
struct ncclUniqueId {
  char internal[128];
};
struct ncclComm;
using ncclComm_t = ncclComm*;
using ncclStream = void*;  // Queue::native() of an emulated device

const char* ncclGetErrorString(ncclResult_t result);
ncclResult_t ncclGetVersion(int* version);
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      ncclStream stream);
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm, ncclStream stream);

namespace shardfft::nccl {

using Stream = ncclStream;
inline constexpr const char* library_name = "NCCL";
inline constexpr const char* space = "emulated";
inline bool bus_id(int number, char* text, int length) { return std::snprintf(text, 16, "%d", number) < length; }

/// The current device of a thread.
class CurrentDevice {
 public:
  explicit CurrentDevice(int number) : before_(current) { current = number; }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { current = before_; }
  [[nodiscard]] bool ok() const { return true; }
  static inline thread_local int current = 0;

 private:
  int before_;
};

/// Bytes of all messages so far.
[[nodiscard]] std::size_t bytes_moved();
/// Lets all sends and receives of this thread fail.
void refuse_calls(bool on);
/// Groups that this thread has begun and not ended.
[[nodiscard]] int open_groups();

}  // namespace shardfft::nccl
