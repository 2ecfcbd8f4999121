// shardfft itself, through the same seam as the others. Compiled once for the processor and once for each kind of
// device that there is: the build says which, and what the program is called. SHARDFFT_PEER_DEVICE in the environment
// names another device (for tests: emulated), SHARDFFT_PEER_ARRAYS=host leaves the arrays in memory of the host and
// lets them go through the device.
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "layouts.hpp"
#include "peer.hpp"
#include "peers/measure/memory.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/programs/inventory.hpp"
#include "shardfft/version.hpp"
#include "ways.hpp"

#ifndef SHARDFFT_PEER_NAME
#define SHARDFFT_PEER_NAME "shardfft"
#define SHARDFFT_PEER_DEVICE ""
#endif

namespace shardfft::peers {
namespace {

/// Which memory a plan works in. Of reals, in place means rows that have room for those of the half spectrum; other
/// libraries destroy what transforms to reals read.
enum class Memory { kept, destroyed, in_place };
constexpr const char* words_for[] = {"out of place, input kept", "out of place, input destroyed", "in place"};

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

/// "" is the processor.
std::string device() { return variable("SHARDFFT_PEER_DEVICE", SHARDFFT_PEER_DEVICE); }

/// Why it is not there; empty where it is.
std::string why_no_device() {
  return device().empty() ? "" : shardfft::why_no_device(device().substr(0, device().find(':')));
}

/// Cuts each field of a batch alike; the batch stays together along the axis in front.
LayoutSpec of_all_fields(const LayoutSpec& spec, const Task& task, const Shape& field, int ranks) {
  if (task.batch == 1) return spec;
  LayoutSpec all = spec.kind == LayoutSpec::Kind::slabs
                       ? slabs(spec.axis + 1)
                       : process_grid(task.behind_batch(Layout(spec, field, ranks).grid(), 1));
  if (spec.order.empty()) return all;
  std::vector<int> order{0};
  for (const int axis : spec.order) order.push_back(axis + 1);
  return all.ordered(order);
}

cli::LayoutPair layouts_for(const Task& task, int ranks) {
  const cli::LayoutPair layouts = layouts_of_a_field(task);
  return {of_all_fields(layouts.input, task, task.shape, ranks),
          of_all_fields(layouts.output, task, task.spectrum(), ranks)};
}

/// In place and out of place: which is faster depends on what fits the caches. Between ranks in place costs a copy and
/// never is.
bool has_ways(const Task& task, int ranks) { return task.call == Call::best && ranks == 1; }

Options options_for(const Task& task, int ranks, Memory memory) {
  const cli::LayoutPair layouts = layouts_for(task, ranks);
  Options options{.input = layouts.input,
                  .output = layouts.output,
                  .in_place = memory == Memory::in_place,
                  .destroy_input = memory == Memory::destroyed};
  options.padded_reals = options.in_place && task.kind == r2c;
  options.threads = task.threads;
  options.device = device();
  if (!options.device.empty()) options.arrays = variable("SHARDFFT_PEER_ARRAYS", "");
  if (task.grid.dims() > 0) options.expert.ranks_grid = task.behind_batch(task.grid, 1);
  if (task.call == Call::best) {
    options.effort = "measure";
    options.tune_seconds = task.plan_seconds / (has_ways(task, ranks) ? 2 : 1);
  } else {
    options.effort = "model";
    options.wisdom = false;
  }
  return options;
}

Problem problem_of(const Task& task) {
  Problem problem{.shape = task.input_array(), .kind = task.kind, .precision = task.precision};
  problem.axes = task.transformed_of_array();
  if (task.kind == r2r) problem.kinds.assign(problem.axes.size(), task.axis_kind);
  return problem;
}

// What was found in the first launch serves the later ones, and nothing else that this machine remembers. Trials are
// not part of the plan's memory.
Plan planned(const Comm& comm, const Task& task, Memory memory) {
  if (task.grid.dims() > 0 && task.shape.dims() < 3)
    throw Unsupported(
        fmt::format("a process grid cuts two axes while a third is transformed; the shape has {}", task.shape.dims()));
  ::setenv("SHARDFFT_WISDOM", task.scratch.c_str(), 1);
  Plan plan(comm, problem_of(task), options_for(task, comm.size(), memory));
  MemoryWatch::forget_peak();
  return plan;
}

class Planned final : public Transform {
 public:
  Planned(const Comm& comm, const Task& task, Memory memory)
      : task_(task), memory_(memory), plan_(planned(comm, task, memory)) {}

