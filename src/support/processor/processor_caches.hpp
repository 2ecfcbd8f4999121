// The caches of a core, as Linux tells them: public.
#pragma once

#include "shardfft/programs/machine.hpp"  // IWYU pragma: export
