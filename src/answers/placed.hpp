// Arrays of files as parts of others that are larger.
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "files/file_runs.hpp"
#include "passes/two.hpp"
#include "plan/operators/factor_rows.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/files.hpp"

namespace shardfft {

/// Each mode becomes its product with factor(mode's number, the one beside it), made in numbers of the plan.
template <class T, class Factor>
void multiply_modes(const Modes& m, const std::byte* second, Factor&& factor) {
  const auto* beside = reinterpret_cast<const std::complex<T>*>(second);
  constexpr Index together = 256;
  std::complex<T> row[together];
  for (Index begin = 0; begin < m.count; begin += together) {
    const Index count = std::min(together, m.count - begin);
    for (Index i = 0; i < count; ++i) row[i] = factor(begin + i, beside[(begin + i) * m.step]);
    multiply_row(m.values<T>().data() + begin, row, count);
  }
}
template <class T>
void multiply_modes(const Modes& m, const std::byte* second) {
  multiply_modes<T>(m, second, [](Index, std::complex<T> other) { return other; });
}

/// Options that make bits depend on the array alone: the last axis first.
[[nodiscard]] Options last_axis_first(Options options, const Problem& problem);
/// Throws Error(invalid_argument) unless all axes are Fourier's and whole. `call` names the caller.
void require_whole_spectrum(const Problem& problem, const char* call);

namespace files {

/// Throws Error(unsupported) for arrays of another order than C.
void require_c_order(const File& file);
/// Collective. Throws Error(io_failed) if one is not as it was when it was opened.
void check_unchanged(const Comm& comm, const std::vector<File>& inputs);
/// Collective. Scratch files lie beside `out` if that is a file, unless folders are named.
[[nodiscard]] OutOfCore scratch_beside(const Comm& comm, const File& out, OutOfCore how);

/// Reads and writes boxes of files, in C order, with the memory that passes count for that.
class BoxIo {
 public:
  BoxIo(const Problem& problem, Index memory_bytes);

  [[nodiscard]] Dtype type() const { return plan_dtype(precision_, complex_); }
  void read(const File& file, const Box& box, std::byte* to) const;
  void write(const File& file, const Box& box, const std::byte* from) const;
  /// work(slab) for parts of a box of at most buffer_bytes(), or of one row, in C order.
  template <class Work>
  void for_each_slab(const Box& box, Work&& work) const {
    if (box.count() == 0) return;
    Index room = std::max<Index>(1, buffer_bytes_ / type().size), axis = 0;
    Index rest = box.count() / box.extent(0);
    while (axis + 1 < box.dims() && rest > room) rest /= box.extent(static_cast<int>(++axis));
    const int cut = static_cast<int>(axis);
    const Index step = std::max<Index>(1, room / rest);
    Box starts = box;
    for (int a = cut; a < box.dims(); ++a) starts.hi[a] = starts.lo[a] + 1;
    for_each_position(starts, {}, [&](const Coord& first) {
      Box slab = box;
      for (int a = 0; a < cut; ++a) slab.lo[a] = first[a], slab.hi[a] = first[a] + 1;
      for (Index lo = box.lo[cut]; lo < box.hi[cut]; lo += step) {
        slab.lo[cut] = lo, slab.hi[cut] = std::min(lo + step, box.hi[cut]);
        work(slab);
      }
    });
  }
  [[nodiscard]] Index buffer_bytes() const { return buffer_bytes_; }

 private:
  [[nodiscard]] FilePart part(const File& file, const Box& box) const;
  Precision precision_;
  bool complex_;
  Index piece_bytes_, buffer_bytes_;
};

/// A file's array among zeros in an array of other extents: its element `centre` at index 0, the others around it,
/// where they wrap.
class Placed final : public ArrayOutside {
 public:
  Placed(File file, const Shape& all, const Coord& centre, const BoxIo& io)
      : file_(std::move(file)), all_(all), centre_(centre), io_(io) {}
  [[nodiscard]] std::string name() const override { return file_.name(); }
  [[nodiscard]] ArrayInfo info() const override { return {all_, io_.type(), {}}; }
  void read(const Box& box, std::byte* to) override;
  void write(const Box&, const std::byte*) override {}
  [[nodiscard]] Index memory_bytes() const override;

 private:
  File file_;
  Shape all_;
  Coord centre_;
  BoxIo io_;
  std::vector<std::byte> buffer_{};
};

/// Takes an array of which a file gets the part from index 0 on.
class Cropped final : public ArrayOutside {
 public:
  Cropped(File file, const Shape& all, const BoxIo& io) : file_(std::move(file)), all_(all), io_(io) {}
  [[nodiscard]] std::string name() const override { return file_.name(); }
  [[nodiscard]] ArrayInfo info() const override { return {all_, io_.type(), {}}; }
  void read(const Box&, std::byte*) override {}
  void write(const Box& box, const std::byte* from) override;

 private:
  File file_;
  Shape all_;
  BoxIo io_;
  std::vector<std::byte> buffer_{};
};

}  // namespace files
}  // namespace shardfft
