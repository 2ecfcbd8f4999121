// The one table of names: CUDA and HIP differ in the first letters, and where they differ in more the two columns at
// the top say so. Everything else in this folder is written once, with names that begin with gpu, and compiled once per
// vendor, in a namespace of the vendor's, so that one library may hold both. SHARDFFT_GPU_IS_HIP comes from the build.
#pragma once

#if SHARDFFT_GPU_IS_HIP

#include <hip/hip_runtime_api.h>

#define SHARDFFT_GPU hip
#define SHARDFFT_GPU_DRIVER hip_driver
#define SHARDFFT_GPU_DRIVER_LIBRARY nullptr  // asking HIP about an address makes no context
#define SHARDFFT_GPU_NAME(name) hip##name
#define SHARDFFT_GPU_VERSION_OF(number) ((number) / 10000000), ((number) / 100000 % 100)  // 50221153: 5.2
#define gpuDeviceProp_t hipDeviceProp_t
#define gpuErrorOutOfMemory hipErrorOutOfMemory
#define gpuHostAlloc hipHostMalloc
#define gpuHostAllocMapped hipHostMallocMapped
#define gpuHostAllocPortable hipHostMallocPortable
#define gpuFreeHost hipHostFree
#define gpuMemcpy3DParms hipMemcpy3DParms
#define gpuDevAttrMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#define gpuPointerAttributes hipPointerAttribute_t
#if HIP_VERSION_MAJOR >= 6
#define SHARDFFT_GPU_IS_DEVICE_MEMORY(about) ((about).type == hipMemoryTypeDevice || (about).isManaged)
#define SHARDFFT_GPU_IS_PINNED_MEMORY(about) ((about).type == hipMemoryTypeHost && !(about).isManaged)
#else
#define SHARDFFT_GPU_IS_DEVICE_MEMORY(about) ((about).memoryType == hipMemoryTypeDevice || (about).isManaged)
#define SHARDFFT_GPU_IS_PINNED_MEMORY(about) ((about).memoryType == hipMemoryTypeHost && !(about).isManaged)
#endif

#else

#include <cuda_runtime_api.h>

#define SHARDFFT_GPU cuda
#define SHARDFFT_GPU_DRIVER cuda_driver
#define SHARDFFT_GPU_DRIVER_LIBRARY "libcuda.so.1"
#define SHARDFFT_GPU_NAME(name) cuda##name
#define SHARDFFT_GPU_VERSION_OF(number) ((number) / 1000), ((number) / 10 % 100)  // 13000: 13.0
#define gpuDeviceProp_t cudaDeviceProp
#define gpuErrorOutOfMemory cudaErrorMemoryAllocation
#define gpuHostAlloc cudaHostAlloc
#define gpuHostAllocMapped cudaHostAllocMapped
#define gpuHostAllocPortable cudaHostAllocPortable
#define gpuFreeHost cudaFreeHost
#define gpuMemcpy3DParms cudaMemcpy3DParms
#define gpuDevAttrMultiProcessorCount cudaDevAttrMultiProcessorCount
#define gpuPointerAttributes cudaPointerAttributes
#define SHARDFFT_GPU_IS_DEVICE_MEMORY(about) \
  ((about).type == cudaMemoryTypeDevice || (about).type == cudaMemoryTypeManaged)
#define SHARDFFT_GPU_IS_PINNED_MEMORY(about) ((about).type == cudaMemoryTypeHost)

#endif

#define gpuError_t SHARDFFT_GPU_NAME(Error_t)
#define gpuSuccess SHARDFFT_GPU_NAME(Success)
#define gpuErrorNotReady SHARDFFT_GPU_NAME(ErrorNotReady)
#define gpuErrorNotSupported SHARDFFT_GPU_NAME(ErrorNotSupported)
#define gpuErrorPeerAccessAlreadyEnabled SHARDFFT_GPU_NAME(ErrorPeerAccessAlreadyEnabled)
#define gpuGetErrorName SHARDFFT_GPU_NAME(GetErrorName)
#define gpuGetErrorString SHARDFFT_GPU_NAME(GetErrorString)
#define gpuGetLastError SHARDFFT_GPU_NAME(GetLastError)

#define gpuDeviceCanAccessPeer SHARDFFT_GPU_NAME(DeviceCanAccessPeer)
#define gpuDeviceEnablePeerAccess SHARDFFT_GPU_NAME(DeviceEnablePeerAccess)
#define gpuDriverGetVersion SHARDFFT_GPU_NAME(DriverGetVersion)
#define gpuGetDevice SHARDFFT_GPU_NAME(GetDevice)
#define gpuGetDeviceCount SHARDFFT_GPU_NAME(GetDeviceCount)
#define gpuGetDeviceProperties SHARDFFT_GPU_NAME(GetDeviceProperties)
#define gpuRuntimeGetVersion SHARDFFT_GPU_NAME(RuntimeGetVersion)
#define gpuDeviceGetAttribute SHARDFFT_GPU_NAME(DeviceGetAttribute)
#define gpuSetDevice SHARDFFT_GPU_NAME(SetDevice)

#define gpuLaunchKernel SHARDFFT_GPU_NAME(LaunchKernel)

