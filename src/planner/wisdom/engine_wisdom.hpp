// Engines that measure may decide differently from run to run; one rank decides, all share it, and a file remembers it.
#pragma once

#include <functional>

#include "engine/engine.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Collective. Calls make() (which creates the kernels through the engine) on every rank such that all get what rank 0
/// decided. For engines that do not measure, just calls it. The file is <engine>.wisdom in cache_folder(); a file that
/// cannot be read or written is no error: the next run measures again.
void with_shared_wisdom(const Comm& comm, const Engine& engine, const std::function<void()>& make);

}  // namespace shardfft
