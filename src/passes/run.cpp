#include "passes/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/disk/partial_file.hpp"
#include "files/file_runs.hpp"
#include "passes/beside.hpp"
#include "passes/four_steps.hpp"
#include "passes/scratch.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "shardfft/shardfft.hpp"
#include "shardfft/verify.hpp"
#include "support/memory/buffer.hpp"

namespace shardfft::files {
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

Coord permuted(const Coord& c, const std::vector<int>& order) {
  Coord result = c;
  for (int i = 0; i < c.dims(); ++i) result[i] = c[order[static_cast<std::size_t>(i)]];
  return result;
}

/// A tile as part of the array whose elements lie in `order`, as in the tile.
LocalArray part_of_array(const Box& box, const std::byte* data, const Shape& global, const std::vector<int>& order,
                         bool complex, Precision precision, int threads) {
  LocalBox local{.box = {permuted(box.lo, order), permuted(box.hi, order)}, .data = data, .strides = box.lo};
  Index stride = plan_dtype(precision, complex).size;
  for (int a = box.dims() - 1; a >= 0; --a) local.strides[a] = stride, stride *= local.box.extent(a);
  return {.boxes = {local},
          .global = permuted(global, order),
          .complex = complex,
          .precision = precision,
          .threads = threads};
}

/// One pass on this rank. A turn is a tile of this rank; tiles are read and written beside the turn that transforms.
class PassRun {
 public:
  PassRun(const Comm& comm, const PassesPlan& plan, std::size_t number, Journal* keeper)
      : plan_(plan),
        pass_(plan.passes[number]),
        order_(order_of_tiles(plan, number)),
        first_(number == 0),
        keeper_(keeper) {
    take_turns(comm, static_cast<Index>(number));
    if (multiplies_twiddles(plan.transform, pass_)) twiddles_.emplace(plan.transform);
    ring_ = ring_of(plan.transform, pass_);
    before_.resize(static_cast<std::size_t>(ring_.before));
    after_.resize(static_cast<std::size_t>(ring_.after));
    seconds_.resize(static_cast<std::size_t>(ring_.second));
  }

  [[nodiscard]] Index turns() const { return std::ssize(turns_); }
  [[nodiscard]] Index rounds() const { return rounds_; }  ///< turns of the rank that has most

  void transform(Index turn) {
    Array &in = before(turn), &out = after(turn);
    // Here and not beside: reading and writing wait for the disk already.
    if (!first_)
      record(turn).hash_in = hash_of(pass_.tile_in(tile(turn)), in, pass_.in, order_.before, pass_.complex_in);
    if (pass_.meets) transform_second(turn);
    if (!only_rearranges(pass_)) transform(turn, in, out);
    record(turn).hash_out = hash_of(pass_.tile_out(tile(turn)), out, pass_.out, order_.after, pass_.complex_out);
  }
  void transform(Index turn, Array& in, Array& out) {
    Plan& plan = plan_of(pass_.tile_in(tile(turn)).shape(), pass_, plans_);
    timed_into(times.transforming, [&] {
      if (twiddles_) twiddles_->multiply(pass_.tile_in(tile(turn)), in.data(), plan_.options.threads);
      if (pass_.work == Work::apply)
        plan.apply(in, out, plan_.tile_operator.of_tile(pass_.tile_in(tile(turn)).lo, second_tile(turn)));
      else
        pass_.work == Work::forward ? plan.forward(in, out) : plan.backward(in, out);
    });
    if (!plan_.verifies || pass_.axes.empty()) return;
    timed_into(times.verifying, [&] {
      const Direction direction = pass_.work == Work::forward ? Direction::forward : Direction::backward;
      const Verdict found = plan.verify(in, out, direction);
      record(turn).error = found.error_rel_l2;
      record(turn).bound = found.bound;
    });
  }
  void read(const File& input, Index turn, bool second) {
    timed_into(times.reading, [&] {
      input.read(part(pass_.in, order_.before, pass_.tile_in(tile(turn)), pass_.complex_in),
                 (second ? second_before(turn) : before(turn)).data());
    });
  }
  void read(const Scratch& scratch, Index turn, bool second) {
    timed_into(times.reading,
               [&] { scratch.read(pass_.tile_in(tile(turn)), (second ? second_before(turn) : before(turn)).data()); });
  }
  void write(const File& output, Index turn) {
    timed_into(times.writing, [&] {
      output.write(part(pass_.out, order_.after, pass_.tile_out(tile(turn)), pass_.complex_out), after(turn).data());
      keep(output.impl(), turn);
    });
  }
  void write(const Scratch& scratch, Index turn) {
    timed_into(times.writing, [&] {
      scratch.write(pass_.tile_out(tile(turn)), after(turn).data());
      keep(scratch, turn);
    });
  }
  void write(const Visit& visit, Index turn) {
    timed_into(times.writing, [&] { visit(pass_.tile_out(tile(turn)), after(turn).data()); });
  }
  /// In the thread that transforms: there is one spectrum of the second array.
  void visit(const VisitTwo& visit, Index turn) {
    timed_into(times.transforming, [&] { visit(pass_.tile_out(tile(turn)), after(turn).data(), spectrum_.data()); });
  }

