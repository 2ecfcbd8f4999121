#include "engine/native/factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "engine/native/step.hpp"

namespace shardfft::native {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Time of a pass per element of the tile, in vector operations: arithmetic of the butterfly, and what its loads,
/// stores and loop are worth. Fitted to measurements on AVX-512; only the order of magnitude and the order among the
/// radices matter.
double pass_cost(Index radix) {
  switch (radix) {
    case 2:
      return 3 + 8;
    case 3:
      return 6 + 7;
    case 4:
      return 6 + 6;
    case 5:
      return 9 + 6;
    case 6:
      return 9 + 5;
    case 7:
      return 12 + 6;
    case 8:
      return 9 + 5;
    case 9:
      return 12 + 5;
    case 10:
      return 12 + 5;
    case 11:
      return 17 + 8;
    case 12:
      return 12 + 6;
    case 13:
      return 20 + 9;
    case 16:
      return 12 + 6;
    default:
      return 1.2 * static_cast<double>(radix) + 12;
  }
}

/// Cost per element of the convolution of all steps other than its two transforms.
constexpr double rader_cost = 30, bluestein_cost = 22;

/// Both transforms of Bluestein's convolution stay in the first-level cache, block by block: measured, a unit of cost
/// takes 0.8 to 0.85 of the time that it takes in Rader's with a large radix.
constexpr double blocks_in_cache = 0.84;

/// In the first-level cache all radices are nearly as fast as one another, and what is done around the transforms of
/// blocks depends on the length alone. So the length of a block counts for more than its radices, as if it cost so much
/// more per element.
constexpr double block_weight = 180;

/// After a second pass, too many lines of one set of the first-level cache. But it is the second pass of 256 elements,
/// whose tile fills that cache: two passes over it instead of three count for more than their arithmetic.
constexpr Index first_only = 16;

/// Pencils across planes: what it is worth, in the same unit, that the first of three passes has loads of so many rows
/// under way at once. Then the last one stores fewest rows at a time. Fitted on Zen 4.
constexpr double worth_of_rows = 3.5;

/// A radix of so many results is whole vectors of eight numbers, and of four.
constexpr Index whole_vectors = 8;

/// All lengths are computed by these and by convolutions whose lengths are their products.
constexpr int needed_radices[] = {2, 3, 5, 7, whole_vectors, half_blocks};
static_assert(std::ranges::all_of(needed_radices, is_own_radix), "SHARDFFT_RADICES has those that every length needs");

/// What it is worth, in the same unit, that the first of three passes fills vectors of sixteen numbers. Fitted on
/// Zen 4.
constexpr double worth_of_vectors = 3.5;

/// Cheapest product of radices for every divisor on the way down from n; remembers what it has seen.
class FactorSearch {
 public:
  /// Cost per element; the radices by radices().
  double cost(Index n) {
    if (n == 1) return 0;
    if (const auto seen = seen_.find(n); seen != seen_.end()) return seen->second.cost;
    FactorChoice best;
    try_radix(n, whole_vectors, pass_cost(whole_vectors),
              best);  // first, so that it is taken where another way costs as much
    for (const int radix : own_radices)
      if (radix != first_only) try_radix(n, radix, pass_cost(radix), best);
    if (best.cost == infinite) {
      const Index prime = largest_prime(n);
      try_radix(n, prime, prime_way(prime).cost, best);
    }
    seen_[n] = best;
    return best.cost;
  }

  /// The radices behind cost(n), largest first.
  std::vector<Index> radices_of(Index n) {
    std::vector<Index> list;
    cost(n);
    for (; n > 1; n /= list.back()) list.push_back(seen_.at(n).radix);
    std::ranges::sort(list, std::greater());
    return list;
  }

 private:
  struct FactorChoice {
    double cost = infinite;
    Index radix = 0;
  };

  void try_radix(Index n, Index radix, double pass, FactorChoice& best) {
    if (n % radix != 0) return;
    const double total = pass + cost(n / radix);
    if (total < best.cost) best = {total, radix};
  }

  static Index largest_prime(Index n) {
    Index prime = 1;
    for (Index p = 2; p * p <= n; ++p)
      for (; n % p == 0; n /= p) prime = p;
    return std::max(prime, n);
  }

