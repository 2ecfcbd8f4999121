// Where measurements of this machine are kept between runs: public.
#pragma once

#include "shardfft/environment.hpp"  // IWYU pragma: export
