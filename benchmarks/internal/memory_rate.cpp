// What memory gives one core: nanoseconds for a cache line of 64 bytes, best of several runs over 256 MiB in huge
// pages.
//
//   memory_rate
//
// In order: reading, storing past the cache, copying (a line is read and another one stored). As a sweep across planes
// sees an array: rows of 128 bytes 1 MiB apart, 256 of them in a tile, then the next 128 bytes of each; read as they
// come, or with the next tile's rows asked for meanwhile, and with rows that are 1 MiB + 128 bytes apart, so that they
// do not share cache sets; stored past the cache.
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include <fmt/format.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t line = 64, row = 128, rows = 256, apart = std::size_t{1} << 20, bytes = rows * apart,
                      padded = apart + row;
constexpr int runs = 7;

struct Free {
  void operator()(std::byte* p) const { std::free(p); }
};
using Memory = std::unique_ptr<std::byte, Free>;

Memory touched(std::size_t size) {
  constexpr std::size_t huge = std::size_t{2} << 20;
  size = (size + huge - 1) / huge * huge;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(huge, size)));
  if (!memory) throw std::bad_alloc();
  (void)madvise(memory.get(), size, MADV_HUGEPAGE);
  std::memset(memory.get(), 1, size);
  return memory;
}

// In as few instructions as the processor has: so many more lines are under way at once.
using Line = std::uint64_t __attribute__((vector_size(line)));

inline const Line& line_at(const std::byte* p) { return *reinterpret_cast<const Line*>(p); }

inline void store_line(std::byte* p, const Line& x) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(p), reinterpret_cast<__m512i>(x));
#elif defined(__SSE2__)
  for (std::size_t i = 0; i < line / 16; ++i)
    _mm_stream_si128(reinterpret_cast<__m128i*>(p) + i,
                     _mm_set_epi64x(static_cast<long long>(x[2 * i + 1]), static_cast<long long>(x[2 * i])));
#else
  *reinterpret_cast<Line*>(p) = x;  // through the cache
#endif
}

// Visits the lines tile by tile; `ahead`: the same line of the next tile is asked for.
template <class Visit>
void by_tiles(std::byte* data, std::size_t distance, bool ahead, Visit visit) {
  for (std::size_t tile = 0; tile < apart; tile += row)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t at = 0; at < row; at += line) {
        std::byte* const p = data + r * distance + tile + at;
        if (ahead) __builtin_prefetch(p + row, 0, 2);
        visit(p);
      }
}

volatile std::uint64_t sink;
void keep(const Line& x) { sink = x[0]; }  // so that nothing is left out by the compiler

void show(const char* what, double lines, const std::function<void()>& run) {
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    const auto start = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  fmt::print("{:<58}{:6.2f} ns a line\n", what, best * 1e9 / lines);
}

}  // namespace

int main() {
  constexpr double lines = static_cast<double>(bytes / line);
  const Memory a = touched(rows * padded), b = touched(rows * padded);
  std::byte *const from = a.get(), *const to = b.get();
  const auto reads = [&](std::size_t distance, bool ahead) {
    return [=] {
      Line sum{};
      by_tiles(from, distance, ahead, [&](const std::byte* p) { sum += line_at(p); });
      keep(sum);
    };
  };
  show("read in order", lines, [&] {
    Line sum{};
    for (std::size_t at = 0; at < bytes; at += line) sum += line_at(from + at);
    keep(sum);
  });
  show("stored past the cache in order", lines, [&] {
    for (std::size_t at = 0; at < bytes; at += line) store_line(to + at, Line{at});
  });
  show("copied in order, for each line read or stored", 2 * lines, [&] {
    for (std::size_t at = 0; at < bytes; at += line) store_line(to + at, line_at(from + at));
  });
  show("rows of 128 bytes 1 MiB apart, read", lines, reads(apart, false));
  show("the same, the next tile's asked for", lines, reads(apart, true));
  show("rows 128 bytes further apart, the next tile's asked for", lines, reads(padded, true));
  show("rows of 128 bytes 1 MiB apart, stored past the cache", lines,
       [&] { by_tiles(to, apart, false, [](std::byte* p) { store_line(p, Line{7}); }); });
}
