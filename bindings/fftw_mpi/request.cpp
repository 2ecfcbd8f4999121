#include "request.hpp"

#include <fmt/format.h>

#include "blocks.hpp"
#include "fftw3-mpi.h"
#include "shardfft.h"

namespace shardfft::fftw_mpi {
namespace {

bool has_reals(const Request& request) { return request.what == What::r2c || request.what == What::c2r; }

/// What no library of this interface has a plan for.
std::string broken_rule(const Request& request) {
  if (request.n.empty()) return "the rank must be 1 or more, with an extent for each axis";
  for (const std::ptrdiff_t n : request.n)
    if (n < 1) return fmt::format("extents must be 1 or more, got {}", n);
  if (request.howmany < 0) return fmt::format("howmany must be 0 or more, got {}", request.howmany);
  if (request.in_block < 0 || request.out_block < 0)
    return fmt::format("blocks must be 0 or more, got {} and {}", request.in_block, request.out_block);
  if (request.what == What::c2c && request.sign != FFTW_FORWARD && request.sign != FFTW_BACKWARD)
    return fmt::format("the sign must be -1 or +1, got {}", request.sign);
  if (request.what == What::r2r && request.kinds.empty()) return "r2r takes a kind for each axis, got a null pointer";
  return {};
}

/// What only FFTW can do.
std::string beyond_us(const Request& request) {
  for (std::size_t a = 0; a < request.kinds.size(); ++a) {
    if (kind_of(request.kinds[a]) < 0) return "halfcomplex kinds are not shardfft's";
    if (kind_of(request.kinds[a]) == SHARDFFT_COSINE1 && request.n[a] == 1) return "FFTW_REDFT00 of one point";
  }
  if (request.what == What::r2r && request.n.size() == 1) return "r2r of rank 1 is not this interface's";
  if (request.real_bytes > 8) return "long double is not shardfft's";
  if (request.n.size() + (request.howmany > 1 ? 1 : 0) > 8)
    return fmt::format("shardfft's arrays have at most 8 axes, one of them for a batch; got {} and howmany {}",
                       request.n.size(), request.howmany);
  const unsigned of_reals = request.what == What::r2c ? FFTW_MPI_TRANSPOSED_IN : FFTW_MPI_TRANSPOSED_OUT;
  if (has_reals(request) && request.n.size() == 2 && (request.flags & of_reals) != 0)
    return "reals of rank 2 are not transposed here";
  return {};
}

/// One side of several axes: cut along axis 0, or 1 if it is transposed.
Side slab(const std::vector<std::ptrdiff_t>& n, std::ptrdiff_t asked, bool transposed, int ranks) {
  const int axis = transposed ? 1 : 0;
  return {Side::Cut::blocks, axis, block_of(n[static_cast<std::size_t>(axis)], asked, ranks), transposed};
}

Sides sides_of_transpose(const Request& request, int ranks) {
  Sides sides;
  sides.in = {Side::Cut::blocks, 0, block_of(request.n[0], request.in_block, ranks),
              (request.flags & FFTW_MPI_TRANSPOSED_IN) != 0};
  sides.out = {Side::Cut::blocks, 1, block_of(request.n[1], request.out_block, ranks),
               (request.flags & FFTW_MPI_TRANSPOSED_OUT) == 0};
  return sides;
}

Sides sides_of_one_axis(const Request& request, int ranks) {
  const std::ptrdiff_t n = request.n[0];
  Sides sides;
  if (has_reals(request)) {
    // A rank's reals fill the memory of its part of the spectrum.
    const std::ptrdiff_t block = block_of(n / 2 + 1, 0, ranks);
    sides.in.block = request.what == What::r2c ? 2 * block : block;
    sides.out.block = request.what == What::r2c ? block : 2 * block;
    return sides;
  }
  sides.in.block = block_of(n, request.in_block, ranks);
  sides.out.block = block_of(n, request.out_block, ranks);
  if (is_cyclic(n, ranks, (request.flags & FFTW_MPI_SCRAMBLED_IN) != 0)) sides.in.cut = Side::Cut::cyclic;
  if (is_cyclic(n, ranks, (request.flags & FFTW_MPI_SCRAMBLED_OUT) != 0)) sides.out.cut = Side::Cut::cyclic;
  return sides;
}

std::string not_covered(const Side& side, const std::vector<std::ptrdiff_t>& n, int ranks) {
  const std::ptrdiff_t extent = n[static_cast<std::size_t>(side.axis)];
  if (side.cut == Side::Cut::cyclic || covers(side.block, extent, ranks)) return {};
  return fmt::format("blocks of {} on {} ranks do not cover {} rows; use blocks of {} or more, or 0", side.block, ranks,
                     extent, block_of(extent, 0, ranks));
}

}  // namespace

std::string full_name(const Request& request) {
  return fmt::format("fftw{}_{}", request.real_bytes == 4 ? "f" : request.real_bytes == 8 ? "" : "l", request.function);
}

std::vector<std::ptrdiff_t> spectrum_of(const Request& request) {
  std::vector<std::ptrdiff_t> n = request.n;
  if (has_reals(request)) n.back() = n.back() / 2 + 1;
  return n;
}

int kind_of(int fftw_kind) {
  switch (fftw_kind) {
    case FFTW_DHT:
      return SHARDFFT_HARTLEY;
    case FFTW_REDFT00:
      return SHARDFFT_COSINE1;
    case FFTW_REDFT10:
      return SHARDFFT_COSINE2;
    case FFTW_REDFT01:
      return SHARDFFT_COSINE3;
    case FFTW_REDFT11:
      return SHARDFFT_COSINE4;
    case FFTW_RODFT00:
      return SHARDFFT_SINE1;
    case FFTW_RODFT10:
      return SHARDFFT_SINE2;
    case FFTW_RODFT01:
      return SHARDFFT_SINE3;
    case FFTW_RODFT11:
      return SHARDFFT_SINE4;
    default:
      return -1;
  }
}

bool is_cyclic(std::ptrdiff_t n, int ranks, bool scrambled) { return scrambled && ranks > 1 && n % ranks == 0; }

Sides sides_of(const Request& request, int ranks) {
  Sides sides;
  if (sides.refused = broken_rule(request); !sides.refused.empty()) return sides;
  if (sides.refused = beyond_us(request); !sides.refused.empty()) {
    sides.others_may = true;
    return sides;
  }
  const std::vector<std::ptrdiff_t> spectrum = spectrum_of(request);
  if (request.what == What::transpose) {
    sides = sides_of_transpose(request, ranks);
  } else if (request.n.size() == 1) {
    sides = sides_of_one_axis(request, ranks);
  } else {
    sides.in = slab(spectrum, request.in_block, (request.flags & FFTW_MPI_TRANSPOSED_IN) != 0, ranks);
    sides.out = slab(spectrum, request.out_block, (request.flags & FFTW_MPI_TRANSPOSED_OUT) != 0, ranks);
  }
  const bool reals_in = request.what == What::r2c, reals_out = request.what == What::c2r;
  sides.refused = not_covered(sides.in, reals_in ? request.n : spectrum, ranks);
  if (sides.refused.empty()) sides.refused = not_covered(sides.out, reals_out ? request.n : spectrum, ranks);
  return sides;
}

}  // namespace shardfft::fftw_mpi
