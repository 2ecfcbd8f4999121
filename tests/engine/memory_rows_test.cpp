// Passes that read and write memory give the bits of a gather, run() and a scatter, and touch nothing else.
#include <algorithm>
#include <array>
#include <numeric>

#include "engine/pencils.hpp"
#include "engine/registry.hpp"
#include "engine/targets.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

/// Under sanitizers one of each kind.
std::vector<Index> row_lengths() {
  if (sanitized) return {1, 4, 8, 16, 17, 30, 64, 96, 197, 243, 256, 394, 512};
  return {1, 2, 3, 4, 8, 13, 16, 17, 30, 64, 96, 100, 128, 197, 210, 243, 256, 347, 394, 512, 1000, 2048};
}

/// Rows of complex numbers in no order, with gaps between them; every row begins `phase` bytes after the start of a
/// line.
template <class T>
class ScatteredRows {
 public:
  ScatteredRows(std::mt19937_64& random, Index count, int pencils, Index phase)
      : row_bytes_(2 * pencils * static_cast<Index>(sizeof(T))),
        step_((row_bytes_ + phase + 63) / 64 * 64 + 64),
        bytes_(static_cast<std::size_t>(count * step_)),
        memory_(bytes_) {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::shuffle(order, random);
    for (const Index place : order) rows_.push_back(memory_.data() + place * step_ + phase);
  }

  /// Addresses `offset` bytes before the rows: the library adds that.
  [[nodiscard]] std::vector<std::byte*> before(Index offset) const {
    std::vector<std::byte*> list = rows_;
    for (std::byte*& row : list) row -= offset;
    return list;
  }
  void put(Index v, const Pencil& pencil) {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      T* at = reinterpret_cast<T*>(rows_[k]) + 2 * v;
      at[0] = static_cast<T>(pencil[k].real()), at[1] = static_cast<T>(pencil[k].imag());
    }
  }
  [[nodiscard]] Pencil take(Index v) const {
    Pencil pencil;
    for (std::byte* row : rows_)
      pencil.emplace_back(reinterpret_cast<T*>(row)[2 * v], reinterpret_cast<T*>(row)[2 * v + 1]);
    return pencil;
  }
  /// Bytes that are not what they were before anything was put.
  [[nodiscard]] Index changed() {
    return static_cast<Index>(bytes_) - std::count(memory_.data(), memory_.data() + bytes_, untouched);
  }
  /// Bytes that changed outside the rows; forgets the rows.
  [[nodiscard]] Index changed_outside() {
    for (std::byte* row : rows_) std::fill_n(row, row_bytes_, untouched);
    return changed();
  }

 private:
  static constexpr std::byte untouched{0x55};  // of AlignedBytes
  Index row_bytes_, step_;
  std::size_t bytes_;
  AlignedBytes memory_;
  std::vector<std::byte*> rows_{};
};

struct Case {
  bool reads = true, writes = true, non_temporal = false;
  bool last_asks = false;  // for the next tile
  double scale = 1;
  Index phase = 0;  // of the rows
  int tiles = 1;    // neighbours in the rows
};

