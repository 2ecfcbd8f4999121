// Answers that people want of arrays.
#include <cstring>

#include "plan.hpp"
#include "shardfft/answers/convolution.hpp"
#include "shardfft/answers/difference.hpp"
#include "shardfft/answers/registration.hpp"
#include "shardfft/answers/spectrum.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/operators/spectral.hpp"

namespace shardfft::python {
namespace {

Edge edge_of(const std::string& word) {
  constexpr std::pair<const char*, Edge> words[] = {
      {"hard", Edge::hard}, {"cosine", Edge::cosine}, {"gaussian", Edge::gaussian}, {"butterworth", Edge::butterworth}};
  for (const auto& [name, edge] : words)
    if (word == name) return edge;
  throw Error(Status::invalid_argument, "edge is hard, cosine, gaussian or butterworth; got '" + word + "'");
}

Operator filter(const PythonPlan& p, const std::vector<double>& lengths, double low_pass, double high_pass,
                const std::string& edge, double width, int order, const std::vector<double>& sigma,
                const std::vector<std::pair<int, int>>& derivatives, bool laplacian, const std::vector<double>& shift) {
  return spectral::filter(p.plan(), lengths,
                          {.low_pass = low_pass,
                           .high_pass = high_pass,
                           .edge = edge_of(edge),
                           .width = width,
                           .order = order,
                           .sigma = sigma,
                           .derivatives = derivatives,
                           .laplacian = laplacian,
                           .shift = shift});
}

nb::list spectrum_of(PythonPlan& p, nb::handle a, nb::handle b, const std::vector<double>& lengths, double width,
                     bool centred, const std::string& normalize) {
  const Read first(a), second(b.is_none() ? a : b);
  const View from = p.view(first), other = b.is_none() ? View() : p.view(second);
  const SpectrumRequest request{.lengths = lengths, .width = width, .centred = centred, .power = power_of(normalize)};
  return rows_of(p.run([&](Plan& plan) { return spectrum(plan, from, other, request); }));
}

nb::tuple register_arrays(PythonPlan& p, nb::handle reference, nb::handle moving, nb::handle correlation, bool phase,
                          int upsample) {
  const Read first(reference), second(moving);
  const Written out(correlation);
  const View a = p.view(first), b = p.view(second), to = p.view(out);
  const Registration found =
      p.run([&](Plan& plan) { return register_shift(plan, a, b, to, {.phase = phase, .upsample = upsample}); });
  return nb::make_tuple(found.shift, found.peak);
}

void deconvolve_array(PythonPlan& p, nb::handle blurred, nb::handle psf, nb::handle sharp, int iterations,
                      double balance) {
  const Read from(blurred), spread(psf);
  const Written out(sharp);
  const View in = p.view(from), by = p.view(spread), to = p.view(out);
  p.run([&](Plan& plan) { deconvolve(plan, in, by, to, {.iterations = iterations, .balance = balance}); });
}

Shape shape_of(const ReadArray& array) {
  Shape shape = Coord::filled(static_cast<int>(array.ndim()), 0);
  for (std::size_t a = 0; a < array.ndim(); ++a) shape[static_cast<int>(a)] = static_cast<Index>(array.shape(a));
  return shape;
}

/// A box of an array of Python, with its strides in bytes.
LocalBox part_of(const ReadArray& array, const Box& box) {
  LocalBox part{.box = box, .data = static_cast<const std::byte*>(array.data()), .strides = box.lo};
  for (int a = 0; a < box.dims(); ++a) {
    part.strides[a] = array.stride(static_cast<std::size_t>(a)) * static_cast<Index>(array.itemsize());
    part.data += box.lo[a] * part.strides[a];
  }
  return part;
}

/// Copies a box between its place in an array and C order.
void copy_box(const LocalBox& part, std::size_t element, std::byte* packed, bool into_array) {
  for_each_position(part.box, {}, [&](const Coord& at) {
    Index offset = 0;
    for (int a = 0; a < at.dims(); ++a) offset += (at[a] - part.box.lo[a]) * part.strides[a];
    auto* const there = const_cast<std::byte*>(part.data) + offset;  // NOLINT: written only if it may be
    std::memcpy(into_array ? there : packed, into_array ? packed : there, element);
    packed += element;
  });
}

ConvolutionMode mode_of(const std::string& word) {
  constexpr std::pair<const char*, ConvolutionMode> words[] = {
      {"same", ConvolutionMode::same}, {"full", ConvolutionMode::full}, {"circular", ConvolutionMode::circular}};
  for (const auto& [name, mode] : words)
    if (word == name) return mode;
  throw Error(Status::invalid_argument, "mode is same, full or circular; got '" + word + "'");
}

Convolution convolution_of(const std::vector<Index>& array, const std::vector<Index>& kernel, const std::string& mode,
                           bool single, bool complex) {
  return {.array = array, .kernel = kernel, .mode = mode_of(mode), .precision = single ? f32 : f64, .complex = complex};
}

void convolve_by_tiles(const Convolution& what, const ReadArray& array, const ReadArray& kernel, const ReadArray& out,
                       int threads) {
  const nb::gil_scoped_release free;
  const std::size_t element = array.itemsize();
  convolve_tiles(
      what, way_of(what), view_of(kernel), 0, 1, threads,
      [&](const Box& box, std::byte* to) { copy_box(part_of(array, box), element, to, false); },
      [&](const Box& box, const std::byte* from) {
        copy_box(part_of(out, box), element, const_cast<std::byte*>(from), true);  // NOLINT: only read
      });
}

nb::tuple difference_of(const ReadArray& a, const ReadArray& b, bool single, bool complex) {
  const Shape shape = shape_of(a);
  Differences sums(shape);
  const LocalBox one = part_of(a, whole(shape)), other = part_of(b, whole(shape));
  {
    const nb::gil_scoped_release free;
    if (complex)
      single ? sums.add<std::complex<float>>(one, other) : sums.add<std::complex<double>>(one, other);
    else
      single ? sums.add<float>(one, other) : sums.add<double>(one, other);
  }
  const Difference found = sums.over_ranks(local());
  return nb::make_tuple(found.max, tuple_of(found.where), found.rms, found.relative);
}

}  // namespace

PowerAs power_of(const std::string& word) {
  constexpr std::pair<const char*, PowerAs> words[] = {{"power", PowerAs::density},
                                                       {"sum", PowerAs::sum},
                                                       {"dimensionless", PowerAs::dimensionless},
                                                       {"energy", PowerAs::energy}};
  for (const auto& [name, power] : words)
    if (word == name) return power;
  throw Error(Status::invalid_argument, "normalize is power, sum, dimensionless or energy; got '" + word + "'");
}

nb::list rows_of(const std::vector<SpectrumShell>& shells) {
  nb::list rows;
  for (const SpectrumShell& s : shells)
    rows.append(nb::make_tuple(s.k_low, s.k_high, s.k_mean, s.modes, s.power, s.error, s.beyond_nyquist, s.power_b,
                               s.cross_re, s.cross_im, s.correlation));
  return rows;
}

void add_answers(nb::module_& module) {
  module.def("filter", &filter, nb::arg("plan"), nb::arg("lengths"), nb::arg("low_pass"), nb::arg("high_pass"),
             nb::arg("edge"), nb::arg("width"), nb::arg("order"), nb::arg("sigma"), nb::arg("derivatives"),
             nb::arg("laplacian"), nb::arg("shift"));
  module.def("spectrum", &spectrum_of, nb::arg("plan"), nb::arg("a"), nb::arg("b").none(), nb::arg("lengths"),
             nb::arg("width"), nb::arg("centred"), nb::arg("normalize"));
  module.def("register_shift", &register_arrays, nb::arg("plan"), nb::arg("reference"), nb::arg("moving"),
             nb::arg("correlation"), nb::arg("phase"), nb::arg("upsample"));
  module.def("deconvolve", &deconvolve_array, nb::arg("plan"), nb::arg("blurred"), nb::arg("psf"), nb::arg("sharp"),
             nb::arg("iterations"), nb::arg("balance"));
  nb::class_<Convolution>(module, "Convolution", "A convolution of an array with a kernel.")
      .def(
          "__init__",
          [](Convolution* self, const std::vector<Index>& array, const std::vector<Index>& kernel,
             const std::string& mode, bool single,
             bool complex) { new (self) Convolution(convolution_of(array, kernel, mode, single, complex)); },
          nb::arg("array"), nb::arg("kernel"), nb::arg("mode"), nb::arg("single"), nb::arg("complex"))
      .def_prop_ro("result", [](const Convolution& c) { return tuple_of(c.result()); })
      .def_prop_ro("by_tiles", [](const Convolution& c) { return way_of(c).by_tiles; })
      .def_prop_ro("whole", [](const Convolution& c) { return tuple_of(way_of(c).whole); });
  module.def("convolve_tiles", &convolve_by_tiles, nb::arg("what"), nb::arg("array"), nb::arg("kernel"), nb::arg("out"),
             nb::arg("threads"));
  module.def("difference", &difference_of, nb::arg("a"), nb::arg("b"), nb::arg("single"), nb::arg("complex"));
}

}  // namespace shardfft::python
