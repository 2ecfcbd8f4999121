// libFuzzer on the codec SHARDFFT_FUZZED. Built by tools/fuzz.
#include <cstdio>
#include <cstdlib>

#include "fuzz/one_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const shardfft::Codec& codec = *shardfft::find_codec(SHARDFFT_FUZZED);
  const std::string wrong = shardfft::testing::try_input(codec, {data, size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s: %s\n", SHARDFFT_FUZZED, wrong.c_str());
  std::abort();
}
