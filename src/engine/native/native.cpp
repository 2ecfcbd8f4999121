// The engine `native`: pencils in SIMD lanes, written here, always built.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <new>

#include "engine/native/four_step/four_step_pencil.hpp"
#include "engine/native/program.hpp"
#include "engine/native/real/real_transform.hpp"
#include "engine/registry.hpp"
#include "shardfft/error.hpp"

namespace shardfft {

namespace native {
namespace {

TileFormat lanes_format(bool complex, int pencils, Index length) {
  return {.order = TileFormat::Order::lanes, .complex = complex, .pencils = pencils, .length = length};
}

bool is_real(Transform1d t) { return t == Transform1d::r2c || t == Transform1d::c2r; }

template <class T>
class NativeKernel final : public Kernel {
 public:
  NativeKernel(const KernelRequest& request, const Routines<T>& routines)
      : n_(request.n),
        real_(is_real(request.transform)),
        in_(format(request, routines.lanes, Transform1d::r2c, Transform1d::c2r)),
        out_(format(request, routines.lanes, Transform1d::c2r, Transform1d::r2c)),
        program_(request.n, request.transform, routines, request.strided) {
    in_.places = program_.places();
  }

  const TileFormat& in() const override { return in_; }
  const TileFormat& out() const override { return out_; }
  std::size_t buffer_bytes() const override {
    return static_cast<std::size_t>(program_.elements()) * 2 * sizeof(T) * static_cast<std::size_t>(in_.pencils);
  }
  std::byte* run(std::byte* a, std::byte* b) const override {
    return reinterpret_cast<std::byte*>(program_.run(reinterpret_cast<T*>(a), reinterpret_cast<T*>(b)));
  }
  bool reads_rows() const override { return program_.only_passes() != nullptr && program_.only_passes()->reads_rows(); }
  bool writes_rows() const override {
    return program_.only_passes() != nullptr && program_.only_passes()->writes_rows();
  }
  std::byte* run_rows(const RowSource* from, const RowTarget* to, const TilesInRow& tiles, std::byte* a,
                      std::byte* b) const override {
    if (from == nullptr && to == nullptr) return run(a, b);
    program_.only_passes()->run_rows(from, to, {tiles.count, tiles.apart / static_cast<Index>(sizeof(T))},
                                     reinterpret_cast<T*>(a));
    return a;
  }
  void run_each(std::span<const RowSource> from, std::span<const RowTarget> to, std::byte* a,
                std::byte* /*b*/) const override {
    const Passes<T>& passes = *program_.only_passes();
    for (std::size_t i = 0; i < from.size(); ++i) passes.run_rows(&from[i], &to[i], {}, reinterpret_cast<T*>(a));
  }
  bool takes_contiguous() const override { return program_.contiguous() != nullptr; }
  bool fills_contiguous_vectors() const override {
    return program_.contiguous()->are_whole_vectors() && program_.contiguous()->lanes() == in_.pencils;
  }
  void run_contiguous(std::span<const ContiguousPencil> pencils, std::byte* a) const override {
    program_.contiguous()->run(pencils, reinterpret_cast<T*>(a));
  }
  double nominal_flops() const override {
    const auto n = static_cast<double>(n_);
    return (real_ ? 2.5 : 5.0) * n * std::log2(n) * in_.pencils;
  }
  std::string describe() const override { return program_.describe(); }
  void add_tables(TableBytes& found) const override { program_.add_tables(found); }

 private:
  /// Reals for the transform `real_one`, a half spectrum for `half_one`.
  static TileFormat format(const KernelRequest& r, int pencils, Transform1d real_one, Transform1d half_one) {
    return lanes_format(r.transform != real_one, pencils, r.transform == half_one ? r.n / 2 + 1 : r.n);
  }

  Index n_;
  bool real_;
  TileFormat in_, out_;
  Program<T> program_;
};

/// The two buffers of a tile, at least. Tables of such lengths take many minutes to make, and nobody could run them.
template <class T>
void require_memory(const KernelRequest& request, int pencils) {
  if (request.looks_only) return;  // the machine that will run it is another one
  const double needed =
      2.0 * static_cast<double>(request.n) * (is_real(request.transform) ? 1 : 2) * sizeof(T) * pencils;
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (memory > 0 && needed > memory)
    throw Error(Status::out_of_memory, fmt::format("engine native: tiles of pencils of length {} take {:.1f} GB and "
                                                   "this machine has {:.1f} GB; transform shorter axes",
                                                   request.n, needed / 1e9, memory / 1e9));
}

template <class T>
std::shared_ptr<const Kernel> make_kernel(const KernelRequest& request) {
  if (is_r2r(request.transform)) { return make_real_kernel<T>(request, make_kernel<T>(inner_request(request))); }
  if (is_long(request)) {
    require_memory<T>(request, 1);
    return make_four_step_kernel<T>(request);
  }
  require_memory<T>(request, routines<T>().lanes);
  return std::make_shared<NativeKernel<T>>(request, routines<T>());
}

constexpr Index longest = Index{1} << 40;

class NativeEngine final : public Engine {
 public:
  std::string_view name() const override { return "native"; }

  std::string refuses(const KernelRequest& request) const override {
    if (request.transform == Transform1d::cosine1 && request.n == 1)
      return "engine native: cosine1 has both ends, 2 points at least; got 1; use cosine2";
    if (request.n >= 1 && request.n <= longest) return {};
    return fmt::format("engine native: a length must be from 1 to 2^40, got {}", request.n);
  }

  std::shared_ptr<const Kernel> make(const KernelRequest& request) const override {
    if (const std::string reason = refuses(request); !reason.empty()) throw Error(Status::unsupported, reason);
    try {
      switch (request.scalar) {
        case Scalar::f32:
          return make_kernel<float>(request);
        case Scalar::f64:
          return make_kernel<double>(request);
        case Scalar::b8:
        case Scalar::b16:
          break;  // are moved, not transformed
      }
    } catch (const std::bad_alloc&) {
      throw Error(
          Status::out_of_memory,
          fmt::format("engine native: no memory for the tables of a transform of length {}; free some or transform "
                      "shorter axes",
                      request.n));
    }
    throw Error(Status::internal, "engine native: a scalar type that does not exist");
  }
};

}  // namespace
}  // namespace native

const Engine& native_engine() {
  static const native::NativeEngine engine;
  return engine;
}

}  // namespace shardfft
