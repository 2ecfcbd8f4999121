// shardfft correlate A B [OUT]
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/arrays.hpp"
#include "analysis/units.hpp"
#include "commands.hpp"
#include "options/task.hpp"
#include "output/side_files.hpp"
#include "shardfft/answers/registration.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"
#include "transform/transform.hpp"

namespace shardfft::cli {
namespace {

struct CorrelateWords {
  std::string a, b, out, normalize = "phase", spacing, json;
  int upsample = 1;
  bool quiet = false;
  TransformWords passes{};  ///< its memory and scratch
  ChoiceWords choices{};
};

/// Collective. In memory; writes the correlation if there is a file for it.
Registration registered(const Comm& comm, const files::File& a, const files::File& b, files::File* result,
                        const Problem& problem, const Numbers& numbers, const RegistrationRequest& request,
                        const Options& options, Progress& progress) {
  Plan plan(comm, problem, options);
  require_room(plan, static_cast<Index>(3 * plan.input_bytes() + 2 * plan.middle_bytes()),
               "use more nodes, or arrays in single precision");
  Array first, second, correlation;
  collectively(comm, [&] { first = plan.make_input(), second = plan.make_input(), correlation = plan.make_applied(); });
  progress.stage("reading");
  read_into(comm, a, plan.input(), numbers, first, progress);
  read_into(comm, b, plan.input(), numbers, second, progress);
  progress.stage("correlating");
  const Registration found = register_shift(plan, first, second, correlation, request);
  progress.stage("writing");
  if (result) write_from(comm, *result, plan.applied(), numbers, correlation, progress);
  return found;
}

int correlate(const Comm& comm, const CorrelateWords& words) {
  const Spacing spacing(words.spacing);
  if (lower(words.normalize) != "phase" && lower(words.normalize) != "none")
    throw Error(Status::invalid_argument, fmt::format("--normalize is phase or none; got '{}'", words.normalize));
  check_side_files(comm, {{"--json", words.json}}, {{"A", files::file_of(words.a)}, {"B", files::file_of(words.b)}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  const files::File a = files::File::open(comm, words.a), b = files::File::open(comm, words.b);
  require_c_order(a, words.a, "A");
  require_c_order(b, words.b, "B");
  const Shape shape = a.info().shape;
  if (shape != b.info().shape)
    throw Error(Status::invalid_argument,
                fmt::format("arrays that are correlated have one shape; got {} and {}; cut one", to_string(shape),
                            to_string(b.info().shape)));
  if (!words.out.empty()) {
    files::check_output_name(words.out, true);
    probe_output(comm, files::file_of(words.out), "a .npy file");
  }
  const Numbers numbers = common_numbers({&a, &b});
  const std::vector<double> steps = spacing.along(shape.dims());
  Options options = to_options(words.choices);
  options.input = usual_file_layout(shape, a.info().order);
  options.apply = Apply::to_outputs;
  const Problem problem{.shape = shape, .kind = numbers.complex ? c2c : r2c, .precision = numbers.precision};
  const RegistrationRequest request{.phase = lower(words.normalize) == "phase", .upsample = words.upsample};
  const Room room = room_of(comm, words.passes);
  const bool in_passes = beyond(comm, room, 5 * product(shape) / comm.size() * numbers.bytes());
  std::optional<files::File> result;
  if (!words.out.empty()) result = new_file(comm, words.out, shape, numbers);
  Registration found;
  if (in_passes) {
    progress->stage("correlating in passes");
    found = files::register_shift(comm, a, b, result ? &*result : nullptr, problem, request, options,
                                  passes_of(words.passes, room, *progress));
    if (result) result->commit();
  } else {
    found = registered(comm, a, b, result ? &*result : nullptr, problem, numbers, request, options, *progress);
  }
  progress.reset();
  std::vector<double> lengths;
  for (std::size_t axis = 0; axis < steps.size(); ++axis) lengths.push_back(found.shift[axis] * steps[axis]);
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("to lie on {}, {} is moved by [{:g}] points{}\ncorrelation there {:.6g}\n", printable(words.a),
               printable(words.b), fmt::join(found.shift, ", "),
               words.spacing.empty() ? "" : fmt::format(", [{:g}] {}", fmt::join(lengths, ", "), spacing.unit()),
               found.peak);
  write_json(comm, words.json,
             {{"command", "correlate"},
              {"version", SHARDFFT_VERSION},
              {"a", words.a},
              {"b", words.b},
              {"out", words.out},
              {"shape", std::vector<Index>(shape.begin(), shape.end())},
              {"normalize", lower(words.normalize)},
              {"upsample", words.upsample},
              {"shift", found.shift},
              {"shift_length", lengths},
              {"unit", spacing.unit()},
              {"peak", found.peak},
              {"in_passes", in_passes},
              {"ranks", comm.size()}});
  return 0;
}

constexpr const char* correlate_examples =
    R"(The shift between two arrays of one shape, which are taken to repeat at their ends: where their correlation is
largest, refined to 1 / --upsample points. OUT, if it is named, is the correlation for each shift, from 0 on.

Examples:
  shardfft correlate frame0.npy frame1.npy --upsample 20
  shardfft correlate fixed.npy moving.npy --upsample 10 --spacing 2,0.5,0.5um --json shift.json
  shardfft filter moving.npy registered.npy --shift 1.5,-3,0)";

}  // namespace

void add_correlate(const Command& program, Action& chosen) {
  const auto words = std::make_shared<CorrelateWords>();
  const Command command = program.add_command("correlate", "the shift between two arrays, by phase correlation");
  command.footer(correlate_examples);
  command.add_option("A", words->a, ".npy file of the array that stays, any number type; or file.h5[:/dataset]")
      .required();
  command.add_option("B", words->b, "the array that is moved, of the same shape").required();
  command.add_option("OUT", words->out, ".npy file of the correlation to write; or new file.h5[:/dataset]");
  command.add_option("--upsample", words->upsample, "the shift is found to one point over this, 1 to 1000")
      .whole_number()
      .shows_default();
  command.add_option("--normalize", words->normalize, "phase: every mode counts alike; none: by its power")
      .shows_default();
  command.add_option("--spacing", words->spacing,
                     "of the points along each axis, slowest axis first, and its unit, as 2,0.5,0.5um (default: 1)");
  add_memory(command, words->passes, false);
  command.add_flag("-q,--quiet", words->quiet, "print nothing");
  add_json(command, words->json);
  add_choices(command, words->choices, OptionGroup::planner);
  add_choices(command, words->choices, OptionGroup::effort);
  command.callback([words, &chosen] { chosen = [words](const Comm& comm) { return correlate(comm, *words); }; });
}

}  // namespace shardfft::cli
