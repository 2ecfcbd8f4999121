// Stands for the calls of CUDA's driver that src/device/gpu and the stand-in of the runtime take: contexts.
#pragma once

struct StandInContext;
using CUcontext = StandInContext*;

extern "C" {
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active);
int cuDevicePrimaryCtxRetain(CUcontext* context, int device);
int cuCtxGetCurrent(CUcontext* context);
int cuCtxSetCurrent(CUcontext context);
int cuCtxPushCurrent_v2(CUcontext context);
int cuCtxPopCurrent_v2(CUcontext* context);
int cuCtxGetDevice(int* device);
}
