#include "planner/decide/encoding.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/decide/rank_device.hpp"
#include "planner/options/choices.hpp"
#include "shardfft/error.hpp"
#include "support/refuse.hpp"
#include "support/text/did_you_mean.hpp"
#include "support/text/number.hpp"

namespace shardfft {

std::string to_string(Guarantee guarantee) {
  constexpr const char* names[] = {"certified", "worst", "statistical"};
  return names[static_cast<int>(guarantee)];
}

namespace {

Guarantee parse_guarantee(const std::string& word) {
  return word == "worst" ? Guarantee::worst : word == "statistical" ? Guarantee::statistical : Guarantee::certified;
}

struct Named {
  const Codec* codec = nullptr;
  double parameter = std::numeric_limits<double>::quiet_NaN();
};

// "mantissa:20": a codec and its parameter.
Named parse_codec(const std::string& text, Scalar scalar) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  Named named{find_codec(name)};
  if (!named.codec) {
    std::vector<std::string> all;
    for (const Codec* codec : codecs()) all.emplace_back(codec->name());
    refuse_argument(fmt::format(
        "codec is one of those compiled in: {} (mantissa:BITS with the number of fraction bits); got '{}'{}",
        fmt::join(all, ", "), text, did_you_mean(name, all)));
  }
  if (const std::string why = named.codec->refuses(scalar); !why.empty())
    refuse_argument(fmt::format("codec {} does not fit: {}", name, why));
  if (colon == std::string::npos) return named;
  int value = 0;
  if (name != "mantissa" || !read_number(std::string_view(text).substr(colon + 1), value) || value < 0 || value > 52)
    refuse_argument(fmt::format("a codec's number is that of mantissa:BITS, 0 to 52; got '{}'", text));
  named.parameter = value;
  return named;
}

double elements_of(const CheckedProblem& p) {
  return static_cast<double>(std::max(product(p.space), product(p.spectrum)));
}

// The L2 tolerance for which no element's error exceeds `linf` root mean squares: no element's error exceeds that of
// all together.
double l2_of_linf(double linf, const CheckedProblem& p) { return linf / std::sqrt(elements_of(p)); }

// With dither, each element's error is a sum of many bounded ones of random sign, and so much larger than the usual one
// only with probability 1e-9 for the whole array (sub-Gaussian tails over 8 directions of the plane; of reals over the
// two there are, in which all of their variance lies). Transforms spread what is lost evenly; along axes that are not
// transformed, all of it may be in one place.
double dithered_l2_of_linf(double linf, const CheckedProblem& p) {
  constexpr double failure = 1e-9;
  const double tail = p.asked.kind == c2c ? 0.854 : 0.5;
  double batches = 1;
  for (int a = 0; a < p.spectrum.dims(); ++a)
    if (std::find(p.axes.begin(), p.axes.end(), a) == p.axes.end()) batches *= static_cast<double>(p.spectrum[a]);
  return std::max(l2_of_linf(linf, p), linf / std::sqrt(batches * std::log(8 * elements_of(p) / failure) / tail));
}

constexpr int usual_exchanges = 2;  // that share the tolerance, where the planner reckons

// The share of the tolerance for storage. Rounding in Budget takes the rest, and half spectra, whose reals are a little
// smaller than they promise.
constexpr double storage_staging = 0.99;

struct Price {
  double bits = 0, seconds = 0;  ///< of a real number
};

// On its way from one node to another through one core: encoded and decoded while the network works, so that the slower
// of the two counts.
Price price_of(const Codec& codec, Scalar scalar, double share, const Encoding& e, const Machine& machine) {
  const double bits = codec.usual_bits(scalar, share, e.guarantee == Guarantee::worst),
               bytes = static_cast<double>(size_of(scalar));
  return {bits, std::max(bits / 8 / machine.mpi_far.bytes_per_s, 2 * bytes / machine.codec_bytes_per_s)};
}

const Codec* cheapest(Scalar scalar, double share, const Encoding& e, const Machine& machine) {
  const double plain_bits = 8 * static_cast<double>(size_of(scalar));
  double best = plain_bits / 8 / machine.mpi_far.bytes_per_s, least_bits = plain_bits;
  const Codec* chosen = nullptr;
  for (const char* name : {"block_float", "f32", "f16"}) {
    const Codec* codec = find_codec(name);
    const bool keeps =
        codec && codec->refuses(scalar).empty() &&
        !std::isnan(codec->parameter(scalar, {.error = share, .norm = 1, .values = 1 << 20, .a_priori = true}));
    if (!keeps) continue;
    const Price price = price_of(*codec, scalar, share, e, machine);
    if (price.seconds > best || (price.seconds == best && price.bits >= least_bits)) continue;
    best = price.seconds;
    least_bits = price.bits;
    chosen = codec;
  }
  return chosen;
}

// What the codecs may lose: what arithmetic may lose is taken off, and must be kept to, whether anything is encoded or
// not.
void share_with_arithmetic(Encoding& e, const Options& o, const CheckedProblem& p, const Codec* named,
                           double arithmetic) {
  const double undithered = o.tolerance > 0            ? o.tolerance
                            : o.tolerance_absolute > 0 ? o.tolerance_absolute
                                                       : l2_of_linf(o.tolerance_linf, p);
  const bool may_dither = e.guarantee == Guarantee::statistical && (!named || named->dithers());
  const double wanted = o.tolerance_linf > 0 && may_dither ? dithered_l2_of_linf(o.tolerance_linf, p) : undithered;
  e.tolerance = e.absolute ? wanted : wanted - arithmetic;
  e.undithered_tolerance = e.absolute ? wanted : std::max(undithered - arithmetic, 0.0);
  e.of_elements = o.tolerance_linf > 0;
  if (!e.absolute && wanted < arithmetic)
    throw Error(Status::unsupported,
                fmt::format("a tolerance is at least what arithmetic in {} may lose, {:.3g}; got {:.3g}; {}",
                            to_string(p.asked.precision), arithmetic, wanted,
                            p.scalar == Scalar::f32 ? "use f64" : "use tolerance 0 for exact mode"));
}

// Why nothing is encoded, whatever the tolerance; empty where something may be.
std::string why_not(const Encoding& e, const Codec* named, const Comm& comm) {
  if (!e.within_nodes && comm.nodes() == 1) return "nothing leaves the node";
  return named && named == find_codec("none") ? "as asked" : "";
}

// Bits per number of unstructured data. The norm is unknown, so an absolute tolerance counts as if it were relative. A
// codec that cannot keep its share sends numbers unencoded.
double expected_bits(const Encoding& e, const CheckedProblem& p) {
  constexpr double few = 1e4;  // numbers, of which errors do not even out (Budget)
  const double tolerance = 2 * elements_of(p) < few ? std::min(e.tolerance, e.undithered_tolerance) : e.tolerance,
               share = e.absolute ? 1 : tolerance / usual_exchanges;
  const bool a_priori = e.guarantee == Guarantee::worst;
  const bool keeps =
      !std::isnan(e.codec->parameter(p.scalar, {.error = share, .norm = 1, .values = 1 << 20, .a_priori = a_priori}));
  const Codec& codec = keeps ? *e.codec : *find_codec("lossless");
  return std::max(0.0, codec.usual_bits(p.scalar, share, a_priori) - 8.0 * codec.index_bytes() / codec.block_values());
}

}  // namespace

