// shardfft convolve IN KERNEL OUT, and deconvolve IN PSF OUT
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "analysis/arrays.hpp"
#include "commands.hpp"
#include "options/task.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/answers/convolution.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"
#include "transform/transform.hpp"

namespace shardfft::cli {
namespace {

struct ConvolveWords {
  std::string in, kernel, out, mode = "same", method = "auto", json;
  int iterations = 0;
  double balance = 0.1;
  bool quiet = false;
  TransformWords passes{};  ///< its memory and scratch
};

[[noreturn]] void refuse_convolution(const std::string& text) { throw Error(Status::invalid_argument, text); }

ConvolutionMode parse_mode(const std::string& text) {
  const std::string word = lower(text);
  if (word == "same") return ConvolutionMode::same;
  if (word == "full") return ConvolutionMode::full;
  if (word == "circular") return ConvolutionMode::circular;
  refuse_convolution(fmt::format("--mode is same, full or circular; got '{}'", text));
}

void choose_way(const std::string& text, ConvolutionWay& way) {
  const std::string word = lower(text);
  if (word == "tiles" || word == "spectrum")
    way.by_tiles = word == "tiles";
  else if (word != "auto")
    refuse_convolution(fmt::format("--method is auto, tiles or spectrum; got '{}'", text));
}

/// Opens both files, and sees that OUT can be written.
struct Inputs {
  Inputs(const Comm& comm, const ConvolveWords& words, const char* kernel_name)
      : in(files::File::open(comm, words.in)), kernel(files::File::open(comm, words.kernel)) {
    require_c_order(in, words.in, "IN");
    require_c_order(kernel, words.kernel, kernel_name);
    if (in.info().shape.dims() != kernel.info().shape.dims())
      refuse_convolution(fmt::format("{} has as many axes as IN, {}; got {}; give it axes of length 1", kernel_name,
                                     in.info().shape.dims(), kernel.info().shape.dims()));
    files::check_output_name(words.out, true);
    probe_output(comm, files::file_of(words.out), "a .npy file");
    numbers = common_numbers({&in});
    numbers.complex = in.info().type.complex() || kernel.info().type.complex();
  }
  files::File in, kernel;
  Numbers numbers{};
};

LayoutSpec file_layout_of(const files::File& file) { return usual_file_layout(file.info().shape, file.info().order); }

/// Collective.
void convolve_files_whole(const Comm& comm, const Inputs& inputs, const Convolution& what, files::File& result,
                          Progress& progress) {
  progress.stage("reading");
  const Array kernel = read_whole(comm, inputs.kernel, inputs.numbers, progress);
  const LayoutSpec spec = usual_file_layout(what.array, inputs.in.info().order);
  const Layout layout_in(spec, what.array, comm.size()), layout_out(spec, what.result(), comm.size());
  Array in, out;
  collectively(comm, [&] {
    in = Array(static_cast<std::size_t>(layout_in.count(comm.rank()) * inputs.numbers.bytes()));
    out = Array(static_cast<std::size_t>(layout_out.count(comm.rank()) * inputs.numbers.bytes()));
  });
  read_into(comm, inputs.in, layout_in, inputs.numbers, in, progress);
  progress.stage("convolving");
  convolve_whole(comm, what, spec, in, kernel, out);
  progress.stage("writing");
  write_from(comm, result, layout_out, inputs.numbers, out, progress);
}

Json record_of(const char* command, const Comm& comm, const ConvolveWords& words, const Shape& shape,
               const Numbers& numbers) {
  return {{"command", command},
          {"version", SHARDFFT_VERSION},
          {"in", words.in},
          {"out", words.out},
          {"shape_out", std::vector<Index>(shape.begin(), shape.end())},
          {"precision", to_string(numbers.precision)},
          {"ranks", comm.size()}};
}

int convolve_files(const Comm& comm, const ConvolveWords& words) {
  const ConvolutionMode mode = parse_mode(words.mode);
  check_side_files(comm, {{"--json", words.json}},
                   {{"IN", files::file_of(words.in)}, {"OUT", files::file_of(words.out)}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  const Inputs inputs(comm, words, "KERNEL");
  const Convolution what{.array = inputs.in.info().shape,
                         .kernel = inputs.kernel.info().shape,
                         .mode = mode,
                         .precision = inputs.numbers.precision,
                         .complex = inputs.numbers.complex};
  ConvolutionWay way = way_of(what);
  choose_way(words.method, way);
  const Room room = room_of(comm, words.passes);
  const bool in_passes =
      !way.by_tiles && beyond(comm, room, 5 * product(way.whole) / comm.size() * inputs.numbers.bytes());
  files::File result = new_file(comm, words.out, what.result(), inputs.numbers);
  const files::OutOfCore how = passes_of(words.passes, room, *progress);
  if (way.by_tiles) {
    progress->stage("convolving in tiles");
    files::convolve_tiles(comm, inputs.in, inputs.kernel, result, what, {}, how);
    result.commit();
  } else if (in_passes) {
    progress->stage("convolving in passes");
    files::convolve(comm, inputs.in, inputs.kernel, result, what, {.input = file_layout_of(inputs.in)}, how);
    result.commit();
  } else {
    convolve_files_whole(comm, inputs, what, result, *progress);
  }
  progress.reset();
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}: {} with a kernel of {}, {}: {} to {}\n{}, about {:.2g} operations; {} would take {:.2g}\n",
               printable(words.in), to_string(what.array), to_string(what.kernel), lower(words.mode),
               to_string(what.result()), printable(words.out),
               way.by_tiles ? fmt::format("in tiles of {}", to_string(way.tile))
               : in_passes  ? "through the spectrum of the whole, in passes"
                            : "through the spectrum of the whole",
               way.by_tiles ? way.cost_tiles : way.cost_whole, way.by_tiles ? "the whole" : "tiles",
               way.by_tiles ? way.cost_whole : way.cost_tiles);
  Json record = record_of("convolve", comm, words, what.result(), inputs.numbers);
  record["kernel"] = words.kernel;
  record["mode"] = lower(words.mode);
  record["method"] = way.by_tiles ? "tiles" : "spectrum";
  record["in_passes"] = in_passes;
  record["tile"] = std::vector<Index>(way.tile.begin(), way.tile.end());
  write_json(comm, words.json, record);
  return 0;
}

/// Collective. `whole`: extents in which nothing wraps that must not.
void deconvolve_in_memory(const Comm& comm, const Inputs& inputs, const Deconvolution& what, const Shape& whole,
                          files::File& result, Progress& progress) {
  const Shape shape = inputs.in.info().shape, of_psf = inputs.kernel.info().shape;
  Problem problem{.shape = whole, .kind = r2c, .precision = inputs.numbers.precision};
  if (what.iterations > 0) problem.support = shape;  // beyond IN all is zero
  Plan plan(comm, problem, {.input = file_layout_of(inputs.in), .apply = Apply::to_outputs});
  require_room(plan, static_cast<Index>((what.iterations > 0 ? 5 : 3) * plan.input_bytes() + 2 * plan.middle_bytes()),
               "use more nodes, or an array in single precision");
  progress.stage("reading");
  const Array small = read_whole(comm, inputs.kernel, inputs.numbers, progress);
  Array in, out, psf;
  const Layout wrapped(plan.input().spec(), problem.shape, comm.size());
  Coord centre = of_psf;
  for (int a = 0; a < centre.dims(); ++a) centre[a] /= 2;
  collectively(comm, [&] {
    in = plan.make_input(), out = plan.make_applied();
    psf = Array(static_cast<std::size_t>(wrapped.count(comm.rank()) * inputs.numbers.bytes()));
    wrap_kernel(wrapped, comm.rank(), of_psf, centre, small, psf, inputs.numbers.bytes());
  });
  read_into(comm, inputs.in, plan.input(), inputs.numbers, in, progress);
  progress.stage("deconvolving");
  deconvolve(plan, in, psf, out, what);
  progress.stage("writing");
  write_from(comm, result, plan.applied(), inputs.numbers, out, progress);
}

int deconvolve_files(const Comm& comm, const ConvolveWords& words) {
  if (words.iterations < 0)
    refuse_convolution(
        fmt::format("--iterations is 1 or more; got {}; leave it out for Wiener's filter", words.iterations));
  check_side_files(comm, {{"--json", words.json}},
                   {{"IN", files::file_of(words.in)}, {"OUT", files::file_of(words.out)}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  const Inputs inputs(comm, words, "PSF");
  if (inputs.numbers.complex) refuse_convolution("IN and PSF are real; got complex numbers; take the real part");
  const Shape shape = inputs.in.info().shape, of_psf = inputs.kernel.info().shape;
  for (int a = 0; a < shape.dims(); ++a)
    if (of_psf[a] > shape[a])
      refuse_convolution(
          fmt::format("PSF is no longer than IN; got {} and {} along axis {}; cut it", of_psf[a], shape[a], a));
  const Deconvolution what{.iterations = words.iterations, .balance = words.balance};
  const Shape whole =
      words.iterations > 0 ? way_of({.array = shape, .kernel = of_psf, .mode = ConvolutionMode::same}).whole : shape;
  const Room room = room_of(comm, words.passes);
  const bool in_passes =
      beyond(comm, room, (words.iterations > 0 ? 7 : 5) * product(whole) / comm.size() * inputs.numbers.bytes());
  files::File result = new_file(comm, words.out, shape, inputs.numbers);
  if (in_passes) {
    progress->stage("deconvolving in passes");
    files::deconvolve(comm, inputs.in, inputs.kernel, result, inputs.numbers.precision, what,
                      {.input = file_layout_of(inputs.in)}, passes_of(words.passes, room, *progress));
    result.commit();
  } else {
    deconvolve_in_memory(comm, inputs, what, whole, result, *progress);
  }
  progress.reset();
  const std::string how = words.iterations > 0 ? counted(words.iterations, "iteration") + " of Richardson and Lucy"
                                               : fmt::format("Wiener's filter, balance {:g}", words.balance);
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}: {} with {}, {}: to {}\n", printable(words.in), to_string(shape), printable(words.kernel), how,
               printable(words.out));
  Json record = record_of("deconvolve", comm, words, shape, inputs.numbers);
  record["in_passes"] = in_passes;
  record["psf"] = words.kernel;
  record["iterations"] = words.iterations;
  if (words.iterations == 0) record["balance"] = words.balance;
  write_json(comm, words.json, record);
  return 0;
}

constexpr const char* convolve_examples =
    R"(As scipy.signal.fftconvolve; circular: IN repeats at its ends. A small kernel goes over tiles of IN, a large one
through the spectrum of the whole array; the cheaper way is taken, and said. KERNEL is flipped, as ever in convolutions.

Examples:
  shardfft convolve stack.npy kernel.npy blurred.npy
  shardfft convolve stack.npy kernel.npy wide.npy --mode full --method spectrum)";

constexpr const char* deconvolve_examples =
    R"(PSF's centre is its element m/2 along each axis, rounded down. Wiener's filter takes IN to repeat at its ends.
The iterations of Richardson and Lucy take it to be zero beyond them and nowhere negative. PSF adds up to 1.

Examples:
  shardfft deconvolve stack.npy psf.npy sharp.npy --balance 0.01
  shardfft deconvolve stack.npy psf.npy sharp.npy --iterations 20)";