  /// What this rank knows of its tiles, the first one also of those that runs before this have done.
  struct Sum {
    std::uint64_t hash_in = 0, hash_out = 0;
    double error = 0, bound = 0;
    bool right = true;
  };
  [[nodiscard]] Sum sum() const {
    Sum all;
    for (const auto* records : {&done_, &turns_})
      for (const TileRecord& r : *records) {
        all.hash_in += r.hash_in;
        all.hash_out += r.hash_out;
        all.bound = std::max(all.bound, r.bound);
        if (!std::isnan(all.error) && !(r.error <= all.error)) all.error = r.error;
        all.right = all.right && r.error <= r.bound;
      }
    return all;
  }
  /// Hash of the second array's tiles that this rank has read.
  [[nodiscard]] std::uint64_t hash_of_second() const { return hash_of_second_; }
  PassReport times{};

 private:
  /// Deals the tiles that no run before has done.
  void take_turns(const Comm& comm, Index number) {
    std::vector<bool> done(static_cast<std::size_t>(pass_.tiles()));
    if (keeper_)
      for (const TileRecord& r : keeper_->done()) {
        if (r.pass != number || r.tile < 0 || r.tile >= pass_.tiles() || done[static_cast<std::size_t>(r.tile)])
          continue;
        done[static_cast<std::size_t>(r.tile)] = true;
        if (comm.rank() == 0) done_.push_back(r);
      }
    Index left = 0;
    for (Index tile = 0; tile < pass_.tiles(); ++tile)
      if (!done[static_cast<std::size_t>(tile)] && left++ % comm.size() == comm.rank())
        turns_.push_back({.pass = number, .tile = tile});
    rounds_ = (left + comm.size() - 1) / comm.size();
  }
  [[nodiscard]] TileRecord& record(Index turn) { return turns_[static_cast<std::size_t>(turn)]; }
  [[nodiscard]] Index tile(Index turn) const { return turns_[static_cast<std::size_t>(turn)].tile; }
  // Arrays are made when they are needed first: to clear them takes time, beside the disk.
  [[nodiscard]] static Array& one_of(std::vector<Array>& ring, Index turn, Index bytes) {
    Array& array = ring[static_cast<std::size_t>(turn) % ring.size()];
    if (!array.data()) array = Array(static_cast<std::size_t>(bytes));
    return array;
  }
  [[nodiscard]] Array& before(Index turn) { return one_of(before_, turn, ring_.bytes_before); }
  [[nodiscard]] Array& second_before(Index turn) { return one_of(seconds_, turn, ring_.bytes_before); }
  /// Makes the spectrum of the second array's tile.
  void transform_second(Index turn) {
    const Pass second = second_of(plan_.transform, pass_);
    const Box box = second.tile_in(tile(turn));
    if (!spectrum_.data()) spectrum_ = Array(static_cast<std::size_t>(ring_.bytes_spectrum));
    if (!first_) hash_of_second_ += hash_of(box, second_before(turn), second.in, order_.before, second.complex_in);
    timed_into(times.transforming,
               [&] { plan_of(box.shape(), second, second_plans_).forward(second_before(turn), spectrum_); });
  }
  [[nodiscard]] SecondTile second_tile(Index turn) const {
    if (!pass_.meets) return {};
    return {second_of(plan_.transform, pass_).tile_out(tile(turn)), spectrum_.data()};
  }
  [[nodiscard]] Array& after(Index turn) {
    return pass_.in_place ? before(turn) : one_of(after_, turn, ring_.bytes_after);
  }
  [[nodiscard]] Precision precision() const { return plan_.transform.problem.precision; }
  [[nodiscard]] FilePart part(const Shape& global, const std::vector<int>& order, const Box& box, bool complex) const {
    FilePart own(global, order, {box}, precision(), complex, disk_threads);
    own.piece_bytes = plan_.piece_bytes;
    own.streamed = true;
    return own;
  }
  /// Plans by the shape of the tile.
  using Plans = std::map<std::vector<Index>, std::unique_ptr<Plan>>;
  Plan& plan_of(const Shape& tile, const Pass& pass, Plans& plans) {
    auto& plan = plans[std::vector<Index>(tile.begin(), tile.end())];
    if (!plan)
      plan =
          std::make_unique<Plan>(local(), tile_problem(plan_.transform, pass, tile), tile_options(plan_, pass, order_));
    return *plan;
  }
  [[nodiscard]] std::uint64_t hash_of(const Box& box, const Array& array, const Shape& global,
                                      const std::vector<int>& order, bool complex) {
    std::uint64_t found = 0;
    timed_into(times.transforming, [&] {
      found =
          hash(local(), part_of_array(box, array.data(), global, order, complex, precision(), plan_.options.threads));
    });
    return found;
  }
  template <class Written>
  void keep(const Written& file, Index turn) {
    if (!keeper_) return;
    file.to_disk();
    keeper_->add(record(turn));
  }

