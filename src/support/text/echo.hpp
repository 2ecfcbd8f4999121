// What errors repeat of what they were given: public.
#pragma once

#include "shardfft/text.hpp"  // IWYU pragma: export