Encoding choose_encoding(const Options& o, const CheckedProblem& p, const Machine& machine, const Comm& comm,
                         double arithmetic) {
  Encoding e{
      .guarantee = o.guarantee.empty() && o.tolerance_linf > 0 ? Guarantee::statistical : parse_guarantee(o.guarantee),
      .absolute = o.tolerance_absolute > 0,
      .within_nodes = o.expert.encode_near};
  const bool bounded = has_tolerance(o);
  const Named named = o.expert.codec.empty() ? Named{} : parse_codec(o.expert.codec, p.scalar);
  if (!bounded && !named.codec) return e;
  if (bounded) share_with_arithmetic(e, o, p, named.codec, arithmetic);
  e.why = why_not(e, named.codec, comm);
  if (!e.why.empty()) return e;
  e.codec = named.codec;
  if (!bounded) {
    e.forced = true;
    e.parameter = named.parameter;
    return e;
  }
  constexpr double room = 3;  // times what arithmetic loses: a codec that may lose less than that saves next to nothing
  if (!e.absolute && e.tolerance < room * arithmetic) {
    e.codec = nullptr;
    e.why = "the tolerance is close to the rounding error";
  } else if (!e.codec) {
    const double megabytes_per_s = machine.mpi_far.bytes_per_s / 1e6;
    e.codec = e.absolute ? find_codec("block_float") : cheapest(p.scalar, e.tolerance / usual_exchanges, e, machine);
    e.why = fmt::format("{} at {:.3g} MB/s between nodes", e.codec ? "by the model," : "encoding does not pay",
                        megabytes_per_s);
  }
  if (e.codec && !e.within_nodes) e.bits = expected_bits(e, p);
  return e;
}