void add_three(const Command& command, ConvolveWords& words, const char* kernel_name) {
  command.add_option("IN", words.in, ".npy file, any number type, C order; or file.h5[:/dataset]").required();
  command.add_option(kernel_name, words.kernel, "in the same formats, with as many axes").required();
  command.add_option("OUT", words.out, ".npy file to write, replaced when it exists; or new file.h5[:/dataset]")
      .required();
}

}  // namespace

void add_convolve(const Command& program, Action& chosen) {
  const auto words = std::make_shared<ConvolveWords>();
  const Command command = program.add_command("convolve", "convolution of an array with a kernel");
  command.footer(convolve_examples);
  add_three(command, *words, "KERNEL");
  command.add_option("--mode", words->mode, "same: OUT is as IN; full: all points; circular").shows_default();
  command.add_option("--method", words->method, "tiles, spectrum, or auto: the cheaper one").shows_default();
  add_memory(command, words->passes, false);
  command.add_flag("-q,--quiet", words->quiet, "print nothing");
  add_json(command, words->json);
  command.callback([words, &chosen] { chosen = [words](const Comm& comm) { return convolve_files(comm, *words); }; });
}

void add_deconvolve(const Command& program, Action& chosen) {
  const auto words = std::make_shared<ConvolveWords>();
  const Command command = program.add_command("deconvolve", "sharpens an array that was blurred");
  command.footer(deconvolve_examples);
  add_three(command, *words, "PSF");
  command.add_option("--balance", words->balance, "of Wiener's filter: how smooth OUT is").number().shows_default();
  command.add_option("--iterations", words->iterations, "of Richardson and Lucy, instead of Wiener's filter")
      .whole_number();
  add_memory(command, words->passes, false);
  command.add_flag("-q,--quiet", words->quiet, "print nothing");
  add_json(command, words->json);
  command.callback([words, &chosen] { chosen = [words](const Comm& comm) { return deconvolve_files(comm, *words); }; });
}

}  // namespace shardfft::cli
