// Transforms of which some inputs are zero, or some outputs are not wanted, around any engine's kernel.
#pragma once

#include "engine/engine.hpp"

namespace shardfft {

/// What the engine makes; around it, where fewer points or modes are kept, a kernel whose pencils have only these. Its
/// results have the bits of the whole transform, cut. The place of two frequencies gets their sum, before it is scaled,
/// and gives half of itself to each; of a half spectrum it is real. Throws what Engine::make throws.
[[nodiscard]] std::shared_ptr<const Kernel> make_kernel(const Engine& engine, const KernelRequest& request);

}  // namespace shardfft
