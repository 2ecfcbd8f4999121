// shardfft filter IN OUT
#include <memory>

#include <fmt/format.h>

#include "analysis/filter_words.hpp"
#include "commands.hpp"
#include "transform/transform.hpp"

namespace shardfft::cli {
namespace {

int filter(const Comm& comm, const FilterWords& words, TransformWords task) {
  const Spacing spacing(words.spacing);
  task.command = "filter";
  task.apply = filter_name(words);
  task.box.spacing = spacing.numbers();
  task.make_operator = [&](const Plan& plan) {
    const int axes = plan.problem().shape.dims();
    return spectral::filter(plan, spectral::lengths_from(plan, spacing.along(axes)),
                            parse_filter(words, spacing, axes));
  };
  task.notes = [&](int axes) {
    const Filter asked = parse_filter(words, spacing, axes);
    return std::pair(cutoffs_text(asked, spacing), cutoffs_json(asked, words, spacing));
  };
  return transform(comm, task);
}

constexpr const char* filter_examples =
    R"(Multiplies the spectrum of IN and transforms back, in one run: reals stay real, values are never rescaled, and IN
is taken to repeat at its ends. OUT has the shape of IN, and appears whole or not at all.

Examples:
  shardfft filter stack.npy smooth.npy --low-pass 10um --spacing 2,0.5,0.5um
  shardfft filter stack.npy flat.npy --band 4um,40um --spacing 2,0.5,0.5um --edge butterworth:2
  shardfft filter stack.npy blurred.npy --gaussian 1.5
  shardfft filter field.npy slope.npy --derivative 0 --spacing 0.1
  shardfft filter volume.h5 moved.npy --shift 0.5,-2,0)";

}  // namespace

void add_filter(const Command& program, Action& chosen) {
  const auto words = std::make_shared<FilterWords>();
  const auto task = std::make_shared<TransformWords>();
  const Command command =
      program.add_command("filter", "low, high and band passes, smoothing, derivatives and shifts of an array");
  command.footer(filter_examples);
  add_files(command, *task, "C order");
  add_filter_words(command, *words);
  command.add_option("--axes", task->axes, "filtered axes, such as 1,2 (default: all)");
  command.add_option("--precision", task->precision, "f32 or f64 (default: as the elements of IN)");
  add_memory(command, *task, true);
  add_transform_outputs(command, *task);
  command.callback(
      [words, task, &chosen] { chosen = [words, task](const Comm& comm) { return filter(comm, *words, *task); }; });
}

}  // namespace shardfft::cli
