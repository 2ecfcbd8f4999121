// Wiener's filter, and the iterations of Richardson and Lucy.
#include <algorithm>
#include <cmath>
#include <complex>

#include <fmt/format.h>

#include "answers/beside.hpp"
#include "answers/placed.hpp"
#include "plan/operators/owned_rows.hpp"
#include "plan/operators/wave_numbers.hpp"
#include "shardfft/answers/convolution.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/operators/spectral.hpp"
#include "shardfft/programs/team.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

void require_settings(const Deconvolution& how) {
  if (how.iterations < 0) refuse_argument(fmt::format("iterations are 1 or more; got {}", how.iterations));
  if (!(how.balance >= 0 && std::isfinite(how.balance)))
    refuse_argument(fmt::format("the balance of Wiener's filter is 0 or more, and finite; got {}", how.balance));
}

void require_deconvolution(const Plan& plan, const Deconvolution& how) {
  require_answering(plan, "deconvolve");
  if (plan.problem().kind != r2c)
    refuse_argument(fmt::format("deconvolve() is of real arrays; got {}; take a plan r2c", to_string(plan.problem())));
  require_settings(how);
}

/// Wiener's factors of a point spread function, mode by mode.
class WienerFactors {
 public:
  WienerFactors(const Problem& problem, double balance) : balance_(balance) {
    std::vector<double> lengths;
    for (const Index n : problem.shape) lengths.push_back(static_cast<double>(n));
    const WaveNumbers waves(problem, lengths);
    for (int a = 0; a < waves.dims(); ++a) tables_.push_back(waves.laplace(a, Stencil::second_order));
  }
  /// The factor of mode `i` from `first` on along `axis`.
  template <class T>
  [[nodiscard]] std::complex<T> factor(const Coord& first, int axis, Index i, std::complex<T> of_psf) const {
    double laplace = 0;
    for (int a = 0; a < first.dims(); ++a)
      laplace += tables_[static_cast<std::size_t>(a)][static_cast<std::size_t>(first[a] + (a == axis ? i : 0))];
    const std::complex<double> h(of_psf);
    const double under = std::norm(h) + balance_ * laplace * laplace;
    return std::complex<T>(under == 0 ? 0.0 : std::conj(h) / under);
  }

 private:
  double balance_;
  std::vector<AxisTable> tables_{};
};

/// Makes Wiener's factors of the spectrum of the point spread function.
template <class T>
void make_factors(const Plan& plan, std::complex<T>* spectrum, double balance) {
  const WienerFactors factors(plan.problem(), balance);
  for_each_owned_row(plan.middle(), plan.comm().rank(), allowed_threads(),
                     [&](int, const Coord& first, int axis, Index count, Index place) {
                       for (Index i = 0; i < count; ++i)
                         spectrum[place + i] = factors.factor(first, axis, i, spectrum[place + i]);
                     });
}

template <class T>
constexpr T least_blurred = T(1e-12);  // blurred zeros give no infinite corrections

template <class T>
void iterate(Plan& plan, View blurred, const Array& spectrum, View out, int iterations) {
  const Operator blur = spectral::convolve(plan, spectrum), back = spectral::correlate(plan, spectrum);
  Array lacks, corrections;
  collectively(plan.comm(), [&] { lacks = plan.make_input(), corrections = plan.make_applied(); });
  const auto count = static_cast<Index>(plan.input_bytes() / sizeof(T));
  const auto* given = static_cast<const T*>(blurred.data);
  T* estimate = const_cast<T*>(static_cast<const T*>(out.data));  // NOLINT: the caller's, who says what is written
  std::fill_n(estimate, count, T(0.5));
  T* const ratio = reinterpret_cast<T*>(lacks.data());
  const T* const changes = reinterpret_cast<const T*>(corrections.data());
  const int threads = allowed_threads();
  for (int i = 0; i < iterations; ++i) {
    plan.apply(out, corrections, blur);
    for_each_shared(threads, count, [&](Index e) { ratio[e] = given[e] / (changes[e] + least_blurred<T>); });
    plan.apply(lacks, corrections, back);
    for_each_shared(threads, count, [&](Index e) { estimate[e] *= changes[e]; });
  }
}

