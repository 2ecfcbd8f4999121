// How fast are the codecs, how many bits do they take and what do they lose? One core, one group of white noise that
// stays in cache. Speeds are of the uncompressed bytes, the best of several short runs.
//
//   codec_rate [--f32] [--f64] [--dither] [--a-priori] [--bytes N] [CODEC ...]
//
// One row for every codec, scalar and relative error that the codec does not refuse. `usual`: the bits that the planner
// is told. `error`: what was lost, relative to the norm.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "support/memory/buffer.hpp"

namespace {

using namespace shardfft;
using Clock = std::chrono::steady_clock;

constexpr double seconds_per_run = 2e-3;
constexpr int runs = 30;
constexpr double shares[] = {1e-2, 1e-3, 1e-4, 1e-6, 1e-8};

struct Arguments {
  std::vector<Scalar> scalars{};
  std::vector<std::string> codecs{};
  Rounding rounding = Rounding::nearest;
  bool a_priori = false;
  std::size_t bytes =
      std::size_t{1} << 18;  ///< of the numbers; with what they become, a share of the second-level cache
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--f32")
      arguments.scalars.push_back(Scalar::f32);
    else if (word == "--f64")
      arguments.scalars.push_back(Scalar::f64);
    else if (word == "--dither")
      arguments.rounding = Rounding::dither;
    else if (word == "--a-priori")
      arguments.a_priori = true;
    else if (word == "--bytes" && i + 1 < argc && std::atoll(argv[i + 1]) > 0)
      arguments.bytes = static_cast<std::size_t>(std::atoll(argv[++i])) / 32768 * 32768 + 32768;
    else if (find_codec(word) != nullptr)
      arguments.codecs.push_back(word);
    else
      throw std::runtime_error(fmt::format(
          "codec_rate: '{}' is neither an option (--f32 --f64 --dither --a-priori --bytes N) nor a codec", word));
  }
  if (arguments.scalars.empty()) arguments.scalars = {Scalar::f64, Scalar::f32};
  if (arguments.codecs.empty())
    for (const Codec* codec : codecs()) arguments.codecs.emplace_back(codec->name());
  return arguments;
}

/// One group of white noise, encoded and decoded again and again.
class Contestant {
 public:
  Contestant(const Codec& codec, Scalar scalar, const Arguments& arguments)
      : codec_(codec),
        scalar_(scalar),
        rounding_(arguments.rounding),
        bytes_(arguments.bytes),
        values_(static_cast<std::size_t>(bytes_ / size_of(scalar))),
        blocks_(static_cast<int>(values_) / codec.block_values()),
        given_(allocate(bytes_, "numbers")),
        back_(allocate(bytes_, "numbers")),
        payload_(allocate(codec.most_bytes(scalar, blocks_), "a payload")),
        index_(static_cast<std::size_t>(codec.index_bytes() * blocks_)),
        keys_(static_cast<std::size_t>(blocks_)) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    double sum = 0;
    for (std::size_t i = 0; i < values_; ++i) {
      const double x = normal(random);
      sum += x * x;
      if (scalar == Scalar::f32)
        reinterpret_cast<float*>(given_.get())[i] = static_cast<float>(x);
      else
        reinterpret_cast<double*>(given_.get())[i] = x;
    }
    norm_ = std::sqrt(sum) * (1 + 1e-6);
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = i;
  }

  void print(double share, bool a_priori) {
    const double parameter = codec_.parameter(
        scalar_, {.error = share * norm_, .norm = norm_, .values = static_cast<Index>(values_), .a_priori = a_priori});
    if (std::isnan(parameter)) return;
    Encoded encoded;
    const Blocks<const std::byte> given{
        .scalar = scalar_, .count = blocks_, .values = given_.get(), .keys = keys_.data()};
    const Blocks<std::byte> back{.scalar = scalar_, .count = blocks_, .values = back_.get(), .keys = keys_.data()};
    const double encode_s =
        best([&] { encoded = codec_.encode(given, parameter, rounding_, index_.data(), payload_.get()); });
    bool right = true;
    const double decode_s = best([&] {
      right = codec_.decode(index_, {payload_.get(), encoded.bytes}, 0, parameter, rounding_, back) && right;
    });
    const double bits = 8.0 * static_cast<double>(encoded.bytes + index_.size()) / static_cast<double>(values_);
    const auto rate = [&](double seconds) { return static_cast<double>(bytes_) / seconds * 1e-9; };
    fmt::print("{:<18}{:>5}{:>8.0e}{:>10.1f}{:>10.1f}{:>9.2f}{:>9.2f}{:>11.2e}{}\n", codec_.name(),
               scalar_ == Scalar::f32 ? "f32" : "f64", share, rate(encode_s), rate(decode_s), bits,
               codec_.usual_bits(scalar_, share, a_priori), std::sqrt(encoded.lost2) / norm_, right ? "" : "  WRONG");
  }

 private:
  template <class Body>
  static double seconds(Body& body, int repeats) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) body();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  template <class Body>
  static double best(Body body) {
    int repeats = 1;
    while (seconds(body, repeats) < seconds_per_run && repeats < (1 << 24)) repeats *= 2;
    double least = 1e300;
    for (int run = 0; run < runs; ++run) least = std::min(least, seconds(body, repeats) / repeats);
    return least;
  }

  const Codec& codec_;
  Scalar scalar_;
  Rounding rounding_;
  std::size_t bytes_, values_;
  int blocks_;
  Memory given_, back_, payload_;
  std::vector<std::byte> index_;
  std::vector<std::uint64_t> keys_;
  double norm_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments = parse(argc, argv);
  fmt::print("white noise, {} KiB, {}{}, GB/s of numbers\n", arguments.bytes >> 10,
             arguments.rounding == Rounding::dither ? "dither" : "nearest", arguments.a_priori ? ", a priori" : "");
  fmt::print("{:<18}{:>5}{:>8}{:>10}{:>10}{:>9}{:>9}{:>11}\n", "codec", "", "share", "encode", "decode", "bits",
             "usual", "error");
  for (const Scalar scalar : arguments.scalars)
    for (const std::string& name : arguments.codecs) {
      const Codec& codec = *find_codec(name);
      if (!codec.refuses(scalar).empty()) continue;
      Contestant contestant(codec, scalar, arguments);
      for (const double share : shares) contestant.print(share, arguments.a_priori);
    }
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
