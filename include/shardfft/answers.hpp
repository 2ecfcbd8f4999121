// Answers that people want of arrays: spectra, shifts, convolved and sharpened images, differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "shardfft/exact_sum.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/verify.hpp"

namespace shardfft {

/// What the power of a shell is told as. F_k = sum f exp(-i k x) over N points in a box of volume V.
///   density        V times the mean of |F_k|^2 / N^2 over the modes, in f^2 length^d
///   sum            of |F_k|^2 / N^2; all shells add up to the mean of |f|^2
///   dimensionless  k^3 P / (2 pi^2), k^2 P / (2 pi) or k P / pi of the density P, in 3, 2 or 1 dimensions
///   energy         half of the sum over components, per unit of k
enum class PowerAs { density, sum, dimensionless, energy };

struct SpectrumRequest {
  std::vector<double> lengths{};  ///< of the box along each axis of the array
  double width = 0;               ///< of a shell, in radians per unit of length; 0: 2 pi over the shortest side
  bool centred = false;           ///< shell i has |k| around i times the width, instead of from there on
  PowerAs power = PowerAs::density;
};

/// One shell: wave numbers k in radians per unit of length.
struct SpectrumShell {
  double k_low = 0, k_high = 0;  ///< k_low <= |k| < k_high
  double k_mean = 0;             ///< of its modes; NaN without any
  Index modes = 0;               ///< k and -k are two
  double power = 0;
  double error = 0;             ///< standard error, if f is a Gaussian field: power sqrt(2 / modes), of complex ones
                                ///< power / sqrt(modes)
  bool beyond_nyquist = false;  ///< reaches beyond pi over the largest spacing of points
  // Of two spectra F and G: the power of G, the sum of F conj(G) as power, and its real part over the root of both
  // powers (Fourier shell correlation).
  double power_b = 0, cross_re = 0, cross_im = 0, correlation = 0;
};

/// Collective. The spectrum of f by shells of |k|, the same bits on any number of ranks, if f's transform has these.
///   plan   c2c or r2c along Fourier axes; axes that are not transformed hold components
///   a, b   as forward left them in arrays of make_output(); without data: no b
///   error  invalid_argument
[[nodiscard]] std::vector<SpectrumShell> spectrum(const Plan& plan, View a, View b, const SpectrumRequest& request);

/// Where an array lies with regard to a reference.
struct Registration {
  std::vector<double> shift{};  ///< points along each axis by which `moving` must be moved to lie on `reference`
  double peak = 0;              ///< the correlation there; of phases at most 1
};
struct RegistrationRequest {
  bool phase = true;  ///< every mode counts alike; else those count by their power
  int upsample = 1;   ///< the shift is a multiple of 1 / upsample points, 1 to 1000
};

/// Collective. The shift between two periodic arrays by phase correlation: the peak of it, refined by its Fourier sums
/// at finer points around the peak (Guizar-Sicairos, Thurman and Fienup, Optics Letters 33, 2008).
///   plan         c2c or r2c on the host along all axes, made with options.apply = to_outputs
///   reference, moving  in the input layout
///   correlation  in the layout of applied(): element x is the correlation at the shift x; overwritten
///   error        invalid_argument
[[nodiscard]] Registration register_shift(Plan& plan, View reference, View moving, View correlation,
                                          const RegistrationRequest& request = {});

/// What a convolution keeps: of the result's n + m - 1 points along each axis all; the n in the middle, from (m - 1) /
/// 2 on; or the array is periodic, and so is the result.
enum class ConvolutionMode { same, full, circular };

/// A convolution of an array with a kernel of as many axes.
struct Convolution {
  Shape array{}, kernel{};
  ConvolutionMode mode = ConvolutionMode::same;
  Precision precision = f64;
  bool complex = false;  ///< both; else both are real

  [[nodiscard]] Shape result() const;  ///< its extents
};

/// How a convolution is done. Its bits depend on the way and on the tile, and these on extents alone.
struct ConvolutionWay {
  bool by_tiles = false;
  Shape tile{};                           ///< transformed at once: as large as the kernel needs
  Shape whole{};                          ///< transformed otherwise: so large that nothing wraps, unless circular
  double cost_tiles = 0, cost_whole = 0;  ///< operations, about; beyond the cache they count twice
};
/// By cost. Throws Error(invalid_argument) for extents that do not fit each other.
[[nodiscard]] ConvolutionWay way_of(const Convolution& what);

/// Reads or writes a box of an array, its elements in C order, on any thread.
using ReadBox = std::function<void(const Box& box, std::byte* to)>;
using WriteBox = std::function<void(const Box& box, const std::byte* from)>;

/// This rank's share of the tiles of a result, each made of the part of the array that it needs: a few tiles of memory
/// for each thread. Not collective.
///   kernel  whole, in C order
void convolve_tiles(const Convolution& what, const ConvolutionWay& way, View kernel, int rank, int ranks, int threads,
                    const ReadBox& read, const WriteBox& write);

/// Collective. Through the spectrum of the whole array.
///   kernel   whole, in C order, on every rank
///   in, out  in boxes of `layout`, of the array and of the result
void convolve_whole(const Comm& comm, const Convolution& what, const LayoutSpec& layout, View in, View kernel, View out,
                    int threads = 0);

/// Fills this rank's part of an array with a kernel among zeros: its element `centre` at index 0, the others around it,
/// where they wrap. `values`: whole, in C order.
void wrap_kernel(const Layout& layout, int rank, const Shape& kernel, const Coord& centre, View values, View to,
                 int element_bytes);

/// How a blurred array is sharpened.
struct Deconvolution {
  int iterations = 0;    ///< of Richardson and Lucy; 0: Wiener's filter
  double balance = 0.1;  ///< of Wiener's filter: how smooth the result is; 0: the inverse filter
};

/// Collective. What was blurred with a point spread function. Wiener's filter multiplies by conj(H) / (|H|^2 + balance
/// |L|^2), H the function's spectrum and L that of the Laplacian's second differences. Richardson and Lucy's iterations
/// begin at 1/2 and multiply by how much the blurred estimate lacks; they take arrays that are not negative.
///   plan    r2c on the host along all axes, made with options.apply = to_outputs; with `support` the array is zero
///           beyond it, otherwise periodic
///   blurred, out  in the input layout; not the same memory
///   psf     in the input layout of a plan without support, its centre at index 0, around which it wraps
///   error   invalid_argument
void deconvolve(Plan& plan, View blurred, View psf, View out, const Deconvolution& how);

/// How far a second array b is from a.
struct Difference {
  double max = 0;       ///< largest |b - a|; two NaNs are equal, one is infinitely far from a number
  Coord where{};        ///< of that, the first one in C order; of no dimensions if the arrays are equal
  double rms = 0;       ///< root of the mean of |b - a|^2
  double relative = 0;  ///< L2 norm of b - a over that of a; infinite if a is 0 and b is not
};

/// Adds up the difference of two arrays part by part, in any order and on any ranks: the same bits. One thread at a
/// time adds.
class Differences {
 public:
  explicit Differences(const Shape& global) : global_(global) {}
  /// The same box of both arrays. `T`: float, double or std::complex of them.
  template <class T>
  void add(const LocalBox& a, const LocalBox& b);
  void add(const Differences& other);
  [[nodiscard]] Difference over_ranks(const Comm& comm) const;  ///< collective

 private:
  void note(double distance, Index place);
  Shape global_;
  ExactSum squares_{}, squares_of_a_{};
  double max_ = 0;
  Index where_ = -1;  ///< in C order
};

}  // namespace shardfft
