// libFuzzer on the reader of files SHARDFFT_FUZZED. Built by tools/fuzz.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "one_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using shardfft::testing::FileReader;
  static const FileReader& reader =
      *std::ranges::find(shardfft::testing::file_readers(), SHARDFFT_FUZZED, &FileReader::name);
  int found = 0;
  const std::string wrong = reader.try_text({reinterpret_cast<const char*>(data), size}, found);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s: %s\n", SHARDFFT_FUZZED, wrong.c_str());
  std::abort();
}
