// The engines that may be compiled in. Only registry.cpp knows which ones were.
#pragma once

#include "engine/engine.hpp"

namespace shardfft {

[[nodiscard]] const Engine& native_engine();
[[nodiscard]] const Engine& fftw_engine();
[[nodiscard]] const Engine& mkl_engine();

}  // namespace shardfft
