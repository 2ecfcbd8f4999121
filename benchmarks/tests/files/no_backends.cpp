// The registries of a library without backends: readers of files ask for names alone.
#include "device/device.hpp"
#include "device/fused.hpp"
#include "engine/engine.hpp"
#include "transport/transport.hpp"

namespace shardfft {

std::span<const Engine* const> engines() { return {}; }
const Engine* find_engine(std::string_view) { return nullptr; }
const Transport* find_transport(std::string_view) { return nullptr; }
const FusedKernels* find_fused(std::string_view) { return nullptr; }
const DeviceDriver* find_driver(std::string_view) { return nullptr; }

}  // namespace shardfft
