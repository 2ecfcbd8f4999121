// Engine fftw: measured 1-D plans of FFTW 3, both precisions.
#include <dlfcn.h>
#include <fftw3.h>

#include <mutex>
#include <numbers>

#include <fmt/format.h>

#include "engine/registry.hpp"
#include "engine/row_kernel.hpp"
#include "shardfft/error.hpp"
#include "support/comm/forked.hpp"
#include "support/end_weights.hpp"
#include "support/handle.hpp"
#include "support/memory/buffer.hpp"

namespace shardfft {
namespace {

/// FFTW's planner, wisdom and plan destruction share global state; only execution may run in parallel.
ForkMutex& planner() {
  static ForkMutex mutex;
  return mutex;
}

/// FFTW's names for one precision.
template <class T>
struct Api;
#define SHARDFFT_FFTW_API(T, X)                                         \
  template <>                                                           \
  struct Api<T> {                                                       \
    using Plan = X##plan;                                               \
    using Complex = X##complex;                                         \
    using Dim = X##iodim64;                                             \
    static constexpr auto plan_c2c = X##plan_guru64_dft;                \
    static constexpr auto plan_r2c = X##plan_guru64_dft_r2c;            \
    static constexpr auto plan_c2r = X##plan_guru64_dft_c2r;            \
    static constexpr auto plan_r2r = X##plan_guru64_r2r;                \
    static constexpr auto execute_c2c = X##execute_dft;                 \
    static constexpr auto execute_r2c = X##execute_dft_r2c;             \
    static constexpr auto execute_c2r = X##execute_dft_c2r;             \
    static constexpr auto execute_r2r = X##execute_r2r;                 \
    static constexpr auto destroy = X##destroy_plan;                    \
    static constexpr auto print = X##sprint_plan;                       \
    static constexpr auto export_wisdom = X##export_wisdom_to_string;   \
    static constexpr auto import_wisdom = X##import_wisdom_from_string; \
  };
SHARDFFT_FFTW_API(double, fftw_)
SHARDFFT_FFTW_API(float, fftwf_)
#undef SHARDFFT_FFTW_API

template <class T>
void destroy_plan(typename Api<T>::Plan plan) {
  const std::lock_guard lock(planner());
  Api<T>::destroy(plan);
}

/// Text that FFTW allocated with malloc.
std::string taken(char* text) {
  const std::string copy = text == nullptr ? "" : text;
  std::free(text);
  return copy;
}

/// Measuring long transforms takes longer than it saves; the estimate for these is as good, and always the same.
unsigned effort(Index n) { return (n <= (Index{1} << 15) ? FFTW_MEASURE : FFTW_ESTIMATE) | FFTW_DESTROY_INPUT; }

/// Beyond, planning takes memory and time that depend on the length.
constexpr Index longest_to_look_at = Index{1} << 20;

template <class T>
class FftwKernel final : public RowKernel {
  using A = Api<T>;

 public:
  explicit FftwKernel(const KernelRequest& request)
      : RowKernel(request), text_(fmt::format("of length {}, planned when it runs", request.n)) {
    if (request.looks_only && request.n > longest_to_look_at) return;
    const Memory a(allocate(buffer_bytes(), "planning with FFTW")), b(allocate(buffer_bytes(), "planning with FFTW"));
    const std::lock_guard lock(planner());
    plan_ = decltype(plan_)(make_plan(a.get(), b.get()));
    if (!plan_)
      throw Error(Status::unsupported,
                  fmt::format("engine fftw: FFTW made no plan for length {}; choose another engine", request.n));
    text_ = taken(A::print(plan_.get()));
    std::erase(text_, '\n');
  }
  [[nodiscard]] std::string describe() const override { return "fftw " + text_; }