/// The estimate of Richardson and Lucy's iterations, in a file; it begins at 1/2.
template <class T>
class Estimate final : public files::ArrayOutside {
 public:
  Estimate(const files::TwoPasses& passes, const Shape& inside, const Shape& all, const files::BoxIo& io)
      : scratch_(passes.make_scratch()), inside_(whole(inside)), all_(all), io_(io) {}
  [[nodiscard]] std::string name() const override { return "the estimate"; }
  [[nodiscard]] files::ArrayInfo info() const override { return {all_, io_.type(), {}}; }
  void read(const Box& box, std::byte* to) override {
    if (begun_) return scratch_->read(box, to);
    T* value = reinterpret_cast<T*>(to);
    for_each_position(box, {}, [&](const Coord& at) { *value++ = inside_.contains(at) ? T(0.5) : T(0); });
  }
  /// Multiplies by corrections, those of zeros outside being none.
  void write(const Box& box, const std::byte* from) override {
    buffer_.resize(static_cast<std::size_t>(box.count()));
    read(box, reinterpret_cast<std::byte*>(buffer_.data()));
    const T* correction = reinterpret_cast<const T*>(from);
    T* value = buffer_.data();
    for_each_position(box, {}, [&](const Coord& at) {
      *value = inside_.contains(at) ? *value * *correction : T(0);
      ++value, ++correction;
    });
    scratch_->write(box, reinterpret_cast<const std::byte*>(buffer_.data()));
  }
  void begin() { begun_ = true; }

 private:
  std::unique_ptr<files::Scratch> scratch_;
  Box inside_;
  Shape all_;
  files::BoxIo io_;
  bool begun_ = false;
  std::vector<T> buffer_{};
};

/// The blurred estimate, in a file; what is read is how much it lacks of the given array.
template <class T>
class Lacks final : public files::ArrayOutside {
 public:
  Lacks(const files::TwoPasses& passes, files::File given, const Shape& inside, const Shape& all,
        const files::BoxIo& io)
      : scratch_(passes.make_scratch()), given_(std::move(given)), inside_(whole(inside)), all_(all), io_(io) {}
  [[nodiscard]] std::string name() const override { return given_.name(); }
  [[nodiscard]] files::ArrayInfo info() const override { return {all_, io_.type(), {}}; }
  void write(const Box& box, const std::byte* from) override { scratch_->write(box, from); }
  void read(const Box& box, std::byte* to) override {
    scratch_->read(box, to);
    io_.read(given_, box, given_values(box));
    const T* given = buffer_.data();
    T* value = reinterpret_cast<T*>(to);
    for_each_position(box, {}, [&](const Coord& at) {
      *value = inside_.contains(at) ? *given / (*value + least_blurred<T>) : T(0);
      ++value, ++given;
    });
  }

 private:
  [[nodiscard]] std::byte* given_values(const Box& box) {
    buffer_.resize(static_cast<std::size_t>(box.count()));
    return reinterpret_cast<std::byte*>(buffer_.data());
  }
  std::unique_ptr<files::Scratch> scratch_;
  files::File given_;
  Box inside_;
  Shape all_;
  files::BoxIo io_;
  std::vector<T> buffer_{};
};

/// Writes what it reads from an array to a file, in tiles of the last pass.
void copy_tiles(const Comm& comm, files::TwoPasses& passes, files::ArrayOutside& from, files::ArrayOutside& to) {
  collectively(comm, [&] {
    std::vector<std::byte> buffer;
    passes.for_each_result(comm, [&](const Box& box) {
      buffer.resize(static_cast<std::size_t>(box.count() * from.info().type.size));
      from.read(box, buffer.data());
      to.write(box, buffer.data());
    });
  });
}