  const PassesPlan& plan_;
  const Pass& pass_;
  TileOrder order_;
  std::optional<TileTwiddles> twiddles_{};
  bool first_;
  Journal* keeper_;
  std::vector<TileRecord> done_{}, turns_{};
  Index rounds_ = 0;
  Ring ring_{};
  std::vector<Array> before_{}, after_{}, seconds_{};
  Array spectrum_{};  ///< of a tile of the second array
  std::uint64_t hash_of_second_ = 0;
  Plans plans_{}, second_plans_{};
};

/// All turns of a pass. Collective: an error ends all ranks in the round in which it is met.
void run_turns(const Comm& comm, PassRun& run, const std::function<void(Index)>& read,
               const std::function<void(Index)>& visit, const std::function<void(Index)>& write, Watcher& watcher) {
  Beside reader, writer;
  const auto read_beside = [&](Index turn) {
    if (turn < run.turns()) reader.ask([&read, turn] { read(turn); });
  };
  collectively(comm, [&] { read_beside(0); });
  for (Index turn = 0; turn < run.rounds(); ++turn) {
    collectively(comm, [&] {
      if (turn >= run.turns()) return;
      reader.wait_for(turn + 1);
      writer.wait_for(turn - 1);  // its tile lies where this one goes, or the next one
      read_beside(turn + 1);
      run.transform(turn);
      visit(turn);
      writer.ask([&write, turn] { write(turn); });
    });
    watcher.advance(1);
  }
  collectively(comm, [&] { writer.wait_for(run.turns()); });
}

/// Whether runs before this have done all tiles of a pass.
bool is_done(const Journal* keeper, std::size_t number, const Pass& pass) {
  std::set<Index> tiles;
  if (!keeper || !keeper->goes_on()) return false;
  for (const TileRecord& r : keeper->done())
    if (r.pass == static_cast<Index>(number)) tiles.insert(r.tile);
  return std::ssize(tiles) >= pass.tiles();
}

/// Finds places for the files between pass `number` and the next one. `spent`: that has read them.
std::vector<ScratchPlace> places_of(const Comm& comm, const std::string& out, const std::vector<std::string>& folders,
                                    Journal* keeper, std::size_t number, bool spent) {
  const std::string target = text_of_first(comm, resolved(out));
  const std::string name = target.substr(target.rfind('/') + 1);
  const auto place = [&](const std::string& beside, const std::string& kept_in, const std::string& said) {
    const std::string path =
        keeper ? fmt::format("{}/scratch-{}", kept_in, number) : text_of_first(comm, name_beside(beside, "scratch"));
    return ScratchPlace{path, said, keeper != nullptr, keeper && keeper->goes_on(), spent};
  };
  if (folders.empty()) return {place(target, keeper ? keeper->folder() : "", fmt::format("beside '{}'", target))};
  std::vector<ScratchPlace> places;
  for (const std::string& folder : folders)
    places.push_back(
        place(folder + "/" + name, keeper ? folder + "/" + keeper->name() : "", fmt::format("in '{}'", folder)));
  return places;
}

}  // namespace

