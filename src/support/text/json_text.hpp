// JSON from outside: public.
#pragma once

#include "shardfft/programs/files.hpp"  // IWYU pragma: export