  void allocate() override {
    collectively(plan_.comm(), [&] {
      in_ = plan_.make_input();
      if (!in_place()) out_ = plan_.make_output();
      mirrored_ = in_.space() != Space::host;
      if (mirrored_) in_mirror_ = Array(in_.bytes()), out_mirror_ = Array(out_.bytes());
    });
  }

  std::vector<LocalPart> input() override {
    return parts_in_a_row(plan_.input(), rank(), (mirrored_ ? in_mirror_ : in_).data(), task_.input_element(),
                          in_place() && task_.kind == r2c ? plan_.input().order().back() : -1);
  }
  std::vector<LocalPart> spectrum() override {
    return parts_in_a_row(plan_.output(), rank(), (mirrored_ ? out_mirror() : out()).data(), task_.spectrum_element());
  }
  void to_device() override {
    if (mirrored_) collectively(plan_.comm(), [&] { plan_.copy(in_mirror_, in_); });
  }
  void to_host() override {
    if (mirrored_) collectively(plan_.comm(), [&] { plan_.copy(in_, in_mirror_), plan_.copy(out(), out_mirror()); });
  }
  void forward() override {
    plan_.forward(in_, out());
    plan_.synchronize();
  }
  void backward() override {
    plan_.backward(out(), in_);
    plan_.synchronize();
  }
  double gain() const override { return 1; }
  Description describe() const override {
    const std::string where =
        device().empty() ? "" : fmt::format(", device {}, arrays {}", device(), mirrored_ ? "there" : "of the host");
    return {fmt::format("{}, {}, {} threads a rank{}", task_.call == Call::best ? "tuned plan" : "untuned plan",
                        words_for[static_cast<int>(memory_)], task_.threads, where),
            plan_.input().describe(), plan_.output().describe()};
  }
  RunFacts last_forward() const override {
    RunFacts facts{.phases = {}, .bytes_sent_network = 0, .messages_sent = 0};
    for (const StepReport& step : plan_.last_run()) {
      facts.phases.emplace_back(step.label, step.seconds);
      facts.bytes_sent_network += step.bytes_network;
      facts.messages_sent += step.messages;
    }
    return facts;
  }
  std::string recipe_json() const override { return plan_.describe_json(); }
  std::string plan_text() const override { return plan_.describe(); }

 private:
  [[nodiscard]] int rank() const { return plan_.comm().rank(); }
  [[nodiscard]] bool in_place() const { return memory_ == Memory::in_place; }
  [[nodiscard]] Array& out() { return in_place() ? in_ : out_; }
  [[nodiscard]] Array& out_mirror() { return in_place() ? in_mirror_ : out_mirror_; }

  Task task_;
  Memory memory_;
  Plan plan_;
  Array in_, out_, in_mirror_, out_mirror_;
  bool mirrored_ = false;  ///< the arrays are on a device
};

class Shardfft final : public Library {
 public:
  About about() const override {
    const std::string reason = why_no_device();
    return {.library = SHARDFFT_PEER_NAME,
            .version = SHARDFFT_VERSION,
            .mpi = true,
            .threads = true,
            .batch = true,
            .grid = true,
            .axes = true,
            .kinds = device().empty() ? all_kinds() : std::vector<std::string>{"c2c", "r2c"},
            .layouts = {"natural", "transposed", "pencils", "bricks"},
            .dims = {1, 2, 3, 4},
            .available = reason.empty(),
            .reason = reason};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (!has_ways(task, comm.size())) return std::make_unique<Planned>(comm, task, Memory::kept);
    std::vector<Way> ways;
    for (const Memory memory : {task.kind == r2c ? Memory::destroyed : Memory::kept, Memory::in_place})
      if (memory != Memory::in_place || task.can_be_in_place())
        ways.push_back({words_for[static_cast<int>(memory)],
                        [&comm, &task, memory] { return std::make_unique<Planned>(comm, task, memory); }});
    return fastest(comm, SHARDFFT_PEER_NAME, task, ways);
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<Shardfft>(); }

}  // namespace shardfft::peers
