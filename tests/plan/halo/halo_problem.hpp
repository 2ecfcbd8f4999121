// A halo as a test asks for it, and what each cell must hold, by looking at each.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "shardfft/shardfft.hpp"
#include "support/problems/random_strides.hpp"

namespace shardfft::testing {

struct HaloProblem {
  Shape shape{};
  int ranks = 1, bytes = 8;
  LayoutSpec layout{};
  HaloSpec halo{};
  bool padded = false, split = false;
  std::string transport{};
  std::uint64_t seed = 0;
};

inline std::string to_string(const HaloProblem& p) {
  std::string periodic;
  for (const int axis : p.halo.periodic) periodic += " " + std::to_string(axis);
  return fmt::format("seed {}: {} of {} bytes on {} ranks, {}, {} before, {} behind, periodic{}{}{}{}", p.seed,
                     to_string(p.shape), p.bytes, p.ranks, to_string(p.layout), to_string(p.halo.low),
                     to_string(p.halo.high), periodic, p.halo.corners ? "" : ", faces", p.padded ? ", padded" : "",
                     p.split ? ", split" : "");
}

/// Any boxes, of each rank one or none.
inline LayoutSpec one_box_each(std::mt19937_64& random, const Shape& shape, int ranks) {
  while (true) {
    std::vector<std::vector<Box>> boxes;
    for (const auto& of_rank : random_boxes(random, shape, ranks).boxes)
      for (const Box& box : of_rank) boxes.push_back({box});
    if (boxes.size() > static_cast<std::size_t>(ranks)) continue;
    boxes.resize(static_cast<std::size_t>(ranks));
    std::shuffle(boxes.begin(), boxes.end(), random);
    return custom(boxes);
  }
}

inline HaloProblem random_halo(std::uint64_t seed, int ranks = 0) {
  std::mt19937_64 random(seed);
  HaloProblem p{.shape = small_shape(random, 4, 7), .seed = seed};
  p.ranks = ranks > 0 ? ranks : static_cast<int>(pick(random, 1, 12));
  const int dims = p.shape.dims();
  do p.layout = random_layout(random, p.shape, p.ranks);
  while (p.layout.kind == LayoutSpec::Kind::cyclic || p.layout.kind == LayoutSpec::Kind::boxes);
  if (pick(random, 0, 3) == 0) p.layout = one_box_each(random, p.shape, p.ranks).ordered(p.layout.order);
  p.halo.low = p.halo.high = Coord::filled(dims, 0);
  for (int a = 0; a < dims; ++a) {
    p.halo.low[a] = pick(random, 0, 3), p.halo.high[a] = pick(random, 0, 3);
    if (pick(random, 0, 1) == 0) p.halo.periodic.push_back(a - (pick(random, 0, 1) == 0 ? dims : 0));
  }
  p.halo.corners = pick(random, 0, 2) > 0;
  p.bytes = std::array{1, 2, 4, 8, 16}[static_cast<std::size_t>(pick(random, 0, 4))];
  p.padded = pick(random, 0, 1) == 0;
  p.split = pick(random, 0, 2) == 0;
  return p;
}

inline std::vector<Coord> elements(const Box& box) {
  std::vector<Coord> all;
  for_each(box, [&](const Coord& at) { all.push_back(at); });
  return all;
}

/// Whose value a cell gets: the position of an element; nothing if it gets none. `at` lies in the grown box.
inline std::optional<Coord> source_of(const Halo& halo, Coord at) {
  const Box box = halo.box();
  const Shape& n = halo.layout().global();
  int outside = 0;
  for (int a = 0; a < at.dims(); ++a) {
    outside += at[a] < box.lo[a] || at[a] >= box.hi[a];
    const bool periodic = std::ranges::count(halo.spec().periodic, a) > 0;
    if (!periodic && (at[a] < 0 || at[a] >= n[a])) return std::nullopt;
    at[a] = (at[a] % n[a] + n[a]) % n[a];
  }
  if (outside == 0 || (outside > 1 && !halo.spec().corners)) return std::nullopt;
  return at;
}

/// The halo of this rank, with memory that says whatever was touched.
class HaloArray {
 public:
  HaloArray(const Comm& comm, const HaloProblem& p)
      : halo_(make(comm, p)), frame_{p.shape, {}}, element_(static_cast<std::size_t>(p.bytes)), split_(p.split) {
    bytes_.assign(halo_.bytes() + guard, std::byte{0xa5});
  }

  [[nodiscard]] Halo& halo() { return halo_; }
  [[nodiscard]] View view() const { return {bytes_.data(), bytes_.size() - guard}; }
  [[nodiscard]] const std::vector<std::byte>& raw() const { return bytes_; }
  [[nodiscard]] std::byte* element(const Coord& at) { return bytes_.data() + halo_.index(at) * element_; }
  template <class T>
  [[nodiscard]] T& number(const Coord& at) {
    return *reinterpret_cast<T*>(element(at));
  }
  /// Each byte from the element's position in the whole array.
  void number(std::byte* element, const Coord& at) const {
    const auto position = static_cast<std::uint64_t>(frame_.position(at));
    for (std::size_t b = 0; b < element_; ++b)
      element[b] = static_cast<std::byte>((position + 1) * 0x9e3779b97f4a7c15u >> (56 - 8 * (b % 8)) ^ b);
  }
  void exchange() {
    if (!split_) return halo_.exchange(view());
    halo_.start_exchange(view());
    while (!halo_.test()) std::this_thread::yield();
    halo_.wait();
  }
  void accumulate(Precision precision) {
    if (!split_) return halo_.accumulate(view(), precision);
    halo_.start_accumulate(view(), precision);
    while (!halo_.test()) std::this_thread::yield();
    halo_.wait();
  }

