// make_seeds FOLDER: the first inputs of every codec's corpus, FOLDER/CODEC/seed_N.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "fuzz/one_input.hpp"

int main(int argc, char** argv) {
  using namespace shardfft;
  if (argc != 2) return std::fprintf(stderr, "make_seeds: one argument, the folder of the corpora\n"), 2;
  for (const Codec* codec : codecs()) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / codec->name();
    std::filesystem::create_directories(folder);
    int made = 0;
    const auto write = [&](const std::vector<std::uint8_t>& input) {
      std::ofstream(folder / ("seed_" + std::to_string(made++)), std::ios::binary)
          .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
    };
    for (const Scalar scalar : {Scalar::f32, Scalar::f64})
      for (const Rounding rounding : {Rounding::nearest, Rounding::dither}) {
        if (!codec->refuses(scalar).empty() || (rounding == Rounding::dither && !codec->dithers())) continue;
        write(testing::numbers_input(scalar, rounding, 1));
        write(testing::encoded_input(*codec, scalar, rounding, 2));
      }
  }
}
