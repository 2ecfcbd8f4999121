#include "engine/pruned_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/kept_modes.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft {
namespace {

bool is_half(const KernelRequest& r) { return r.transform == Transform1d::r2c || r.transform == Transform1d::c2r; }

/// Calls f with a value of the scalar's type.
template <class F>
void with_number(Scalar scalar, F f) {
  if (scalar == Scalar::f32) f(float{});
  if (scalar == Scalar::f64) f(double{});
}

/// One element of all pencils of a tile.
template <class T>
struct Elements {
  T* re;
  Index step, imaginary, count;

  Elements(const TileFormat& f, std::byte* tile, Index place) : count(f.pencils) {
    const Index parts = f.complex ? 2 : 1;
    const bool lanes = f.order == TileFormat::Order::lanes;
    re = reinterpret_cast<T*>(tile) + place * parts * (lanes ? f.pencils : 1);
    step = lanes ? 1 : f.ld;
    imaginary = lanes ? f.pencils : 1;
  }
  /// Elements of one contiguous pencil.
  Elements(T* pencil, Index element) : re(pencil + 2 * element), step(1), imaginary(1), count(1) {}
};

/// The sum of two frequencies; of a half spectrum, whose second one is the conjugate of the first, twice its real part.
template <class T>
void fold(Elements<T> kept, const Elements<T>* mirrored) {
  for (Index v = 0; v < kept.count; ++v) {
    T& re = kept.re[v * kept.step];
    T& im = kept.re[v * kept.step + kept.imaginary];
    re = mirrored ? re + mirrored->re[v * mirrored->step] : 2 * re;
    im = mirrored ? im + mirrored->re[v * mirrored->step + mirrored->imaginary] : 0;
  }
}

/// Half of it to each of them.
template <class T>
void spread(Elements<T> kept, const Elements<T>* mirrored) {
  for (Index v = 0; v < kept.count; ++v) {
    T& re = kept.re[v * kept.step];
    T& im = kept.re[v * kept.step + kept.imaginary];
    re /= 2;
    im = mirrored ? im / 2 : 0;
    if (!mirrored) continue;
    mirrored->re[v * mirrored->step] = re;
    mirrored->re[v * mirrored->step + mirrored->imaginary] = im;
  }
}

class PrunedKernel final : public Kernel {
 public:
  PrunedKernel(std::shared_ptr<const Kernel> whole, const KernelRequest& r)
      : whole_(std::move(whole)),
        scalar_(r.scalar),
        from_modes_(r.kept.from_modes),
        points_{.n = r.n, .modes = r.kept.support > 0 ? r.kept.support : r.n, .periodic = false},
        modes_{.n = r.n,
               .modes = r.kept.modes > 0 ? r.kept.modes : r.n,
               .half = is_half(r),
               .periodic = !is_r2r(r.transform)},
        in_(whole_->in()),
        out_(whole_->out()) {
    put_places(in_, kept_in(), in_places_, r.looks_only);
    put_places(out_, kept_out(), out_places_, r.looks_only);
    if (!r.looks_only) find_zeros();
  }

