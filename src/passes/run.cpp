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
  }

  [[nodiscard]] Index turns() const { return std::ssize(turns_); }
  [[nodiscard]] Index rounds() const { return rounds_; }  ///< turns of the rank that has most

  void transform(Index turn) {
    Array &in = before(turn), &out = after(turn);
    // Here and not beside: reading and writing wait for the disk already.
    if (!first_)
      record(turn).hash_in = hash_of(pass_.tile_in(tile(turn)), in, pass_.in, order_.before, pass_.complex_in);
    if (!only_rearranges(pass_)) transform(turn, in, out);
    record(turn).hash_out = hash_of(pass_.tile_out(tile(turn)), out, pass_.out, order_.after, pass_.complex_out);
  }
  void transform(Index turn, Array& in, Array& out) {
    Plan& plan = plan_of(pass_.tile_in(tile(turn)).shape());
    timed_into(times.transforming, [&] {
      if (twiddles_) twiddles_->multiply(pass_.tile_in(tile(turn)), in.data(), plan_.options.threads);
      if (pass_.work == Work::apply)
        plan.apply(in, out, plan_.tile_operator.of_tile(pass_.tile_in(tile(turn)).lo));
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
  void read(const File& input, Index turn) {
    timed_into(times.reading, [&] {
      input.read(part(pass_.in, order_.before, pass_.tile_in(tile(turn)), pass_.complex_in), before(turn).data());
    });
  }
  void read(const Scratch& scratch, Index turn) {
    timed_into(times.reading, [&] { scratch.read(pass_.tile_in(tile(turn)), before(turn).data()); });
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
  Plan& plan_of(const Shape& tile) {
    auto& plan = plans_[std::vector<Index>(tile.begin(), tile.end())];
    if (!plan)
      plan = std::make_unique<Plan>(local(), tile_problem(plan_.transform, pass_, tile),
                                    tile_options(plan_, pass_, order_));
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
  std::vector<Array> before_{}, after_{};
  std::map<std::vector<Index>, std::unique_ptr<Plan>> plans_{};  ///< by the shape of the tile
};

/// All turns of a pass. Collective: an error ends all ranks in the round in which it is met.
void run_turns(const Comm& comm, PassRun& run, const std::function<void(Index)>& read,
               const std::function<void(Index)>& write, Watcher& watcher) {
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
  for (std::size_t i = 0; i + 1 < plan.passes.size(); ++i) {
    const Pass &pass = plan.passes[i], &next = plan.passes[i + 1];
    all.push_back(std::make_unique<Scratch>(
        comm, places_of(comm, out, folders, keeper, i, is_done(keeper, i + 1, next)), Cells(pass, next),
        plan_dtype(plan.transform.problem.precision, pass.complex_out).size, disk_threads, plan.piece_bytes));
  }
  return all;
}

void run_passes(const Comm& comm, const PassesPlan& plan, const Ends& ends, const Scratches& scratches, Journal* keeper,
                Watcher& watcher, PassesReport& report) {
  Index turns = 0;
  for (const Pass& pass : plan.passes) turns += (pass.tiles() + comm.size() - 1) / comm.size();
  watcher.expect(turns);
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    const Scratch *from = i > 0 ? scratches[i - 1].get() : nullptr,
                  *to = i < scratches.size() ? scratches[i].get() : nullptr;
    watcher.substage(fmt::format("pass {} of {}", i + 1, plan.passes.size()));
    std::optional<PassRun> run;
    collectively(comm, [&] { run.emplace(comm, plan, i, keeper); });
    const auto read = [&](Index turn) { from ? run->read(*from, turn) : run->read(ends.in, turn); };
    const auto write = [&](Index turn) {
      if (to) return run->write(*to, turn);
      ends.out ? run->write(*ends.out, turn) : run->write(*ends.visit, turn);
    };
    const auto check_input = [&] { collectively(comm, [&] { ends.in.check_unchanged(); }); };
    check_input();
    double seconds = 0;
    timed_into(seconds, [&] { run_turns(comm, *run, read, write, watcher); });
    check_input();
    const PassRun::Sum mine = run->sum();
    const std::uint64_t found = sum_over_ranks(comm, mine.hash_in), made = sum_over_ranks(comm, mine.hash_out);
    if (from && found != report.hash)
      throw Error(Status::io_failed,
                  fmt::format("the scratch file {} must give back what was written to it; it does not; check the disk",
                              from->said()));
    report.hash = made;
    report.right = all_max(comm, std::int64_t{!mine.right}) == 0 && report.right;
    report.verdict.error_rel_l2 += all_max(comm, mine.error);
    report.verdict.bound += all_max(comm, mine.bound);
    PassReport& times = report.passes[i];
    times.total = all_max(comm, seconds);
    for (double PassReport::* part :
         {&PassReport::reading, &PassReport::transforming, &PassReport::verifying, &PassReport::writing})
      times.*part = all_max(comm, run->times.*part);
    if (from && to) from->forget();  // the last one is closed soon
  }
}

}  // namespace shardfft::files
