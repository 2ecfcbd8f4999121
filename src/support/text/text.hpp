// Amounts, times and long lines for people: public.
#pragma once

#include "shardfft/text.hpp"  // IWYU pragma: export