  const TileFormat& in() const override { return in_; }
  const TileFormat& out() const override { return out_; }
  std::size_t buffer_bytes() const override {
    const std::size_t contiguous = takes_contiguous() ? bytes_of(whole_->in()) + bytes_of(whole_->out()) : 0;
    return round_up(whole_->buffer_bytes(), cache_line) +
           std::max(contiguous, reads_rows() || writes_rows() ? tables_bytes() : 0);
  }
  std::byte* run(std::byte* a, std::byte* b) const override {
    fill(a);
    std::byte* result = whole_->run(a, b);
    finish(result);
    return result;
  }
  bool reads_rows() const override { return whole_->reads_rows() && !(spreads() && modes_.half); }
  bool writes_rows() const override { return whole_->writes_rows() && !folds(); }
  std::byte* run_rows(const RowSource* from, const RowTarget* to, const TilesInRow& tiles, std::byte* a,
                      std::byte* b) const override {
    if (from == nullptr && to == nullptr) return run(a, b);
    for (int i = 0; from == nullptr && i < tiles.count; ++i) fill(a + i * tiles.apart);
    std::array<RowSource, most_tiles> sources;
    std::array<RowTarget, most_tiles> targets;
    if (from != nullptr && !kept_in().are_all()) from = lengthen(from, tiles.count, a, sources);
    if (to != nullptr) to = lengthen(to, from, tiles.count, a, targets);
    std::byte* result = whole_->run_rows(from, to, tiles, a, b);
    for (int i = 0; to == nullptr && i < tiles.count; ++i) finish(result + i * tiles.apart);
    return result;
  }
  bool takes_contiguous() const override { return whole_->takes_contiguous(); }
  bool fills_contiguous_vectors() const override { return whole_->fills_contiguous_vectors(); }
  void run_contiguous(std::span<const ContiguousPencil> pencils, std::byte* a) const override {
    with_number(scalar_, [&](auto zero) {
      for (const ContiguousPencil& pencil : pencils) run_one<decltype(zero)>(pencil, a);
    });
  }
  double nominal_flops() const override { return whole_->nominal_flops(); }
  std::string describe() const override {
    std::string text = whole_->describe();
    if (!points_.are_all()) text += fmt::format(", {} of {} points", points_.modes, points_.n);
    if (!modes_.are_all()) text += fmt::format(", {} of {} modes", modes_.modes, modes_.n);
    return text;
  }
  void add_tables(TableBytes& found) const override {
    whole_->add_tables(found);
    found.add(in_places_);
    found.add(out_places_);
  }

 private:
  [[nodiscard]] const KeptModes& kept_in() const { return from_modes_ ? modes_ : points_; }
  [[nodiscard]] const KeptModes& kept_out() const { return from_modes_ ? points_ : modes_; }
  /// Whether one of the modes stands for two frequencies: it becomes both, or is made of both.
  [[nodiscard]] bool spreads() const { return from_modes_ && modes_.folds(); }
  [[nodiscard]] bool folds() const { return !from_modes_ && modes_.folds(); }
  /// f(element of that mode, that of the other frequency or nullptr); `element`(frequency).
  template <class Element, class F>
  void at_shared(const Element& element, const F& f) const {
    if (modes_.half) return f(element(modes_.middle()), nullptr);
    const auto mirrored = element(modes_.mirrored());
    f(element(modes_.middle()), &mirrored);
  }

  /// Places of the first elements are those of all: only what has a gap needs some of its own.
  static void put_places(TileFormat& format, const KeptModes& kept, std::vector<Index>& places, bool looks_only) {
    if (kept.are_all()) return;
    const TileFormat whole = format;
    format.length = kept.count();
    if (looks_only || kept.index(format.length - 1) == format.length - 1) return;
    places.resize(static_cast<std::size_t>(format.length));
    for (Index k = 0; k < format.length; ++k) places[static_cast<std::size_t>(k)] = whole.place(kept.index(k));
    format.places = places.data();
  }

  /// Ranges of places of elements that nobody gathers. Tiles may have others, which are the kernel's own business.
  void find_zeros() {
    const TileFormat& whole = whole_->in();
    std::vector<char> taken(static_cast<std::size_t>(whole.length));
    for (Index k = 0; k < in_.length; ++k) taken[static_cast<std::size_t>(kept_in().index(k))] = 1;
    if (spreads() && !modes_.half) taken[static_cast<std::size_t>(modes_.mirrored())] = 1;
    std::vector<Index> places;
    for (Index k = 0; k < whole.length; ++k)
      if (!taken[static_cast<std::size_t>(k)]) places.push_back(whole.place(k));
    std::sort(places.begin(), places.end());
    for (const Index p : places) {
      if (zeros_.empty() || zeros_.back().second != p) zeros_.emplace_back(p, p);
      zeros_.back().second = p + 1;
    }
  }