// Pencils of as many tiles as there are.
template <class T>
void expect_the_bits_of_run(const Kernel& kernel, std::vector<Pencil> pencils, const Case& c, std::mt19937_64& random) {
  const int own = kernel.in().pencils;
  const Index n = kernel.in().length, offset = 48, tile = 2 * own * static_cast<Index>(sizeof(T));
  const auto buffer = static_cast<Index>((kernel.buffer_bytes() + 63) / 64 * 64);
  const TilesInRow tiles{c.tiles, 2 * buffer};
  pencils.resize(static_cast<std::size_t>(c.tiles * own));
  ScatteredRows<T> source(random, n, c.tiles * own, c.phase),
      target(random, n, c.tiles * own, c.non_temporal ? 0 : c.phase);
  AlignedBytes buffers(static_cast<std::size_t>(tiles.count * tiles.apart));
  std::byte* const a = buffers.data();
  for (int v = 0; v < c.tiles * own; ++v) {
    if (c.reads)
      source.put(v, pencils[static_cast<std::size_t>(v)]);
    else
      put<T>(kernel.in(), a + v / own * tiles.apart, v % own, pencils[static_cast<std::size_t>(v)]);
  }
  const auto from = source.before(offset), to = target.before(offset);
  const std::array<Index, 2> streams = !c.non_temporal ? std::array<Index, 2>{0, 0}
                                       : c.scale == 1
                                           ? std::array<Index, 2>{0, n}
                                           : std::array<Index, 2>{n / 3, n - n / 4};  // none, all, some of the rows
  std::vector<RowSource> in;
  std::vector<RowTarget> out;
  for (int i = 0; i < c.tiles; ++i) {
    in.push_back({.rows = from.data(),
                  .offset = offset + i * tile,
                  .prefetch_distance = c.non_temporal && !c.last_asks ? c.tiles * tile : 0});
    out.push_back({.rows = to.data(),
                   .offset = offset + i * tile,
                   .scale = c.scale,
                   .non_temporal_lo = streams[0],
                   .non_temporal_hi = streams[1],
                   .next = c.last_asks ? from.data() : nullptr,
                   .next_offset = offset + (c.tiles + i) * tile});
  }
  std::byte* const result =
      kernel.run_rows(c.reads ? in.data() : nullptr, c.writes ? out.data() : nullptr, tiles, a, a + buffer);
  const auto expected = [&](int v) {
    return transformed<T>(kernel, {pencils.begin() + v / own * own,
                                   pencils.begin() + (v / own + 1) * own})[static_cast<std::size_t>(v % own)];
  };
  for (int v = 0; v < c.tiles * own; ++v) {
    if (c.writes)
      EXPECT_EQ(target.take(v), scaled<T>(expected(v), c.scale)) << n << ", pencil " << v;
    else
      EXPECT_EQ(take<T>(kernel.out(), result + v / own * tiles.apart, v % own), expected(v)) << n << ", pencil " << v;
  }
  for (int v = 0; c.reads && v < c.tiles * own; ++v)
    EXPECT_EQ(source.take(v), pencils[static_cast<std::size_t>(v)]) << n << ", pencil " << v << " was read only";
  EXPECT_EQ(source.changed_outside(), 0) << n;
  EXPECT_EQ(c.writes ? target.changed_outside() : target.changed(), 0) << n;
}

template <class T>
class MemoryRows : public ::testing::Test {};
TYPED_TEST_SUITE(MemoryRows, FloatAndDouble);

TYPED_TEST(MemoryRows, GiveTheBitsOfATileThatWasGatheredAndIsScattered) {
  using T = TypeParam;
  on_every_target([] {
    std::mt19937_64 random(7);
    Sample sample;
    int readers = 0, writers = 0;
    for (const Index n : row_lengths())
      for (const bool across : {false, true})
        for (const Transform1d t : {Transform1d::forward, Transform1d::backward}) {
          const auto kernel = native_engine().make({.n = n, .transform = t, .scalar = scalar_of<T>, .strided = across});
          std::vector<Pencil> pencils;
          for (int v = 0; v < 2 * kernel->in().pencils; ++v) pencils.push_back(random_pencil<T>(random, n, false));
          const bool reads = kernel->reads_rows(), writes = kernel->writes_rows();
          readers += reads, writers += writes;
          for (const int tiles : {1, 2}) {
            if (reads)
              expect_the_bits_of_run<T>(*kernel, pencils, {.writes = false, .phase = 8, .tiles = tiles}, random);
            if (writes)
              expect_the_bits_of_run<T>(*kernel, pencils, {.reads = false, .scale = 0.3, .phase = 8, .tiles = tiles},
                                        random);
            for (const bool non_temporal : {false, true})
              for (const double scale : {1.0, 0.3})
                if (reads && writes && sample.takes())
                  expect_the_bits_of_run<T>(*kernel, pencils,
                                            {.non_temporal = non_temporal,
                                             .last_asks = scale == 1,
                                             .scale = scale,
                                             .phase = 16,
                                             .tiles = tiles},
                                            random);
          }
        }
    const bool vectors = native_engine().make({8, Transform1d::forward, scalar_of<T>})->in().pencils > 1;
    EXPECT_EQ(readers > 20, vectors);
    EXPECT_EQ(writers > 20, vectors);
  });
}

TEST(MemoryRows, AreForComplexTransformsInVectorsOnly) {
  for (const Transform1d t : {Transform1d::r2c, Transform1d::c2r}) {
    const auto kernel = native_engine().make({64, t, Scalar::f64});
    EXPECT_FALSE(kernel->reads_rows() || kernel->writes_rows());
  }
  const auto none = native_engine().make({1, Transform1d::forward, Scalar::f64});
  EXPECT_FALSE(none->reads_rows() || none->writes_rows());
  const auto prime = native_engine().make({347, Transform1d::forward, Scalar::f64});
  EXPECT_FALSE(prime->reads_rows() || prime->writes_rows());
}

}  // namespace
}  // namespace shardfft::testing
