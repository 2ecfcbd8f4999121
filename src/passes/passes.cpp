// The public face: files::Passes, and the calls that are made of it.
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "passes/plan.hpp"
#include "passes/run.hpp"
#include "plan/operators/shells.hpp"
#include "planner/decide/planner.hpp"
#include "planner/options/choices.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::files {
namespace {

Index bytes_in_file(const std::string& path) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(path, ignored);
  return ignored ? -1 : static_cast<Index>(bytes);
}

const char* word_of(Work work) {
  return work == Work::forward ? "forward" : work == Work::backward ? "backward" : "apply";
}

/// Throws Error(unsupported) unless passes take both arrays alike.
void require_alike(const File& a, const File& b, const OutOfCore& how) {
  if (a.info().order != b.info().order)
    throw Error(Status::unsupported, fmt::format("two arrays have one order of axes; '{}' and '{}' have two; store one "
                                                 "with numpy.ascontiguousarray",
                                                 a.name(), b.name()));
  if (how.resume) throw Error(Status::unsupported, "runs of two arrays are not resumed; got resume; leave it out");
  if (how.verify) throw Error(Status::unsupported, "runs of two arrays are not verified; got verify; leave it out");
}

Options turned(Options options, const Problem& problem) {
  if (problem.kind == c2r) std::swap(options.input, options.output);
  return options;
}

}  // namespace

struct Passes::Impl {
  /// With an operator of one array or two, if there is one; `reduces`: the result is not written.
  Impl(const Comm& group, File from, const Problem& problem, Direction direction, const OperatorFor& operator_for,
       const Options& options, const OutOfCore& out_of_core, bool reduces = false, const File* second = nullptr,
       const TwoSpectra& of_two = {})
      : comm(group), in(std::move(from)), how(out_of_core) {
    FileTransform asked;
    collectively(comm, [&] {
      asked = asked_of(problem, direction, operator_for || of_two);
      asked.reduces = reduces;
      asked.two = second != nullptr;
      require_array(asked, in);
      if (!second) return;
      require_array(asked, *second);
      require_alike(in, *second, how);
    });
    require_same(comm, "problem and options of passes",
                 fmt::format("{}{}direction {}\nmemory {}\nscratch {}\nresume {}\nverify {}\n", lines_of(problem),
                             shared_text(options), static_cast<int>(direction), how.memory_bytes,
                             fmt::join(how.scratch, ","), how.resume, how.verify));
    plan = plan_passes(comm, asked, operator_for, of_two, options, in, second, how);
    fill_report();
  }

  void fill_report() {
    report.plan = plan.said;
    report.memory_bytes = plan.bytes;
    report.bytes_read = static_cast<Index>(plan.moved.read);
    report.bytes_written = static_cast<Index>(plan.moved.written);
    report.calls = static_cast<Index>(plan.moved.calls);
    report.scratch_bytes = plan.scratch_bytes;
    report.passes.clear();
    for (const Pass& pass : plan.passes) {
      std::vector<int> axes = pass.axes;
      if (plan.transform.split)
        for (int& axis : axes) axis = plan.transform.split->callers(axis);
      report.passes.push_back({.does = axes.empty() ? "move" : word_of(pass.work),
                               .axes = axes,
                               .tiles = pass.tiles(),
                               .tile = pass.tile_in(0).shape()});
    }
  }
  void require_output(const File& file) const;
  void open_journal();
  [[nodiscard]] std::string scratch_place() const;
  [[nodiscard]] Scratches make_scratches() const;
  void start(const File& file);
  void run(const Ends& ends);

  Comm comm;
  File in;
  std::optional<File> out{};
  OutOfCore how;
  PassesPlan plan{};
  PassesReport report{};
  std::unique_ptr<Journal> journal{};
  Scratches scratches{};
};