Scratches make_scratches(const Comm& comm, const PassesPlan& plan, const std::string& out,
                         const std::vector<std::string>& folders, Journal* keeper) {
  Scratches all;
  const auto add = [&](auto& scratches, std::size_t i) {
    const Pass &pass = plan.passes[i], &next = plan.passes[i + 1];
    scratches.push_back(std::make_unique<Scratch>(
        comm, places_of(comm, out, folders, keeper, i, is_done(keeper, i + 1, next)), Cells(pass, next),
        plan_dtype(plan.transform.problem.precision, pass.complex_out).size, disk_threads, plan.piece_bytes));
  };
  for (std::size_t i = 0; i + 1 < plan.passes.size(); ++i) add(all.first, i);
  for (std::size_t i = 0; plan.transform.two && i < meeting_of(plan.passes); ++i) add(all.second, i);
  return all;
}

std::unique_ptr<Scratch> make_scratch_of_results(const Comm& comm, const PassesPlan& plan, const std::string& out,
                                                 const std::vector<std::string>& folders) {
  const Pass &last = plan.passes.back(), &first = plan.passes.front();
  return std::make_unique<Scratch>(comm, places_of(comm, out, folders, nullptr, 0, false), Cells(last, first),
                                   plan_dtype(plan.transform.problem.precision, last.complex_out).size, disk_threads,
                                   plan.piece_bytes);
}

