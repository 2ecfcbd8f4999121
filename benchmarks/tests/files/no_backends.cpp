// The registries of a library without backends: readers of files ask for names alone.
#include "engine/engine.hpp"
#include "planner/decide/rank_device.hpp"
#include "transport/transport.hpp"

namespace shardfft {

std::span<const Engine* const> engines() { return {}; }
const Engine* find_engine(std::string_view) { return nullptr; }
const Transport* find_transport(std::string_view) { return nullptr; }
bool has_fused_kernels(std::string_view) { return false; }
std::string device_kind(std::string_view) { return {}; }

}  // namespace shardfft