#define gpuExtent SHARDFFT_GPU_NAME(Extent)
#define gpuFree SHARDFFT_GPU_NAME(Free)
#define gpuHostGetDevicePointer SHARDFFT_GPU_NAME(HostGetDevicePointer)
#define gpuHostRegister SHARDFFT_GPU_NAME(HostRegister)
#define gpuHostRegisterMapped SHARDFFT_GPU_NAME(HostRegisterMapped)
#define gpuHostRegisterPortable SHARDFFT_GPU_NAME(HostRegisterPortable)
#define gpuHostUnregister SHARDFFT_GPU_NAME(HostUnregister)
#define gpuMalloc SHARDFFT_GPU_NAME(Malloc)
#define gpuMemcpy2DAsync SHARDFFT_GPU_NAME(Memcpy2DAsync)
#define gpuMemcpy3DAsync SHARDFFT_GPU_NAME(Memcpy3DAsync)
#define gpuMemcpyAsync SHARDFFT_GPU_NAME(MemcpyAsync)
#define gpuMemcpyDefault SHARDFFT_GPU_NAME(MemcpyDefault)
#define gpuMemGetInfo SHARDFFT_GPU_NAME(MemGetInfo)
#define gpuMemsetAsync SHARDFFT_GPU_NAME(MemsetAsync)
#define gpuPitchedPtr SHARDFFT_GPU_NAME(PitchedPtr)
#define gpuPointerGetAttributes SHARDFFT_GPU_NAME(PointerGetAttributes)

#define gpuStream_t SHARDFFT_GPU_NAME(Stream_t)
#define gpuStreamCreateWithFlags SHARDFFT_GPU_NAME(StreamCreateWithFlags)
#define gpuStreamDestroy SHARDFFT_GPU_NAME(StreamDestroy)
#define gpuStreamNonBlocking SHARDFFT_GPU_NAME(StreamNonBlocking)
#define gpuStreamQuery SHARDFFT_GPU_NAME(StreamQuery)
#define gpuStreamSynchronize SHARDFFT_GPU_NAME(StreamSynchronize)
#define gpuStreamWaitEvent SHARDFFT_GPU_NAME(StreamWaitEvent)

#define gpuEvent_t SHARDFFT_GPU_NAME(Event_t)
#define gpuEventCreateWithFlags SHARDFFT_GPU_NAME(EventCreateWithFlags)
#define gpuEventDestroy SHARDFFT_GPU_NAME(EventDestroy)
#define gpuEventDisableTiming SHARDFFT_GPU_NAME(EventDisableTiming)
#define gpuEventElapsedTime SHARDFFT_GPU_NAME(EventElapsedTime)
#define gpuEventInterprocess SHARDFFT_GPU_NAME(EventInterprocess)
#define gpuEventQuery SHARDFFT_GPU_NAME(EventQuery)
#define gpuEventRecord SHARDFFT_GPU_NAME(EventRecord)
#define gpuEventSynchronize SHARDFFT_GPU_NAME(EventSynchronize)

#define gpuGraph_t SHARDFFT_GPU_NAME(Graph_t)
#define gpuGraphDestroy SHARDFFT_GPU_NAME(GraphDestroy)
#define gpuGraphExec_t SHARDFFT_GPU_NAME(GraphExec_t)
#define gpuGraphExecDestroy SHARDFFT_GPU_NAME(GraphExecDestroy)
#define gpuGraphInstantiateWithFlags SHARDFFT_GPU_NAME(GraphInstantiateWithFlags)
#define gpuGraphLaunch SHARDFFT_GPU_NAME(GraphLaunch)
#define gpuStreamBeginCapture SHARDFFT_GPU_NAME(StreamBeginCapture)
#define gpuStreamCaptureModeThreadLocal SHARDFFT_GPU_NAME(StreamCaptureModeThreadLocal)
#define gpuStreamEndCapture SHARDFFT_GPU_NAME(StreamEndCapture)

#define gpuIpcCloseMemHandle SHARDFFT_GPU_NAME(IpcCloseMemHandle)
#define gpuIpcEventHandle_t SHARDFFT_GPU_NAME(IpcEventHandle_t)
#define gpuIpcGetEventHandle SHARDFFT_GPU_NAME(IpcGetEventHandle)
#define gpuIpcGetMemHandle SHARDFFT_GPU_NAME(IpcGetMemHandle)
#define gpuIpcMemHandle_t SHARDFFT_GPU_NAME(IpcMemHandle_t)
#define gpuIpcMemLazyEnablePeerAccess SHARDFFT_GPU_NAME(IpcMemLazyEnablePeerAccess)
#define gpuIpcOpenEventHandle SHARDFFT_GPU_NAME(IpcOpenEventHandle)
#define gpuIpcOpenMemHandle SHARDFFT_GPU_NAME(IpcOpenMemHandle)

namespace shardfft::SHARDFFT_GPU {

/// Events also announce what kernels stored into other devices' memory. CUDA's always do.
#if SHARDFFT_GPU_IS_HIP
inline constexpr unsigned gpuEventSystemScope = hipEventReleaseToSystem;
inline constexpr const char* space_name = "hip";
inline constexpr const char* vendor_name = "HIP";
#else
inline constexpr unsigned gpuEventSystemScope = 0;
inline constexpr const char* space_name = "cuda";
inline constexpr const char* vendor_name = "CUDA";
#endif

}  // namespace shardfft::SHARDFFT_GPU
