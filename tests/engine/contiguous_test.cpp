// Pencils that are contiguous in memory, transformed without a tile, have the bits of a gather, run() and a scatter,
// and nothing else is touched.
#include <algorithm>
#include <cmath>

#include "engine/native/factors.hpp"
#include "engine/pencils.hpp"
#include "engine/registry.hpp"
#include "engine/targets.hpp"

namespace shardfft::testing {
namespace {

constexpr Index contiguous_lengths[] = {
    1,   2,   8,   16,  32,   40,   48,   50,   56,   60,   64,   72,   80,   90,   96,   100,  104,  110,  112, 125,
    128, 144, 160, 176, 192,  196,  197,  200,  208,  240,  250,  256,  270,  272,  384,  500,  512,  640,  686, 720,
    768, 784, 900, 999, 1000, 1024, 1080, 1512, 1536, 1568, 1872, 1920, 2000, 2048, 2560, 3430, 4000, 4096, 7200};

template <class T>
constexpr Scalar scalar_named = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;

/// A pencil in memory, of complex numbers or reals, that begins `phase` bytes after a line, with bytes before and after
/// it that nobody may write.
template <class T>
class PencilInMemory {
 public:
  PencilInMemory(const TileFormat& format, Index phase)
      : length_(format.length),
        parts_(format.complex ? 2 : 1),
        begin_(64 + phase),
        bytes_(static_cast<std::size_t>(begin_ + size() + 64)),
        memory_(bytes_) {}
  [[nodiscard]] std::byte* data() { return memory_.data() + begin_; }
  void put(const Pencil& pencil) {
    for (Index k = 0; k < length_; ++k) {
      at(k)[0] = static_cast<T>(pencil[static_cast<std::size_t>(k)].real());
      if (parts_ == 2) at(k)[1] = static_cast<T>(pencil[static_cast<std::size_t>(k)].imag());
    }
  }
  [[nodiscard]] Pencil take() {
    Pencil pencil;
    for (Index k = 0; k < length_; ++k) pencil.emplace_back(at(k)[0], parts_ == 2 ? at(k)[1] : T(0));
    return pencil;
  }
  [[nodiscard]] bool is_whole_around() {
    const auto untouched = [](std::byte b) { return b == std::byte{0x55}; };
    return std::all_of(memory_.data(), data(), untouched) &&
           std::all_of(data() + size(), memory_.data() + bytes_, untouched);
  }

