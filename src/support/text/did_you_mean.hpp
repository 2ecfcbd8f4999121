// The word that a mistyped one probably stands for: public.
#pragma once

#include "shardfft/text.hpp"  // IWYU pragma: export
