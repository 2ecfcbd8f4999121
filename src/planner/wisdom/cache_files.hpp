// The folder that keeps measurements of this machine between runs: public.
#pragma once

#include "shardfft/environment.hpp"  // IWYU pragma: export