 private:
  static constexpr std::size_t guard = 32;
  static Halo make(const Comm& comm, const HaloProblem& p) {
    std::mt19937_64 random(p.seed * 100 + static_cast<std::uint64_t>(comm.rank()));
    const Layout layout(p.layout, p.shape, comm.size());
    Options o{.threads = static_cast<int>(p.seed % 2) + 1, .expert = {.transport = p.transport}};
    if (const auto boxes = layout.boxes(comm.rank()); p.padded && !boxes.empty()) {
      Shape grown = boxes.front().shape();
      for (int a = 0; a < grown.dims(); ++a) grown[a] += p.halo.low[a] + p.halo.high[a];
      Index all = 0;
      Placement place{pick(random, 0, 3), random_strides(random, grown, 1, all)};
      for (int a = 0; a < grown.dims(); ++a) place.offset += p.halo.low[a] * place.strides[a];
      o.input_memory = {place};
    }
    return {comm, layout, p.halo, static_cast<std::size_t>(p.bytes), o};
  }

  Halo halo_;
  Whole frame_;
  std::size_t element_;
  bool split_;
  std::vector<std::byte> bytes_{};
};

/// Every cell that has an owner holds its bytes after exchange(), twice; nothing else was touched.
inline void expect_exchanged(const Comm& comm, const HaloProblem& p) {
  HaloArray array(comm, p);
  for (const Coord& at : elements(array.halo().box())) array.number(array.element(at), at);
  auto expected = array.raw();
  const auto bytes = static_cast<std::size_t>(p.bytes);
  for (const Coord& at : elements(array.halo().grown_box()))
    if (const auto source = source_of(array.halo(), at))
      array.number(expected.data() + array.halo().index(at) * bytes, *source);
  for (int again = 0; again < 2; ++again) {
    array.exchange();
    EXPECT_TRUE(array.raw() == expected) << "rank " << comm.rank() << ", run " << again;
  }
}

/// accumulate(exchange(1)) is 1 and how many cells of all ranks hold a copy; a halo of other numbers gives their sum.
template <class T>
void expect_accumulated(const Comm& comm, HaloProblem p) {
  p.bytes = sizeof(T);
  HaloArray array(comm, p);
  Halo& halo = array.halo();
  const Whole frame{p.shape, {}};
  std::vector<double> copies(static_cast<std::size_t>(product(p.shape)), 1), sums = copies;
  const auto number_of = [&](int rank, const Coord& at) {  // small whole numbers: sums are exact
    Index n = rank + 1;
    for (const Index i : at) n = (n * 7 + i + 10) % 101;
    return static_cast<double>(n);
  };
  for (const Coord& at : elements(halo.grown_box()))
    if (const auto source = source_of(halo, at)) {
      copies[static_cast<std::size_t>(frame.position(*source))] += 1;
      sums[static_cast<std::size_t>(frame.position(*source))] += number_of(comm.rank(), at);
    }
  for (auto* all : {&copies, &sums}) {  // of all ranks; each has counted the element itself
    std::vector<double> of_ranks(all->size() * static_cast<std::size_t>(comm.size()));
    comm.allgather(std::as_bytes(std::span(*all)), std::as_writable_bytes(std::span(of_ranks)));
    std::ranges::fill(*all, 1 - comm.size());
    for (std::size_t i = 0; i < of_ranks.size(); ++i) (*all)[i % all->size()] += of_ranks[i];
  }
  for (const Coord& at : elements(halo.box())) array.number<T>(at) = 1;
  array.exchange();
  const auto precision = ScalarOf<T>::size == 4 ? Precision::f32 : Precision::f64;
  array.accumulate(precision);
  for (const Coord& at : elements(halo.box())) {
    const auto wanted = copies[static_cast<std::size_t>(frame.position(at))];
    ASSERT_EQ(array.number<T>(at), static_cast<T>(wanted)) << to_string(at);
    array.number<T>(at) = 1;
  }
  for (const Coord& at : elements(halo.grown_box()))
    if (!halo.box().contains(at)) array.number<T>(at) = static_cast<T>(number_of(comm.rank(), at));
  array.accumulate(precision);
  for (const Coord& at : elements(halo.grown_box())) {
    const bool own = halo.box().contains(at);
    ASSERT_EQ(array.number<T>(at),
              static_cast<T>(own ? sums[static_cast<std::size_t>(frame.position(at))] : number_of(comm.rank(), at)))
        << to_string(at);
  }
}

}  // namespace shardfft::testing
