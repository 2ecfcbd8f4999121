// Environment variables that shardfft reads: public.
#pragma once

#include "shardfft/environment.hpp"  // IWYU pragma: export