void Passes::Impl::require_output(const File& file) const {
  const FileTransform& t = plan.asked;
  const Dtype type = plan_dtype(t.problem.precision, t.complex_out);
  if (file.info().shape != t.out || file.info().type != type)
    throw Error(Status::invalid_argument,
                fmt::format("the result is {} {}; '{}' has {} {}; make it so", to_string(t.out), to_string(type),
                            file.name(), to_string(file.info().shape), to_string(file.info().type)));
  if (plan.transform.split && !file.impl().is_flat())
    throw Error(Status::unsupported,
                fmt::format("an axis longer than the memory is written in short stretches; '{}' takes boxes; write a "
                            ".npy or HDF5 file, or raise --memory",
                            file.name()));
}

// Goes on from the passes of a run that was killed, if there was one that fits.
void Passes::Impl::open_journal() {
  journal = std::make_unique<Journal>(comm, out->impl().path(),
                                      Json::parse(text_of_first(comm, identity_of(plan, in, *out, how).dump())));
  collectively(comm, [&] {
    if (journal->goes_on() && bytes_in_file(journal->path("out")) != journal->noted()["bytes"].get<Index>())
      throw Error(Status::io_failed, fmt::format("what a run that was killed has written of '{}' is lost; run it "
                                                 "again, which begins anew",
                                                 out->impl().path()));
  });
  std::int64_t fits = 1;
  if (journal->goes_on()) fits = take_passes(plan, journal->noted()["passes"], in) ? 1 : 0;
  if (-all_max(comm, -fits) == 0) journal->start_anew();
  for (const std::string& folder : how.scratch)
    collectively(comm, [&] { journal->adopt_folder(folder + "/" + journal->name()); });
}

std::string Passes::Impl::scratch_place() const {
  const std::string place = out ? out->impl().path() : "";
  return place.empty() ? text_of_first(comm, std::filesystem::temp_directory_path() / "shardfft") : place;
}
Scratches Passes::Impl::make_scratches() const {
  return files::make_scratches(comm, plan, scratch_place(), how.scratch, journal.get());
}

void Passes::Impl::start(const File& file) {
  out = file;
  collectively(comm, [&] { require_output(file); });
  const std::string place = out->impl().path();
  if (how.resume) {
    if (place.empty()) (void)out->impl().keep_at("", 0);  // which says why not
    open_journal();
    const Index begun =
        out->impl().keep_at(journal->path("out"), journal->goes_on() ? journal->noted()["start"].get<Index>() : 0);
    fill_report();
    report.tiles_done_before = std::ssize(journal->done());
    scratches = make_scratches();
    return journal->begin(
        {{"passes", passes_json(plan)}, {"start", begun}, {"bytes", bytes_in_file(journal->path("out"))}});
  }
  scratches = make_scratches();
}

void Passes::Impl::run(const Ends& ends) {
  static Watcher silent;
  run_passes(comm, plan, ends, scratches, journal.get(), how.watcher ? *how.watcher : silent, report);
  collectively(comm, [&] { in.check_unchanged(); });
}

Passes::Passes(const Comm& comm, const File& in, const Problem& problem, Direction direction, const Options& options,
               const OutOfCore& how)
    : impl_(std::make_unique<Impl>(comm, in, problem, direction, OperatorFor(), turned(options, problem), how)) {}
Passes::Passes(const Comm& comm, const File& in, const Problem& problem, const OperatorFor& operator_for,
               const Options& options, const OutOfCore& how)
    : impl_(std::make_unique<Impl>(comm, in, problem, Direction::forward, operator_for, options, how)) {}
Passes::~Passes() = default;
Passes::Passes(Passes&&) noexcept = default;

ArrayInfo Passes::result_of(const Problem& problem, Direction direction) {
  const FileTransform t = asked_of(problem, direction, false);
  return {t.out, plan_dtype(problem.precision, t.complex_out), {}};
}
const PassesReport& Passes::report() const { return impl_->report; }
void Passes::start(const File& out) { impl_->start(out); }
void Passes::run() {
  impl_->run({impl_->in, &*impl_->out, nullptr});
  impl_->scratches = {};
}
void Passes::finish() {
  impl_->out->impl().commit();
  impl_->journal.reset();
}