/// Each application is a run of the same passes; half of the memory is left for what tiles are combined with.
template <class T>
void iterate_files(const Comm& comm, const files::File& blurred, const files::File& psf, const files::File& out,
                   const Problem& problem, int iterations, const Options& options, files::OutOfCore how) {
  how.memory_bytes = files::memory_of(comm, how) / 2;
  const files::BoxIo io(problem, how.memory_bytes);
  const Coord none = Coord::filled(problem.shape.dims(), 0);
  const files::File given(comm, std::make_shared<files::Placed>(blurred, problem.shape, none, io));
  files::TwoPasses passes(comm, given, psf, problem, options, how);
  const auto estimate = std::make_shared<Estimate<T>>(passes, blurred.info().shape, problem.shape, io);
  const auto lacks = std::make_shared<Lacks<T>>(passes, given, blurred.info().shape, problem.shape, io);
  const files::File guess(comm, estimate), missing(comm, lacks);
  for (int i = 0; i < iterations; ++i) {
    passes.run(guess, missing, [](const Modes& m, const std::byte* h) { multiply_modes<T>(m, h); });
    passes.run(missing, guess, [](const Modes& m, const std::byte* h) {
      multiply_modes<T>(m, h,
                        [](Index, std::complex<T> of_psf) { return std::complex<T>(of_psf.real(), -of_psf.imag()); });
    });
    estimate->begin();
  }
  files::Cropped result(out, problem.shape, io);
  copy_tiles(comm, passes, *estimate, result);
}

template <class T>
void filter_files(const Comm& comm, const files::File& blurred, const files::File& psf, const files::File& out,
                  const Problem& problem, double balance, const Options& options, const files::OutOfCore& how) {
  const auto factors = std::make_shared<const WienerFactors>(problem, balance);
  files::TwoPasses(comm, blurred, psf, problem, options, how)
      .run(blurred, out, [factors](const Modes& m, const std::byte* h) {
        multiply_modes<T>(m, h,
                          [&](Index i, std::complex<T> of_psf) { return factors->factor(m.first, m.axis, i, of_psf); });
      });
}

}  // namespace

void deconvolve(Plan& plan, View blurred, View psf, View out, const Deconvolution& how) {
  collectively(plan.comm(), [&] {
    require_deconvolution(plan, how);
    require_bytes(blurred, static_cast<Index>(plan.input_bytes()), "the blurred array");
    require_bytes(out, static_cast<Index>(plan.input_bytes()), "the result");
  });
  in_precision_of(plan, [&](auto number) {
    using T = decltype(number);
    Array spectrum = transformed_beside(plan, psf, /*whole=*/true);
    if (how.iterations > 0) return iterate<T>(plan, blurred, spectrum, out, how.iterations);
    make_factors<T>(plan, reinterpret_cast<std::complex<T>*>(spectrum.data()), how.balance);
    plan.apply(blurred, out, spectral::multiply(plan, spectrum));
  });
}

void files::deconvolve(const Comm& comm, const File& blurred, const File& psf, const File& out, Precision precision,
                       const Deconvolution& what, const Options& options, const OutOfCore& how) {
  const Shape shape = blurred.info().shape, of_psf = psf.info().shape;
  Problem problem{.shape = shape, .kind = r2c, .precision = precision};
  Coord centre = of_psf;
  require_same(comm, "the deconvolution that is asked for",
               fmt::format("iterations {}\nbalance {}\n", what.iterations, what.balance));
  collectively(comm, [&] {
    require_settings(what);
    for (const File* file : {&blurred, &psf}) {
      require_c_order(*file);
      if (file->info().type.complex())
        refuse_argument(fmt::format("deconvolve() is of real arrays; '{}' has {}; take the real part", file->name(),
                                    to_string(file->info().type)));
    }
    const Shape room = way_of({.array = shape, .kernel = of_psf, .mode = ConvolutionMode::same}).whole;
    for (int a = 0; a < centre.dims(); ++a) {
      centre[a] /= 2;
      if (of_psf[a] > shape[a])
        refuse_argument(
            fmt::format("a point spread function is no longer than the array; got {} and {} along axis {}; "
                        "cut it",
                        of_psf[a], shape[a], a));
    }
    if (what.iterations > 0) problem.shape = room;  // beyond its ends all is zero
  });
  const File placed(comm, std::make_shared<Placed>(psf, problem.shape, centre, BoxIo(problem, memory_of(comm, how))));
  const Options ordered = last_axis_first(options, problem);
  const OutOfCore there = scratch_beside(comm, out, how);
  in_precision(precision, [&](auto number) {
    using T = decltype(number);
    what.iterations > 0 ? iterate_files<T>(comm, blurred, placed, out, problem, what.iterations, ordered, there)
                        : filter_files<T>(comm, blurred, placed, out, problem, what.balance, ordered, there);
  });
  check_unchanged(comm, {blurred, psf});
}

}  // namespace shardfft