  std::map<Index, FactorChoice> seen_{};
};

/// The last pass runs over the whole tile, outside the first-level cache: there, too, a large radix pays.
void put_second_largest_last(std::vector<Index>& radices) {
  if (radices.size() > 2) std::rotate(radices.begin() + 1, radices.begin() + 2, radices.end());
}

/// Pencils that are contiguous in memory need a first radix of whole vectors to be transformed without a tile
/// (contiguous-inl.h). What it leaves of those of two passes, 72 to 96, is no whole vectors: they are faster without a
/// tile where two pencils can share one (ContiguousPasses).
void put_whole_vectors_first(std::vector<Index>& radices, Index lanes) {
  const auto fills = [&](Index radix) { return radix >= whole_vectors && is_own_radix(radix) && radix % lanes == 0; };
  if (radices.size() < 2 || fills(radices.front())) return;
  const auto found = std::ranges::find_if(radices, fills);
  if (found != radices.end()) std::rotate(radices.begin(), found, found + 1);
}

/// The cheapest decomposition whose first radix is `first_only`. Its cost is infinite if that radix does not divide n,
/// or if the other radices have no butterflies of their own.
Decomposition with_first_only(FactorSearch& search, Index n) {
  Decomposition result{.n = n, .cost = infinite};
  if (n % first_only != 0 || !is_own_radix(first_only)) return result;
  result.radices = search.radices_of(n / first_only);
  if (!std::ranges::all_of(result.radices, is_own_radix)) return result;
  result.radices.insert(result.radices.begin(), first_only);
  result.cost = pass_cost(first_only) + search.cost(n / first_only);
  return result;
}

bool has_code_along(Index radix) { return is_own_radix(radix) && runs_along_pencils(radix); }

/// Pencils that are contiguous in memory need a first radix that is no shorter than a vector (contiguous-inl.h). The
/// cheapest decomposition that has one of eight or more, or else the cheapest one.
Decomposition cheapest(FactorSearch& search, Index n, const Use& use) {
  Decomposition best{.n = n, .radices = search.radices_of(n), .cost = search.cost(n)};
  if (use.lanes == 0 || n < least_along || best.radices.size() < 2 || best.radices.front() >= whole_vectors)
    return best;
  Decomposition found{.n = n, .cost = infinite};
  for (const int radix : own_radices) {
    if (radix < whole_vectors || n % radix != 0 || 2 * (n / radix) < use.lanes || !runs_along_pencils(radix)) continue;
    std::vector<Index> radices = search.radices_of(n / radix);
    const double cost = pass_cost(radix) + search.cost(n / radix);
    if (cost >= found.cost || !std::ranges::all_of(radices, has_code_along)) continue;
    radices.insert(radices.begin(), radix);
    found = {.n = n, .radices = std::move(radices), .cost = cost};
  }
  return found.cost < infinite ? found : best;
}

Decomposition decompose_with(FactorSearch& search, Index n, const Use& use = {}) {
  Decomposition best = cheapest(search, n, use);
  const Decomposition other = with_first_only(search, n);
  const bool three = other.radices.size() == 3;
  const bool fills = use.lanes == first_only && 2 * (n / first_only) >= use.lanes,
             few = three || other.radices.size() == 4;
  const double gain = use.strided && three ? worth_of_rows : fills && few ? worth_of_vectors : 0;
  if (other.cost - gain < best.cost) best = other;
  if (use.strided && best.radices.size() == 3) return best;
  put_second_largest_last(best.radices);
  if (use.lanes > 0) put_whole_vectors_first(best.radices, use.lanes);
  if (is_own_radix(first_only) && n == first_only * first_only) best.radices = {first_only, first_only};
  return best;
}

/// All products of 2, 3, 5 and 7 from `least` to `most`, as multiples of `n` by the primes from number `first` on.
void add_smooth_numbers(Index n, int first, Index least, Index most, std::vector<Index>& found) {
  constexpr Index primes[] = {2, 3, 5, 7};
  if (n >= least) found.push_back(n);
  for (int i = first; i < 4; ++i)
    if (n <= most / primes[i]) add_smooth_numbers(n * primes[i], i, least, most, found);
}

/// The cheapest convolution for each half of the spectrum; a half has at least p elements.
PrimeWay by_bluestein(Index p) {
  std::vector<Index> lengths;
  const Index least = (p + half_blocks - 1) / half_blocks;
  add_smooth_numbers(1, 0, least, least + least / 4 + 4, lengths);
  PrimeWay best{};
  double best_weight = infinite;
  FactorSearch search;
  for (const Index length : lengths) {
    const Decomposition inner = decompose_with(search, length);
    const double cost = 2 * (inner.cost + pass_cost(half_blocks)) + bluestein_cost,
                 all = static_cast<double>(half_blocks * length);
    const double weight = (cost + block_weight) * all;
    if (weight < best_weight)
      best = {Method::bluestein, inner, blocks_in_cache * 2 * cost * all / static_cast<double>(p)},
      best_weight = weight;
  }
  return best;
}

PrimeWay by_rader(Index p) {
  Decomposition inner = decompose(p - 1);
  const double cost = 2 * inner.cost + rader_cost;
  return {Method::rader, std::move(inner), cost};
}

}  // namespace

PrimeWay prime_way(Index p) {
  thread_local std::map<Index, PrimeWay> known;  // a search among hundreds of lengths, asked for several times per plan
  if (const auto found = known.find(p); found != known.end()) return found->second;
  PrimeWay best{.cost = p <= max_radix ? pass_cost(p) : infinite};
  if (is_own_radix(p)) return best;
  for (const auto way : {by_rader, by_bluestein})
    if (PrimeWay other = way(p); other.cost < best.cost) best = std::move(other);
  return known.emplace(p, std::move(best)).first->second;
}

Decomposition decompose(Index n, const Use& use) {
  FactorSearch search;
  return decompose_with(search, n, use);
}

bool fills_vectors(Index n, Index lanes) {
  constexpr Index least_columns = 4;
  const std::vector<Index> radices = decompose(n, {.lanes = lanes}).radices;
  return radices.size() > 1 && std::ranges::all_of(radices, has_code_along) && 2 * radices.front() >= lanes &&
         n / radices.front() >= least_columns;
}

std::string Decomposition::describe() const {
  std::string product = radices.empty() ? "1" : "";
  for (const Index radix : radices) {
    if (!product.empty()) product += "x";
    const PrimeWay way = is_own_radix(radix) ? PrimeWay{} : prime_way(radix);
    if (way.method == Method::direct)
      product += fmt::format("{}", radix);
    else if (way.method == Method::rader)
      product += fmt::format("({} by rader {} = {})", radix, way.inner.n, way.inner.describe());
    else
      product += fmt::format("({} by bluestein 2 x {} = {} x ({}))", radix, half_blocks * way.inner.n, half_blocks,
                             way.inner.describe());
  }
  return product;
}

}  // namespace shardfft::native
