// A text of one rank for all: public.
#pragma once

#include "shardfft/collective.hpp"  // IWYU pragma: export
