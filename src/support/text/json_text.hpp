// JSON from outside: public.
#pragma once

#include "shardfft/files.hpp"  // IWYU pragma: export
