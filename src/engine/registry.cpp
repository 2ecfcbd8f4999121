#include "engine/registry.hpp"

#include <algorithm>
#include <array>

namespace shardfft {

std::span<const Engine* const> engines() {
  static const std::array table = {
      &native_engine(),
#if SHARDFFT_WITH_FFTW
      &fftw_engine(),
#endif
#if SHARDFFT_WITH_MKL
      &mkl_engine(),
#endif
  };
  return table;
}

const Engine* find_engine(std::string_view name) {
  const auto all = engines();
  const auto found = std::ranges::find(all, name, [](const Engine* engine) { return engine->name(); });
  return found == all.end() ? nullptr : *found;
}

}  // namespace shardfft
