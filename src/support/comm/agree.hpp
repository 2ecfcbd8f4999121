// An error on one rank is an error on all ranks, with the same text: public.
#pragma once

#include "shardfft/collective.hpp"  // IWYU pragma: export