  void fill(std::byte* tile) const {
    const auto element = static_cast<Index>(size_of(scalar_)) * (in_.complex ? 2 : 1);
    const bool lanes = in_.order == TileFormat::Order::lanes;
    const Index row = element * (lanes ? in_.pencils : 1), rows = lanes ? 1 : in_.pencils;
    for (const auto& [lo, hi] : zeros_)
      for (Index v = 0; v < rows; ++v)
        std::memset(tile + v * in_.ld * static_cast<Index>(size_of(scalar_)) + lo * row, 0,
                    static_cast<std::size_t>((hi - lo) * row));
    if (!spreads()) return;
    with_number(scalar_, [&](auto zero) {
      using T = decltype(zero);
      at_shared([&](Index k) { return Elements<T>(whole_->in(), tile, whole_->in().place(k)); }, spread<T>);
    });
  }

  void finish(std::byte* tile) const {
    if (!folds()) return;
    with_number(scalar_, [&](auto zero) {
      using T = decltype(zero);
      at_shared([&](Index k) { return Elements<T>(whole_->out(), tile, whole_->out().place(k)); }, fold<T>);
    });
  }

  [[nodiscard]] std::size_t bytes_of(const TileFormat& pencil) const {
    return round_up(static_cast<std::size_t>(pencil.length) * size_of(scalar_) * (pencil.complex ? 2 : 1), cache_line);
  }

  // The most tiles that a caller takes at once.
  static constexpr std::size_t most_tiles = 8;

  // Behind the kernel's buffer: addresses of rows to read, of rows to write, a row of zeros, and one for half of what
  // two frequencies share.
  [[nodiscard]] std::size_t table_bytes() const {
    return round_up(static_cast<std::size_t>(whole_->in().length) * sizeof(std::byte*), cache_line);
  }
  [[nodiscard]] std::size_t row_bytes() const {
    return most_tiles * static_cast<std::size_t>(in_.pencils) * size_of(scalar_) * 2;
  }
  [[nodiscard]] std::size_t tables_bytes() const { return 2 * table_bytes() + 2 * row_bytes(); }
  [[nodiscard]] std::byte* tables(std::byte* a) const { return a + round_up(whole_->buffer_bytes(), cache_line); }

  /// Fills a table for the whole pencil: rows of kept elements, and `other` everywhere else.
  template <class Byte>
  void put_rows(Byte* const* rows, const KeptModes& kept, Byte* other, Byte** table) const {
    const Index first = kept.first(), rest = kept.count() - first, all = whole_->in().length;
    std::copy_n(rows, first, table);
    std::fill(table + first, table + all - rest, other);
    std::copy_n(rows + first, rest, table + all - rest);
  }

  const RowSource* lengthen(const RowSource* from, int tiles, std::byte* a,
                            std::array<RowSource, most_tiles>& all) const {
    auto* const table = reinterpret_cast<const std::byte**>(tables(a));
    std::byte* const zeros = tables(a) + 2 * table_bytes();
    std::byte* const half = zeros + row_bytes();
    const auto counted_from = [&](const std::byte* row) {  // to which each tile's offset is added
      return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(row) -
                                                static_cast<std::uintptr_t>(from->offset));
    };
    std::memset(zeros, 0, row_bytes());
    put_rows(from->rows, kept_in(), counted_from(zeros), table);
    if (spreads()) {
      with_number(scalar_, [&](auto zero) {
        using T = decltype(zero);
        halve(reinterpret_cast<const T*>(from->rows[modes_.middle()] + from->offset), reinterpret_cast<T*>(half),
              2 * Index{tiles} * in_.pencils);
      });
      table[modes_.middle()] = table[modes_.mirrored()] = counted_from(half);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(tiles); ++i) {
      all[i] = from[i];
      all[i].rows = table;
    }
    return all.data();
  }