 private:
  typename A::Plan make_plan(std::byte* a, std::byte* b) const {
    const typename A::Dim dim{static_cast<std::ptrdiff_t>(request_.n), 1, 1};
    auto* complex_a = reinterpret_cast<typename A::Complex*>(a);
    auto* complex_b = reinterpret_cast<typename A::Complex*>(b);
    const unsigned flags = effort(request_.n);
    switch (request_.transform) {
      case Transform1d::forward:
        return A::plan_c2c(1, &dim, 0, nullptr, complex_a, complex_b, FFTW_FORWARD, flags);
      case Transform1d::backward:
        return A::plan_c2c(1, &dim, 0, nullptr, complex_a, complex_b, FFTW_BACKWARD, flags);
      case Transform1d::r2c:
        return A::plan_r2c(1, &dim, 0, nullptr, reinterpret_cast<T*>(a), complex_b, flags);
      case Transform1d::c2r:
        return A::plan_c2r(1, &dim, 0, nullptr, complex_a, reinterpret_cast<T*>(b), flags);
      default:
        return plan_r2r(reinterpret_cast<T*>(a), reinterpret_cast<T*>(b), flags);
    }
  }
  /// Plans complex numbers as two real transforms: first all real parts, then all imaginary parts.
  typename A::Plan plan_r2r(T* a, T* b, unsigned flags) const {
    constexpr fftw_r2r_kind kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11, FFTW_RODFT00,
                                       FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11, FFTW_DHT};
    const fftw_r2r_kind kind = kinds[static_cast<int>(request_.transform) - static_cast<int>(Transform1d::cosine1)];
    const int parts = request_.complex ? 2 : 1;
    const typename A::Dim dim{static_cast<std::ptrdiff_t>(request_.n), parts, parts}, both{parts, 1, 1};
    return A::plan_r2r(1, &dim, 1, &both, a, b, &kind, flags);
  }
  void pencil(std::byte* in, std::byte* out) const override {
    auto* complex_in = reinterpret_cast<typename A::Complex*>(in);
    auto* complex_out = reinterpret_cast<typename A::Complex*>(out);
    switch (request_.transform) {
      case Transform1d::r2c:
        return A::execute_r2c(plan_.get(), reinterpret_cast<T*>(in), complex_out);
      case Transform1d::c2r:
        clear_ignored<T>(in);
        return A::execute_c2r(plan_.get(), complex_in, reinterpret_cast<T*>(out));
      case Transform1d::forward:
      case Transform1d::backward:
        return A::execute_c2c(plan_.get(), complex_in, complex_out);
      default: {
        const EndWeights ends = end_weights(kind_of(request_.transform));
        this->template weigh<T>(ends.first_in, ends.last_in, std::numbers::sqrt2, in);
        A::execute_r2r(plan_.get(), reinterpret_cast<T*>(in), reinterpret_cast<T*>(out));
        this->template weigh<T>(ends.first_out, ends.last_out, std::numbers::sqrt2 / 2, out);
      }
    }
  }

  Handle<typename A::Plan, destroy_plan<T>> plan_{};
  std::string text_{};
};

/// MKL has functions with FFTW's names; linked before FFTW, it replaces it silently. Then the answer is its file, else
/// "".
std::string impostor() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&fftw_plan_guru64_dft), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string file = info.dli_fname;
  return file.find("mkl") == std::string::npos ? std::string{} : file;
}

template <class T>
void import_wisdom(const std::string& text) {
  if (!text.empty() && Api<T>::import_wisdom(text.c_str()) == 0)
    throw Error(Status::invalid_argument,
                "engine fftw: wisdom must come from the same version of FFTW, but it was not understood; delete it and "
                "tune again");
}

struct FftwEngine final : Engine {
  static constexpr std::string_view separator = "\n--- f32 ---\n";  // between the wisdom of f64 and that of f32

  [[nodiscard]] std::string_view name() const override { return "fftw"; }
  [[nodiscard]] std::string refuses(const KernelRequest& request) const override {
    if (request.n < 1) return fmt::format("engine fftw: the length must be at least 1, but it is {}", request.n);
    if (request.transform == Transform1d::cosine1 && request.n == 1)
      return "engine fftw: cosine1 has both ends, 2 points at least; got 1; use cosine2";
    const std::string other = impostor();
    return other.empty()
               ? ""
               : fmt::format("engine fftw: the functions of FFTW in this process are those of {}; link FFTW before MKL",
                             other);
  }
  [[nodiscard]] std::shared_ptr<const Kernel> make(const KernelRequest& request) const override {
    if (const std::string reason = refuses(request); !reason.empty()) throw Error(Status::unsupported, reason);
    if (request.scalar == Scalar::f32) return std::make_shared<FftwKernel<float>>(request);
    return std::make_shared<FftwKernel<double>>(request);
  }
  [[nodiscard]] std::string wisdom() const override {
    const std::lock_guard lock(planner());
    return taken(fftw_export_wisdom_to_string()).append(separator) + taken(fftwf_export_wisdom_to_string());
  }
  void load_wisdom(const std::string& text) const override {
    const std::size_t cut = text.find(separator);
    if (cut == std::string::npos) return;
    const std::lock_guard lock(planner());
    import_wisdom<double>(text.substr(0, cut));
    import_wisdom<float>(text.substr(cut + separator.size()));
  }
  [[nodiscard]] bool measures() const override { return true; }
};

}  // namespace

const Engine& fftw_engine() {
  static const FftwEngine engine;
  return engine;
}

}  // namespace shardfft
