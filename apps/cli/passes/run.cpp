#include "passes/run.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "passes/scratch.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/shardfft.hpp"
#include "shardfft/verify.hpp"

namespace shardfft::cli {
namespace {

/// Adds the seconds of `work`.
template <class Work>
void timed_into(double& seconds, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::uint64_t sum_over_ranks(const Comm& comm, std::uint64_t mine) {
  std::uint64_t sum = 0;
  for (const std::int64_t value : all_values(comm, static_cast<std::int64_t>(mine)))
    sum += static_cast<std::uint64_t>(value);
  return sum;
}

std::vector<int> order_of_c(int dims) {
  std::vector<int> order;
  for (int a = 0; a < dims; ++a) order.push_back(a);
  return order;
}

/// A tile in C order, as part of the array.
LocalArray part_of_array(const Box& box, const std::byte* data, const Shape& global, bool complex, Precision precision,
                         int threads) {
  LocalBox local{.box = box, .data = data, .strides = box.lo};
  Index stride = plan_dtype(precision, complex).size;
  for (int a = box.dims() - 1; a >= 0; --a) local.strides[a] = stride, stride *= box.extent(a);
  return {.boxes = {local}, .global = global, .complex = complex, .precision = precision, .threads = threads};
}

/// One pass on this rank.
class PassRun {
 public:
  PassRun(const PassesPlan& plan, std::size_t number)
      : plan_(plan), pass_(plan.passes[number]), first_(number == 0), last_(number + 1 == plan.passes.size()) {
    const Precision precision = plan.transform.task.problem.precision;
    const auto bytes = [&](const Box& tile, bool complex) {
      return static_cast<std::size_t>(tile.count() * plan_dtype(precision, complex).size);
    };
    in_ = Array(bytes(pass_.tile_in(0), pass_.complex_in));
    out_ = Array(bytes(pass_.tile_out(0), pass_.complex_out));
  }

  void transform(Index tile) {
    Plan& plan = plan_of(pass_.tile_in(tile).shape());
    const Direction direction = plan_.transform.task.direction;
    timed_into(times.transforming,
               [&] { direction == Direction::forward ? plan.forward(in_, out_) : plan.backward(in_, out_); });
    if (!plan_.verifies) return;
    timed_into(times.verifying, [&] {
      const Verdict found = plan.verify(in_, out_, direction);
      right = right && found.ok();
      worst.bound = std::max(worst.bound, found.bound);
      if (!(found.error_rel_l2 <= worst.error_rel_l2)) worst.error_rel_l2 = found.error_rel_l2;  // NaN, too
    });
  }
  void read(const NpyInput& input, Index tile) {
    Progress silent(false);
    timed_into(times.reading, [&] {
      input.read(
          {pass_.in, plan_.transform.file_order, {pass_.tile_in(tile)}, precision(), pass_.complex_in, threads()},
          in_.data(), silent);
    });
  }
  void read(const Scratch& scratch, Index tile) {
    const Box box = pass_.tile_in(tile);
    timed_into(times.reading, [&] {
      scratch.read(box, in_.data());
      hash_in += hash(local(), part_of_array(box, in_.data(), pass_.in, pass_.complex_in, precision(), threads()));
    });
  }
  void write(const PartialFile& output, Index header_bytes, Index tile) {
    Progress silent(false);
    hash_result(tile);
    timed_into(times.writing, [&] {
      write_part(
          output, header_bytes,
          {pass_.out, order_of_c(pass_.out.dims()), {pass_.tile_out(tile)}, precision(), pass_.complex_out, threads()},
          out_.data(), silent);
    });
  }
  void write(const Scratch& scratch, Index tile) {
    hash_result(tile);
    timed_into(times.writing, [&] { scratch.write(pass_.tile_out(tile), out_.data()); });
  }

  [[nodiscard]] const Pass& pass() const { return pass_; }
  PassTimes times{};
  std::uint64_t hash_in = 0, hash_out = 0;  ///< of this rank's tiles
  Verdict worst{};
  bool right = true;

 private:
  [[nodiscard]] Precision precision() const { return plan_.transform.task.problem.precision; }
  [[nodiscard]] int threads() const { return plan_.options.threads; }
  Plan& plan_of(const Shape& tile) {
    auto& plan = plans_[std::vector<Index>(tile.begin(), tile.end())];
    if (!plan)
      plan = std::make_unique<Plan>(
          local(), tile_problem(plan_.transform.task, pass_, tile),
          tile_options(plan_, pass_, first_ ? plan_.transform.file_order : order_of_c(tile.dims())));
    return *plan;
  }
  void hash_result(Index tile) {
    timed_into(times.transforming, [&] {
      hash_out += hash(local(), part_of_array(pass_.tile_out(tile), out_.data(), pass_.out, pass_.complex_out,
                                              precision(), threads()));
    });
  }

  const PassesPlan& plan_;
  const Pass& pass_;
  bool first_, last_;
  Array in_, out_;
  std::map<std::vector<Index>, std::unique_ptr<Plan>> plans_{};  ///< by the shape of the tile
};

}  // namespace

Scratches make_scratches(const Comm& comm, const PassesPlan& plan, const std::string& target) {
  Scratches all;
  for (std::size_t i = 0; i + 1 < plan.passes.size(); ++i) {
    const Pass& pass = plan.passes[i];
    all.push_back(std::make_unique<Scratch>(comm, target, Cells(pass, plan.passes[i + 1]),
                                            plan_dtype(plan.transform.task.problem.precision, pass.complex_out).size,
                                            plan.options.threads));
  }
  return all;
}

PassesOutcome run_passes(const Comm& comm, const PassesPlan& plan, const NpyInput& input, const PartialFile& output,
                         Index header_bytes, const Scratches& scratches, PartsClock& clock, Progress& progress) {
  PassesOutcome outcome;
  PassTimes mine;
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    const Scratch *from = i > 0 ? scratches[i - 1].get() : nullptr,
                  *to = i < scratches.size() ? scratches[i].get() : nullptr;
    progress.stage(fmt::format("pass {} of {}", i + 1, plan.passes.size()));
    std::optional<PassRun> run;
    collectively(comm, [&] { run.emplace(plan, i); });
    const auto check_input = [&] { collectively(comm, [&] { input.check_unchanged(); }); };
    check_input();
    const Index tiles = run->pass().tiles(), rounds = (tiles + comm.size() - 1) / comm.size();
    progress.expect(rounds);
    for (Index round = 0; round < rounds; ++round) {
      const Index tile = round * comm.size() + comm.rank();
      collectively(comm, [&] {  // each round, so that an error ends all ranks soon
        if (tile >= tiles) return;
        from ? run->read(*from, tile) : run->read(input, tile);
        run->transform(tile);
        to ? run->write(*to, tile) : run->write(output, header_bytes, tile);
      });
      progress.advance(1);
    }
    check_input();
    const std::uint64_t read = sum_over_ranks(comm, run->hash_in), made = sum_over_ranks(comm, run->hash_out);
    if (from && read != outcome.hash)
      throw Error(Status::io_failed,
                  fmt::format("the scratch file beside '{}' must give back what was written to it; it does not; check "
                              "the disk",
                              from->target()));
    outcome.hash = made;
    outcome.right = all_max(comm, std::int64_t{!run->right}) == 0 && outcome.right;
    outcome.verdict.error_rel_l2 += all_max(comm, run->worst.error_rel_l2);
    outcome.verdict.bound += all_max(comm, run->worst.bound);
    outcome.passes.push_back({all_max(comm, run->times.reading), all_max(comm, run->times.transforming),
                              all_max(comm, run->times.verifying), all_max(comm, run->times.writing)});
    mine.reading += run->times.reading;
    mine.transforming += run->times.transforming;
    mine.verifying += run->times.verifying;
    mine.writing += run->times.writing;
    if (from) from->forget();
  }
  clock.add("reading", mine.reading);
  clock.add("transforming", mine.transforming);
  if (plan.verifies) clock.add("verifying", mine.verifying);
  clock.add("writing", mine.writing);
  return outcome;
}

}  // namespace shardfft::cli