 private:
  [[nodiscard]] Index size() const { return length_ * parts_ * static_cast<Index>(sizeof(T)); }
  T* at(Index k) { return reinterpret_cast<T*>(data()) + k * parts_; }
  Index length_, parts_, begin_;
  std::size_t bytes_;
  AlignedBytes memory_;
};

/// Numbers and their signs, which a zero has, too.
template <class T>
std::vector<std::pair<T, bool>> bits(const Pencil& pencil) {
  std::vector<std::pair<T, bool>> result;
  for (const auto& x : pencil)
    for (const Wide part : {x.real(), x.imag()}) result.emplace_back(static_cast<T>(part), std::signbit(part));
  return result;
}

struct ContiguousCase {
  Index phase = 0;
  double scale = 1;
  bool non_temporal = false, in_place = false;
  Index prefetch_distance = 0;
};

template <class T>
void expect_the_bits_of_run(const Kernel& kernel, const Pencil& pencil, const Pencil& expected,
                            const ContiguousCase& c) {
  PencilInMemory<T> source(kernel.in(), c.phase), target(kernel.out(), c.non_temporal ? 0 : c.phase / 2);
  AlignedBytes scratch(kernel.buffer_bytes());
  source.put(pencil);
  kernel.run_contiguous(std::array{ContiguousPencil{.from = source.data(),
                                                    .to = target.data(),
                                                    .prefetch_distance = c.prefetch_distance,
                                                    .scale = c.scale,
                                                    .non_temporal = c.non_temporal}},
                        scratch.data());
  EXPECT_EQ(bits<T>(target.take()), bits<T>(scaled<T>(expected, c.scale)));
  EXPECT_EQ(bits<T>(source.take()), bits<T>(pencil)) << "the source";
  EXPECT_TRUE(source.is_whole_around() && target.is_whole_around());
}

/// In memory that has room for the longer of both.
template <class T>
void expect_the_same_in_place(const Kernel& kernel, const Pencil& pencil, const Pencil& expected,
                              const ContiguousCase& c) {
  const auto scalars = [](const TileFormat& f) { return f.length * (f.complex ? 2 : 1); };
  PencilInMemory<T> room(scalars(kernel.in()) < scalars(kernel.out()) ? kernel.out() : kernel.in(), c.phase),
      source(kernel.in(), 0), target(kernel.out(), 0);
  AlignedBytes scratch(kernel.buffer_bytes());
  source.put(pencil);
  std::memcpy(room.data(), source.data(), static_cast<std::size_t>(scalars(kernel.in())) * sizeof(T));
  kernel.run_contiguous(std::array{ContiguousPencil{.from = room.data(),
                                                    .to = room.data(),
                                                    .prefetch_distance = c.prefetch_distance,
                                                    .scale = c.scale,
                                                    .non_temporal = c.non_temporal}},
                        scratch.data());
  std::memcpy(target.data(), room.data(), static_cast<std::size_t>(scalars(kernel.out())) * sizeof(T));
  EXPECT_EQ(bits<T>(target.take()), bits<T>(scaled<T>(expected, c.scale))) << "in place";
  EXPECT_TRUE(room.is_whole_around());
}

/// All of them in one call. Kernels may take two at a time: an even number and an odd one of them.
template <class T>
void expect_the_same_together(const Kernel& kernel, std::span<const Pencil> pencils,
                              const std::vector<Pencil>& expected) {
  std::vector<PencilInMemory<T>> sources, targets;
  std::vector<ContiguousPencil> calls;
  for (const Pencil& pencil : pencils) {
    sources.emplace_back(kernel.in(), 16).put(pencil);
    calls.push_back({.from = sources.back().data(), .to = targets.emplace_back(kernel.out(), 48).data()});
  }
  constexpr std::size_t guard = 4096;
  AlignedBytes scratch(kernel.buffer_bytes() + guard);
  kernel.run_contiguous(calls, scratch.data());
  const std::byte* const end = scratch.data() + kernel.buffer_bytes();
  EXPECT_TRUE(std::all_of(end, end + guard, [](std::byte b) { return b == std::byte{0x55}; })) << "behind the scratch";
  for (std::size_t v = 0; v < pencils.size(); ++v) {
    EXPECT_EQ(bits<T>(targets[v].take()), bits<T>(expected[v])) << "together, pencil " << v;
    EXPECT_TRUE(targets[v].is_whole_around());
  }
}

template <class T>
class ContiguousPencils : public ::testing::Test {};
TYPED_TEST_SUITE(ContiguousPencils, FloatAndDouble);

struct Taken {
  int all = 0;
  int unaligned = 0;  ///< the complex length is no multiple of the lanes
};

/// How many of `transforms` of the lengths above were taken, each of them with the bits of run().
template <class T>
Taken taken(std::initializer_list<Transform1d> transforms) {
  std::mt19937_64 random(11);
  Taken count;
  for (const Index n : contiguous_lengths)
    for (const Transform1d t : transforms) {
      const auto kernel = native_engine().make({n, t, scalar_named<T>});
      if (!kernel->takes_contiguous()) continue;
      SCOPED_TRACE(std::string(name(t)) + " " + std::to_string(n) + ": " + kernel->describe());
      ++count.all;
      const bool is_real = kernel->in().complex != kernel->out().complex;
      if (n / (is_real ? 2 : 1) % kernel->in().pencils != 0) ++count.unaligned;
      std::vector<Pencil> pencils{
          Pencil(static_cast<std::size_t>(kernel->in().length))};  // zeros, whose results have signs
      while (pencils.size() < static_cast<std::size_t>(kernel->in().pencils))
        pencils.push_back(random_pencil<T>(random, kernel->in().length, is_real_in(t)));
      const std::vector<Pencil> expected = transformed<T>(*kernel, pencils);
      expect_the_same_together<T>(*kernel, pencils, expected);
      expect_the_same_together<T>(*kernel, std::span(pencils).first(pencils.size() - 1), expected);
      for (const std::size_t v : {std::size_t{0}, std::size_t{1}, pencils.size() - 1}) {
        const bool streams =
            kernel->fills_contiguous_vectors() &&
            kernel->out().length * static_cast<Index>(sizeof(T)) * (kernel->out().complex ? 2 : 1) % 64 == 0;
        for (const ContiguousCase& c :
             {ContiguousCase{}, ContiguousCase{.phase = 16, .scale = 0.3, .prefetch_distance = 4096},
              ContiguousCase{.scale = 0.7, .non_temporal = streams, .prefetch_distance = 64},
              ContiguousCase{.phase = 48, .non_temporal = streams}})
          expect_the_bits_of_run<T>(*kernel, pencils[v], expected[v], c);
        expect_the_same_in_place<T>(*kernel, pencils[v], expected[v], {.phase = 32, .scale = 0.3});
        expect_the_same_in_place<T>(*kernel, pencils[v], expected[v], {.non_temporal = streams});
      }
    }
  return count;
}

/// Vectors of 32 bytes and more.
template <class T>
void expect_as_many(int count, int least_of_eight_lanes) {
  const std::size_t lanes =
      static_cast<std::size_t>(native_engine().make({8, Transform1d::forward, scalar_named<T>})->in().pencils);
  const auto [least, most] =
      lanes * sizeof(T) < 32 ? std::pair{0, 0} : std::pair{lanes <= 8 ? least_of_eight_lanes : 4, 1000};
  EXPECT_TRUE(least <= count && count <= most) << count << " with " << lanes << " lanes";
}

/// A first radix may be any that is no shorter than a vector, or than one of half the width. Builds for sanitizers have
/// few of them.
template <class T>
bool are_unaligned() {
  const native::Routines<T>& widest = native::routines<T>();
  const native::Routines<T>* narrower = native::narrower(widest);
  return std::ranges::any_of(native::own_radices, [&](Index radix) {
    return native::runs_along_pencils(radix) && radix >= (narrower ? narrower : &widest)->lanes &&
           radix % widest.lanes != 0;
  });
}

TYPED_TEST(ContiguousPencils, HaveTheBitsOfATile) {
  on_every_target([] {
    const Taken count = taken<TypeParam>({Transform1d::forward, Transform1d::backward});
    expect_as_many<TypeParam>(count.all, 20);
    EXPECT_EQ(count.unaligned > 0, count.all > 0 && are_unaligned<TypeParam>());
  });
}

TYPED_TEST(ContiguousPencils, OfRealsHaveTheBitsOfATile) {
  on_every_target([] {
    int all = 0;
    for (const Transform1d t : {Transform1d::r2c, Transform1d::c2r}) {
      const Taken count = taken<TypeParam>({t});
      all += count.all;
      EXPECT_EQ(count.unaligned > 0, count.all > 0 && are_unaligned<TypeParam>()) << name(t);
    }
    expect_as_many<TypeParam>(all, 16);
  });
}

TEST(ContiguousPencils, AreForTransformsOfSeveralPassesWithoutConvolutions) {
  for (const auto& [n, t, scalar] : {std::tuple{255, Transform1d::r2c, Scalar::f64},
                                     {16, Transform1d::c2r, Scalar::f64},
                                     {2 * 8 * 347, Transform1d::r2c, Scalar::f64},
                                     {8, Transform1d::forward, Scalar::f64},
                                     {347, Transform1d::forward, Scalar::f64},
                                     {8 * 347, Transform1d::backward, Scalar::f32}})
    EXPECT_FALSE(native_engine().make({n, t, scalar})->takes_contiguous()) << n;
}

// In vectors of 64 bytes: 32 f64 are four columns of a first radix 8, 128 f32 eight of 16, half a vector each; 56 and
// 240 are seven and fifteen, whose halves overlap.
TEST(ContiguousPencils, MayHaveFewerColumnsThanAVector) {
  on_every_target([] {
    for (const auto& [n, scalar] :
         {std::pair{32, Scalar::f64}, {56, Scalar::f64}, {128, Scalar::f32}, {240, Scalar::f32}}) {
      const auto kernel = native_engine().make({n, Transform1d::forward, scalar});
      if (kernel->in().pencils * size_of(scalar) == 64) { EXPECT_TRUE(kernel->takes_contiguous()) << n; }
    }
    const auto kernel = native_engine().make({40, Transform1d::forward, Scalar::f64});
    EXPECT_FALSE(kernel->in().pencils == 8 && kernel->takes_contiguous() && kernel->fills_contiguous_vectors())
        << "too little to do at a time";
  });
}

// 64 f32 are 8 x 8 and 343 f64 are 7 x 7 x 7: too few for vectors of 64 bytes, enough for those of 32.
TYPED_TEST(ContiguousPencils, TakeVectorsOfHalfTheWidthAloneOnly) {
  on_every_target([] {
    if (native::narrower(native::routines<TypeParam>()) == nullptr) return;
    for (const Index n : {sizeof(TypeParam) == 4 ? 64 : 343, sizeof(TypeParam) == 4 ? 1000 : 49}) {
      const auto kernel = native_engine().make({n, Transform1d::forward, scalar_named<TypeParam>});
      EXPECT_TRUE(kernel->takes_contiguous()) << n;
      EXPECT_FALSE(kernel->takes_contiguous() && kernel->fills_contiguous_vectors()) << n << ": full tiles are faster";
    }
  });
}

}  // namespace
}  // namespace shardfft::testing
