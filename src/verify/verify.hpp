// Is the result right? Public.
#pragma once

#include "shardfft/verify.hpp"  // IWYU pragma: export
