#include "codec/registry.hpp"

#include <algorithm>
#include <array>

namespace shardfft {

std::span<const Codec* const> codecs() {
  static const std::array table = {
      &none_codec(), &f32_codec(), &f16_codec(), &mantissa_codec(), &block_float_codec(), &lossless_codec(),
#if SHARDFFT_WITH_ZFP
      &zfp_codec(),
#endif
  };
  return table;
}

const Codec* find_codec(std::string_view name) {
  const auto all = codecs();
  const auto found = std::ranges::find(all, name, [](const Codec* codec) { return codec->name(); });
  return found == all.end() ? nullptr : *found;
}

const Codec* find_codec(std::uint8_t number) {
  const auto all = codecs();
  const auto found = std::ranges::find(all, number, [](const Codec* codec) { return codec->number(); });
  return found == all.end() ? nullptr : *found;
}

}  // namespace shardfft
