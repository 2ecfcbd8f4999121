// Made-up data: public.
#pragma once

#include "shardfft/noise.hpp"  // IWYU pragma: export