  /// `from`: rows of all of the input, which may be asked for meanwhile.
  const RowTarget* lengthen(const RowTarget* to, const RowSource* from, int tiles, std::byte* a,
                            std::array<RowTarget, most_tiles>& all) const {
    auto* const table = reinterpret_cast<std::byte**>(tables(a) + table_bytes());
    const KeptModes& kept = kept_out();
    if (!kept.are_all()) put_rows<std::byte>(to->rows, kept, nullptr, table);
    for (std::size_t i = 0; i < static_cast<std::size_t>(tiles); ++i) {
      all[i] = to[i];
      if (to[i].next != nullptr) all[i].next = from[i].rows;
      if (kept.are_all()) continue;
      all[i].rows = table;
      if (to[i].non_temporal_lo == to[i].non_temporal_hi) continue;
      all[i].non_temporal_lo = kept.index(to[i].non_temporal_lo);
      all[i].non_temporal_hi = kept.index(to[i].non_temporal_hi - 1) + 1;
    }
    return all.data();
  }

  template <class T>
  static void halve(const T* from, T* to, Index count) {
    std::transform(from, from + count, to, [](T x) { return x / 2; });
  }

  /// What is cut short goes through buffers behind that of the kernel.
  template <class T>
  void run_one(const ContiguousPencil& pencil, std::byte* a) const {
    ContiguousPencil whole = pencil;
    std::byte* const room_in = a + round_up(whole_->buffer_bytes(), cache_line);
    std::byte* const room_out = room_in + bytes_of(whole_->in());
    if (!kept_in().are_all()) {
      lengthen(reinterpret_cast<const T*>(pencil.from), reinterpret_cast<T*>(room_in));
      whole.from = room_in;
      whole.prefetch_distance = 0;
    }
    if (!kept_out().are_all()) {
      whole.to = room_out;
      whole.non_temporal = false;
      if (folds()) whole.scale = 1;
    }
    whole_->run_contiguous({&whole, 1}, a);
    if (!kept_out().are_all())
      shorten(reinterpret_cast<T*>(room_out), reinterpret_cast<T*>(pencil.to),
              static_cast<T>(whole.scale == pencil.scale ? 1 : pencil.scale));
  }

  template <class T>
  void lengthen(const T* from, T* to) const {
    const KeptModes& kept = kept_in();
    const Index parts = in_.complex ? 2 : 1, all = whole_->in().length, first = kept.first(), rest = in_.length - first;
    std::copy_n(from, first * parts, to);
    std::fill(to + first * parts, to + (all - rest) * parts, T(0));
    std::copy_n(from + first * parts, rest * parts, to + (all - rest) * parts);
    if (spreads()) at_shared([&](Index k) { return Elements<T>(to, k); }, spread<T>);
  }

  template <class T>
  void shorten(T* from, T* to, T scale) const {
    if (folds()) at_shared([&](Index k) { return Elements<T>(from, k); }, fold<T>);
    const KeptModes& kept = kept_out();
    const Index parts = out_.complex ? 2 : 1, first = kept.first() * parts, rest = out_.length * parts - first;
    const T* last = from + whole_->out().length * parts - rest;
    const auto copy = [&](const T* part, Index count, T* target) {
      if (scale == 1)
        std::copy_n(part, count, target);
      else
        std::transform(part, part + count, target, [scale](T x) { return x * scale; });
    };
    copy(from, first, to);
    copy(last, rest, to + first);
  }

  std::shared_ptr<const Kernel> whole_;
  Scalar scalar_;
  bool from_modes_;
  KeptModes points_, modes_;  // those of the points are the first ones
  TileFormat in_, out_;
  std::vector<Index> in_places_{}, out_places_{};
  std::vector<std::pair<Index, Index>> zeros_{};  // places of the input, from .. to - 1
};

}  // namespace

std::shared_ptr<const Kernel> make_kernel(const Engine& engine, const KernelRequest& request) {
  KernelRequest whole = request;
  whole.kept = {};
  const bool all = (request.kept.support == 0 || request.kept.support == request.n) &&
                   (request.kept.modes == 0 || request.kept.modes == request.n);
  if (all) return engine.make(whole);
  return std::make_shared<PrunedKernel>(engine.make(whole), request);
}

}  // namespace shardfft
