#include "synthetic.hpp"

#include "boxes.hpp"

namespace shardfft::cli {

void fill_with_noise(const Layout& layout, int rank, Precision precision, bool complex, Array& memory, int threads) {
  const Index element = (precision == f32 ? 4 : 8) * (complex ? 2 : 1);
  for (const apps::Part& part : apps::parts_in_a_row(layout, rank, memory.data(), element))
    apps::fill_with_noise(part, {.global = layout.global(), .precision = precision, .complex = complex}, threads);
}

}  // namespace shardfft::cli
