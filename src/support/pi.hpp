// Pi as a long double. clang's C++ library had its std::numbers::pi_v of it in double precision before version 20.
#pragma once

namespace shardfft {

inline constexpr long double long_pi = 3.141592653589793238462643383279502884L;

}  // namespace shardfft
