// The caches of a core, as Linux tells them: public.
#pragma once

#include "shardfft/machine.hpp"  // IWYU pragma: export