namespace {

PassesReport reduced(const Comm& comm, const File& in, const Problem& problem, Direction direction, const Visit& visit,
                     const Options& options, const OutOfCore& how) {
  if (how.resume) throw Error(Status::unsupported, "runs that write nothing are not resumed; got resume; leave it out");
  Passes::Impl passes(comm, in, problem, direction, OperatorFor(), turned(options, problem), how, true);
  passes.scratches = passes.make_scratches();
  passes.run({in, nullptr, &visit});
  return passes.report;
}

PassesReport written(Passes passes, const File& out) {
  passes.start(out);
  passes.run();
  if (passes.report().right) passes.finish();
  return passes.report();
}

}  // namespace

struct TwoPasses::Impl {
  Passes::Impl passes;
  File second;
};

// The operator is another one in each run.
TwoPasses::TwoPasses(const Comm& comm, const File& in, const File& second, const Problem& problem,
                     const Options& options, const OutOfCore& how)
    : impl_(std::make_unique<Impl>(Passes::Impl(comm, in, problem, Direction::forward, OperatorFor(), options, how,
                                                false, &second, [](const Modes&, const std::byte*) {}),
                                   second)) {
  impl_->passes.scratches = impl_->passes.make_scratches();
}
TwoPasses::~TwoPasses() = default;
std::unique_ptr<Scratch> TwoPasses::make_scratch() const {
  const Passes::Impl& p = impl_->passes;
  return make_scratch_of_results(p.comm, p.plan, p.scratch_place(), p.how.scratch);
}
void TwoPasses::run(const File& in, const File& out, const TwoSpectra& f) {
  Passes::Impl& p = impl_->passes;
  p.plan.tile_operator = p.plan.tile_operator.with(f);
  p.run({.in = in, .out = &out, .second = &impl_->second});
}
const PassesReport& TwoPasses::report() const { return impl_->passes.report; }
void TwoPasses::for_each_result(const Comm& comm, const std::function<void(const Box&)>& work) const {
  const Pass& last = impl_->passes.plan.passes.back();
  for (Index tile = comm.rank(); tile < last.tiles(); tile += comm.size()) work(last.tile_out(tile));
}

PassesReport reduce_two(const Comm& comm, const File& a, const File& b, const Problem& problem, const VisitTwo& visit,
                        const Options& options, const OutOfCore& how) {
  if (problem.kind == c2r) throw Error(Status::unsupported, "two spectra are made forward; got c2r; take r2c");
  Passes::Impl passes(comm, a, problem, Direction::forward, OperatorFor(), options, how, true, &b);
  passes.scratches = passes.make_scratches();
  passes.run({.in = a, .second = &b, .visit_two = &visit});
  return passes.report;
}

PassesReport transform(const Comm& comm, const File& in, const File& out, const Problem& problem, Direction direction,
                       const Options& options, const OutOfCore& how) {
  return written(Passes(comm, in, problem, direction, options, how), out);
}
PassesReport apply(const Comm& comm, const File& in, const File& out, const Problem& problem,
                   const OperatorFor& operator_for, const Options& options, const OutOfCore& how) {
  return written(Passes(comm, in, problem, operator_for, options, how), out);
}
PassesReport reduce(const Comm& comm, const File& in, const Problem& problem, const Visit& visit,
                    const Options& options, const OutOfCore& how) {
  return reduced(comm, in, problem, Direction::forward, visit, options, how);
}

std::vector<double> power_spectrum(const Comm& comm, const File& in, const Problem& problem,
                                   std::span<const double> lengths, double width, const Options& options,
                                   const OutOfCore& how) {
  std::optional<Shells> shells;
  collectively(
      comm, [&] { shells.emplace(WaveNumbers(problem, lengths), width, /*centred=*/true, /*usual_is_longest=*/true); });
  ShellSums sums(*shells, 1);
  const Visit add = [&](const Box& box, const std::byte* elements) { sums.add(box, elements); };
  (void)reduced(comm, in, problem, problem.kind == c2r ? Direction::backward : Direction::forward, add, options, how);
  std::vector<double> all = sums.over_ranks(comm);
  all.resize(shells->count());
  return all;
}

}  // namespace shardfft::files