namespace {

/// What a pass reads and writes: files at the ends of a run, scratch files between.
struct Way {
  const File* in = nullptr;
  const Scratch *from = nullptr, *to = nullptr;
  const File* second_in = nullptr;
  const Scratch* second_from = nullptr;
};

void require_given_back(const Scratch& scratch, std::uint64_t written, std::uint64_t found) {
  if (found != written)
    throw Error(Status::io_failed,
                fmt::format("the scratch file {} must give back what was written to it; it does not; check the disk",
                            scratch.said()));
}

/// Hashes of what the passes before have written.
struct Hashes {
  std::uint64_t first = 0, second = 0;
};

/// Collective. One pass; adds times and verdict to the report. Returns the hash of the result.
std::uint64_t run_pass(const Comm& comm, const PassesPlan& plan, std::size_t number, const Way& way, const Ends& ends,
                       const Hashes& before, Journal* keeper, Watcher& watcher, PassesReport& report) {
  release_freed_memory();  // of the pass before, whose tiles had other sizes
  std::optional<PassRun> run;
  collectively(comm, [&] { run.emplace(comm, plan, number, keeper); });
  const auto read_one = [&](const Scratch* from, const File* in, Index turn, bool second) {
    from ? run->read(*from, turn, second) : run->read(*in, turn, second);
  };
  const auto read = [&](Index turn) {
    read_one(way.from, way.in, turn, false);
    if (way.second_in || way.second_from) read_one(way.second_from, way.second_in, turn, true);
  };
  const auto write = [&](Index turn) {
    if (way.to) return run->write(*way.to, turn);
    if (ends.out) return run->write(*ends.out, turn);
    if (ends.visit) run->write(*ends.visit, turn);
  };
  const auto visit = [&](Index turn) {
    if (!way.to && ends.visit_two) run->visit(*ends.visit_two, turn);
  };
  const auto check_inputs = [&] {
    collectively(comm, [&] {
      ends.in.check_unchanged();
      if (ends.second) ends.second->check_unchanged();
    });
  };
  check_inputs();
  double seconds = 0;
  timed_into(seconds, [&] { run_turns(comm, *run, read, visit, write, watcher); });
  check_inputs();
  const PassRun::Sum mine = run->sum();
  const std::uint64_t found = sum_over_ranks(comm, mine.hash_in), made = sum_over_ranks(comm, mine.hash_out);
  if (way.from) require_given_back(*way.from, before.first, found);
  const std::uint64_t found_of_second = sum_over_ranks(comm, run->hash_of_second());
  if (way.second_from) require_given_back(*way.second_from, before.second, found_of_second);
  report.right = all_max(comm, std::int64_t{!mine.right}) == 0 && report.right;
  report.verdict.error_rel_l2 += all_max(comm, mine.error);
  report.verdict.bound += all_max(comm, mine.bound);
  PassReport& times = report.passes[number];
  times.total += all_max(comm, seconds);
  for (double PassReport::* part :
       {&PassReport::reading, &PassReport::transforming, &PassReport::verifying, &PassReport::writing})
    times.*part += all_max(comm, run->times.*part);
  if (way.from && way.to) way.from->forget();  // the last one is closed soon
  return made;
}

}  // namespace

void run_passes(const Comm& comm, const PassesPlan& plan, const Ends& ends, Scratches& scratches, Journal* keeper,
                Watcher& watcher, PassesReport& report) {
  const std::size_t meeting = meeting_of(plan.passes);
  Index turns = 0;
  for (std::size_t i = 0; i < plan.passes.size(); ++i)
    turns += (plan.passes[i].tiles() + comm.size() - 1) / comm.size() *
             (ends.second && !scratches.hash_of_second && i < meeting ? 2 : 1);
  watcher.expect(turns);
  const auto at = [](const auto& list, std::size_t i) { return i < list.size() ? list[i].get() : nullptr; };
  const auto before = [&](const auto& list, std::size_t i) { return i > 0 ? at(list, i - 1) : nullptr; };
  Hashes hashes{.second = scratches.hash_of_second.value_or(0)};
  const bool second_first = ends.second && !scratches.hash_of_second;
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    watcher.substage(fmt::format("pass {} of {}", i + 1, plan.passes.size()));
    if (second_first && i < meeting)
      scratches.hash_of_second = hashes.second = run_pass(
          comm, plan, i, {.in = ends.second, .from = before(scratches.second, i), .to = at(scratches.second, i)}, ends,
          {.first = hashes.second}, nullptr, watcher, report);
    Way way{.in = &ends.in, .from = before(scratches.first, i), .to = at(scratches.first, i)};
    if (ends.second && i == meeting) way.second_in = ends.second, way.second_from = before(scratches.second, i);
    hashes.first = run_pass(comm, plan, i, way, ends, hashes, keeper, watcher, report);
  }
  report.hash = hashes.first;
}

}  // namespace shardfft::files