namespace {

std::optional<StorageFormat> format_named(std::string_view name) {
  for (std::size_t i = 0; i < storage_formats.size(); ++i)
    if (storage_formats[i].name == name) return static_cast<StorageFormat>(i);
  return std::nullopt;
}

// Shorter than what is computed with.
bool is_shorter(StorageFormat format, const CheckedProblem& p) {
  return facts_of(format).bytes < static_cast<Index>(size_of(p.scalar)) &&
         2 * elements_of(p) <= facts_of(format).most_numbers;
}

std::optional<StorageFormat> shortest(const Encoding& e, const CheckedProblem& p, int between) {
  for (auto i = storage_formats.size(); i-- > 0;)
    if (const auto format = static_cast<StorageFormat>(i);
        is_shorter(format, p) && between * facts_of(format).roundoff <= storage_staging * e.undithered_tolerance)
      return format;
  return std::nullopt;
}

}  // namespace

// What a cast loses is known beforehand, so that all guarantees are kept alike.
Encoding choose_storage(const Options& o, const CheckedProblem& p, int between, double arithmetic) {
  Encoding e{.guarantee = parse_guarantee(o.guarantee), .absolute = o.tolerance_absolute > 0};
  const bool bounded = has_tolerance(o);
  const Named named = o.expert.codec.empty() ? Named{} : parse_codec(o.expert.codec, p.scalar);
  const std::optional<StorageFormat> wanted = format_named(o.expert.codec);
  if (named.codec && !wanted && o.expert.codec != "none")
    throw Error(Status::unsupported,
                fmt::format("codec of arrays of the host that go through a device is one of none, f32, f16: the format "
                            "of what lies between two sweeps; got '{}'; name one of them, or leave codec empty",
                            o.expert.codec));
  if (!bounded && !named.codec) return e;
  if (bounded) share_with_arithmetic(e, o, p, find_codec("none"), arithmetic);
  if (o.expert.codec == "none")
    e.why = "as asked";
  else if (between == 0)
    e.why = "one sweep does all";
  else if (e.absolute)
    e.why = "a shorter format has a relative error, and the tolerance is absolute";
  if (!e.why.empty()) return e;
  if (!bounded) {
    e.forced = true;
    if (is_shorter(*wanted, p))
      e.storage = wanted;
    else
      e.why = fmt::format("{} has no room for so many numbers", o.expert.codec);
    return e;
  }
  e.storage = shortest(e, p, between);
  if (wanted && e.storage && facts_of(*e.storage).bytes < facts_of(*wanted).bytes) e.storage = wanted;
  if (wanted && e.storage != wanted) e.storage.reset();
  if (!e.storage)
    e.why = wanted ? fmt::format("{} loses more than the tolerance", o.expert.codec)
                   : "no shorter format keeps the tolerance";
  return e;
}

void check_codec_of_device(const Encoding& e) {
  const std::vector<std::string_view> all = codecs_on_devices();
  if (!e.codec || std::ranges::count(all, e.codec->name()) > 0) return;
  throw Error(Status::unsupported, fmt::format("codec of a plan on a device is one of those that devices have: {}; got "
                                               "'{}'; name one of them, or leave codec empty",
                                               fmt::join(all, ", "), e.codec->name()));
}

std::optional<double> usual_bits(const Encoding& e, Scalar scalar) {
  if (!e.codec) return {};
  const bool a_priori = e.guarantee == Guarantee::worst;
  if (!e.forced && !e.absolute) return e.codec->usual_bits(scalar, e.tolerance / usual_exchanges, a_priori);
  constexpr double fine = 1e-9, coarse = 1e-3;
  const double bits = e.codec->usual_bits(scalar, fine, a_priori);
  return bits == e.codec->usual_bits(scalar, coarse, a_priori) ? std::optional(bits) : std::nullopt;
}

std::string to_string(const Encoding& e) {
  if (e.storage)
    return fmt::format("{} between sweeps, {}", facts_of(*e.storage).name,
                       e.forced ? "whatever it loses" : to_string(e.guarantee));
  if (!e.codec) return e.why.empty() ? "none" : fmt::format("none ({})", e.why);
  std::string text(e.codec->name());
  if (!std::isnan(e.parameter)) text += fmt::format(":{}", e.parameter);
  return e.forced ? text + ", whatever it loses" : fmt::format("{}, {}", text, to_string(e.guarantee));
}

}  // namespace shardfft
