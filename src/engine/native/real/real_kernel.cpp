// Kernels of real-to-real transforms.
#include <cmath>

#include <fmt/format.h>

#include "engine/native/real/real_transform.hpp"

namespace shardfft::native {
namespace {

template <class T>
class RealKernel : public Kernel {
 public:
  RealKernel(const KernelRequest& request, std::shared_ptr<const Kernel> inner)
      : request_(request), transform_(request, std::move(inner)) {}

  const TileFormat& in() const override { return in_; }
  const TileFormat& out() const override { return out_; }
  double nominal_flops() const override {
    const auto n = static_cast<double>(request_.n);
    return (request_.complex ? 5 : 2.5) * n * std::log2(n) * in_.pencils;
  }
  std::string describe() const override {
    const KernelRequest inner = inner_request(request_);
    return fmt::format("{} of {} by {} of {}: {}", name(request_.transform), request_.n, name(inner.transform), inner.n,
                       transform_.inner().describe());
  }
  void add_tables(TableBytes& found) const override { transform_.add_tables(found); }

 protected:
  KernelRequest request_;
  RealTransform<T> transform_;
  TileFormat in_{}, out_{};
};

/// Transforms real numbers, one pencil per lane. Gather and scatter store them in the order of the steps.
template <class T>
class RealLanes final : public RealKernel<T> {
 public:
  RealLanes(const KernelRequest& request, std::shared_ptr<const Kernel> inner)
      : RealKernel<T>(request, std::move(inner)) {
    this->in_ = this->out_ = {.order = TileFormat::Order::lanes,
                              .complex = false,
                              .pencils = this->transform_.rows().pencils,
                              .length = request.n};
    this->in_.places = this->transform_.in().data();
    this->out_.places = this->transform_.out().data();
  }
  std::size_t buffer_bytes() const override { return this->transform_.inner().buffer_bytes(); }
  std::byte* run(std::byte* a, std::byte* b) const override {
    return reinterpret_cast<std::byte*>(this->transform_.run(reinterpret_cast<T*>(a), reinterpret_cast<T*>(b)));
  }
  bool reads_rows() const override { return this->transform_.reads_rows(); }
  bool writes_rows() const override { return this->transform_.writes_rows(); }
  std::byte* run_rows(const RowSource* from, const RowTarget* to, const TilesInRow& tiles, std::byte* a,
                      std::byte* b) const override {
    T* first = nullptr;
    for (Index i = tiles.count; i-- > 0;)
      first = this->transform_.run_rows(from == nullptr ? nullptr : from + i, to == nullptr ? nullptr : to + i,
                                        reinterpret_cast<T*>(a + i * tiles.apart),
                                        reinterpret_cast<T*>(b + i * tiles.apart));
    return reinterpret_cast<std::byte*>(first);
  }
};

/// Transforms the two parts of complex numbers one after the other, and long pencils one at a time. Elements are in
/// natural order.
template <class T>
class RealParts final : public RealKernel<T> {
 public:
  RealParts(const KernelRequest& request, std::shared_ptr<const Kernel> inner)
      : RealKernel<T>(request, std::move(inner)), parts_(request.complex ? 2 : 1) {
    const int pencils = this->transform_.rows().pencils;
    const auto scalars = [](Index count) {
      return (count * static_cast<Index>(sizeof(T)) + 63) / 64 * 64 / static_cast<Index>(sizeof(T));
    };
    this->in_ = {.order = pencils == 1 ? TileFormat::Order::rows : TileFormat::Order::lanes,
                 .complex = request.complex,
                 .pencils = pencils,
                 .length = request.n,
                 .ld = pencils == 1 ? scalars(request.n * parts_) : 0};
    this->out_ = this->in_;
    apart_ = scalars(static_cast<Index>(this->transform_.inner().buffer_bytes() / sizeof(T)));
    buffer_ = scalars(std::max(parts_ * apart_, this->in_.scalars()));
  }
  std::size_t buffer_bytes() const override { return static_cast<std::size_t>(buffer_) * sizeof(T); }

  /// Both parts leave `a` before one of them is transformed, and both are done before one returns.
  std::byte* run(std::byte* a, std::byte* b) const override {
    T *x = reinterpret_cast<T*>(a), *y = reinterpret_cast<T*>(b);
    const RealTransform<T>& t = this->transform_;
    for (Index part = 0; part < parts_; ++part)
      t.rows().copy({.to = t.in().data(), .count = this->request_.n, .from_times = parts_, .from_plus = part}, x,
                    y + part * apart_);
    T* done = nullptr;  // both parts' results are in the same buffer
    for (Index part = parts_; part-- > 0;) done = t.run(y + part * apart_, x + part * apart_);
    T* const result = done == y ? x : y;
    for (Index part = 0; part < parts_; ++part)
      t.rows().copy({.from = t.out().data(), .count = this->request_.n, .to_times = parts_, .to_plus = part},
                    done + part * apart_, result);
    return reinterpret_cast<std::byte*>(result);
  }

 private:
  Index parts_, apart_ = 0, buffer_ = 0;
};

}  // namespace

template <class T>
std::shared_ptr<const Kernel> make_real_kernel(const KernelRequest& request, std::shared_ptr<const Kernel> inner) {
  if (!request.complex && inner->in().pencils > 1) return std::make_shared<RealLanes<T>>(request, std::move(inner));
  return std::make_shared<RealParts<T>>(request, std::move(inner));
}

template std::shared_ptr<const Kernel> make_real_kernel<float>(const KernelRequest&, std::shared_ptr<const Kernel>);
template std::shared_ptr<const Kernel> make_real_kernel<double>(const KernelRequest&, std::shared_ptr<const Kernel>);

}  // namespace shardfft::native
