#include "pipeline/route/blocking.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace shardfft {
namespace {

constexpr Index run_length = 32;  // elements along the axis of space
constexpr Index line_length = 8;  // elements along the last axis, which is contiguous in planes in cache and so the
                                  // fastest one in blocks: their coefficients are of about the same size
constexpr Index large_unit = 1 << 20;  // bytes that still lie in a core's own cache, with what is made of them
constexpr int worth_asking =
    8;  // ranks, for what an exchange will take: a plan with more of them is to be made in milliseconds, too
constexpr Index small_unit = 128 << 10;  // bytes below which a unit is not worth its overhead

class Blocker {
 public:
  Blocker(const PipelineSpec& spec, std::vector<RouteStep>& steps, std::vector<ExchangeSpec>& exchanges)
      : spec_(spec), steps_(steps), exchanges_(exchanges), dims_(spec.from.layout.global().dims()) {}

  void plan() {
    std::vector<int> run(exchanges_.size(), -1);
    for (std::size_t k = 0; k < exchanges_.size(); ++k)
      if (!is_hermitian(k) && is_encoded(spec_, exchanges_[k])) run[k] = run_axis(k);
    for (bool sure = false; !sure;)
      sure = !leave_out(run);  // without one, the units of another one's sweeps may be others
    if (std::all_of(run.begin(), run.end(), [](int axis) { return axis < 0; })) return;
    if (!are_operated(spec_.stages)) plan_looks(run);
    for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i].units = units_of(i, run);
    for (std::size_t k = 0; k < exchanges_.size(); ++k)
      if (run[k] >= 0) {
        exchanges_[k].codec = spec_.encoding.codec;
        exchanges_[k].encodes = [encodes = spec_.encoding.encodes, me = spec_.me](int peer) {
          return encodes(me, peer);
        };
        exchanges_[k].blocking = blocking_of(k, run);
        exchanges_[k].type = type_of(k);
      }
  }

 private:
  // What a copy brings from a hermitian array of the caller, or to one: elements that stand for two, and conjugates.
  [[nodiscard]] bool is_hermitian(std::size_t k) const {
    return (spec_.from.hermitian() && k == 0 && steps_.front().stage < 0) ||
           (spec_.to.hermitian() && k + 1 == exchanges_.size() && steps_.back().stage < 0);
  }

  void plan_looks(const std::vector<int>& run) {
    if (spec_.place->norm_comes_first() || (run[0] >= 0 && norm_pays()))
      steps_.front().after_norm = true;
    else
      steps_[first_to_look()].measures_norm = true;
    for (RouteStep& step : steps_)
      for (const AxisTransform& axis : axes_of(static_cast<std::size_t>(&step - steps_.data())))
        step.measures_result |= axis.transform == Transform1d::c2r && !is_pruned(spec_.stages);
  }

  // Those whose messages would take as much as the numbers in them, or more. From the layouts alone, so that all ranks
  // find the same.
  bool leave_out(std::vector<int>& run) {
    if (!spec_.encoding.bits) return false;
    const std::vector<int> before = run;
    for (std::size_t k = 0; k < exchanges_.size(); ++k) {
      if (before[k] < 0) continue;
      if (const Expected e = expected(k, before); e.encoded >= e.plain) {
        exchanges_[k].saves_nothing = e;
        run[k] = -1;
      }
    }
    return run != before;
  }

  // Expected sizes of messages, for all ranks or for some.
  [[nodiscard]] Expected expected(std::size_t k, const std::vector<int>& run) const {
    const ExchangeSpec& e = exchanges_[k];
    const Blocking blocking = blocking_of(k, run);
    const int ranks = e.from.ranks(), samples = std::min(ranks, worth_asking);
    Expected sum;
    for (int i = 0; i < samples; ++i) {
      const int rank = static_cast<int>(Index{i} * (ranks - 1) / std::max(1, samples - 1));
      std::map<std::pair<int, int>, std::vector<Box>> messages;
      for (const Piece& piece : pieces_to_send(e.from, e.to, e.chunks, rank))
        if (piece.peer != rank && spec_.encoding.encodes(rank, piece.peer))
          messages[{piece.chunk, piece.peer}].push_back(piece.box);
      for (const auto& [to, boxes] : messages) {
        const Expected one =
            expected_bytes(boxes, blocking, *spec_.encoding.codec, type_of(k), *spec_.encoding.bits, spec_.looks_only);
        sum.encoded += one.encoded;
        sum.plain += one.plain;
      }
    }
    return sum;
  }

  [[nodiscard]] NumberType type_of(std::size_t k) const {
    return {.scalar = spec_.scalar,
            .complex = exchanges_[k].element_bytes == 2 * static_cast<Index>(size_of(spec_.scalar))};
  }

  [[nodiscard]] std::vector<AxisTransform> axes_of(std::size_t step) const {
    const int stage = steps_[step].stage;
    return stage < 0 ? std::vector<AxisTransform>{} : spec_.stages[static_cast<std::size_t>(stage)].axes;
  }
  [[nodiscard]] bool transforms(std::size_t step, int axis) const {
    const auto axes = axes_of(step);
    return std::any_of(axes.begin(), axes.end(), [&](const AxisTransform& a) { return a.axis == axis; });
  }

  // Whether one more pass over the input, before the first exchange, saves bytes in it. A spectrum is large at few wave
  // numbers, and a unit holds few of those along the axes that are not transformed yet: with a share of its own norm it
  // would send small coefficients as exactly as large ones. Of data in space each unit has about its share of the norm.
  [[nodiscard]] bool norm_pays() const {
    const Encoding& e = spec_.encoding;
    const bool is_spectrum = std::none_of(spec_.stages.begin(), spec_.stages.end(), [](const Stage& stage) {
      return std::any_of(stage.axes.begin(), stage.axes.end(), [](const AxisTransform& a) { return a.analysis; });
    });
    const bool never_encoded = spec_.in_place && spec_.from.complex && !spec_.to.complex;
    return is_spectrum && !never_encoded && !e.absolute && !e.forced && e.codec->is_absolute();
  }

  // The first sweep whose results have the norm that all later arrays have: for reals, once they are a half spectrum,
  // for a hermitian array, once each element stands for itself.
  [[nodiscard]] std::size_t first_to_look() const {
    const bool becomes_complex = !spec_.from.complex && spec_.to.complex;
    return (becomes_complex || spec_.from.hermitian()) && steps_.front().stage < 0 ? 1 : 0;
  }

  // Between step k and the next one `axis` still, or again, is an axis of space: neighbours along it are of about the
  // same size, as the coefficients of a spectrum are not.
  [[nodiscard]] bool is_physical(std::size_t k, int axis) const {
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const auto axes = axes_of(i);
      for (auto a = axes.rbegin(); a != axes.rend(); ++a)
        if (a->axis == axis && i <= k) return !a->analysis;
    }
    return first_of(axis).value_or(true);
  }

  // Whether the first transform of an axis takes it out of space; none: it is not transformed.
  [[nodiscard]] std::optional<bool> first_of(int axis) const {
    for (std::size_t i = 0; i < steps_.size(); ++i)
      for (const AxisTransform& a : axes_of(i))
        if (a.axis == axis) return a.analysis;
    return std::nullopt;
  }

  // About how long pieces are along an axis.
  [[nodiscard]] Index piece_extent(const ExchangeSpec& e, int axis) const {
    const auto local = [&](const Layout& layout) {
      const auto boxes = layout.boxes(0);
      if (boxes.empty()) return Index{1};
      return boxes.front().extent(axis);
    };
    return std::min(local(e.from), local(e.to));
  }

  // The axis along which neighbours are most alike, the last axis excluded. An axis of space comes first, then one that
  // keeps all points, then one that a sweep holds whole anyway.
  [[nodiscard]] int run_axis(std::size_t k) const {
    int best = dims_ - 1;
    Index best_score = -1;
    for (int a = 0; a < dims_ - 1; ++a) {
      const Index extent = std::min(piece_extent(exchanges_[k], a), run_length);
      const Index score = (is_physical(k, a) && extent > 1 ? 8 * run_length : 0) + 4 * extent +
                          (transforms(k, a) || transforms(k + 1, a) ? 2 * run_length : 0);
      if (score > best_score) {
        best = a;
        best_score = score;
      }
    }
    return best;
  }

  // `run`: of each exchange; negative where it is not encoded.
  [[nodiscard]] Coord units_of(std::size_t step, const std::vector<int>& run) const {
    const int in = step > 0 ? run[step - 1] : -1, out = step < run.size() ? run[step] : -1;
    const Layout& layout = layout_of(step);
    const Index element = (spec_.complex_between() ? 2 : 1) * static_cast<Index>(size_of(spec_.scalar));
    Coord units = Coord::filled(dims_, 1);
    Index bytes = element;
    for (const AxisTransform& a : axes_of(step))
      units[a.axis] = std::max({units[a.axis], a.length_in(), a.length_out()});
    const int stage = steps_[step].stage;
    const auto operated = stage < 0 ? std::nullopt : spec_.stages[static_cast<std::size_t>(stage)].operates;
    const int components = operated ? operated->axis : -1;
    if (components >= 0) units[components] = std::max(operated->in, operated->out);
    for (const Index extent : units) bytes *= extent;
    const auto widen = [&](int axis, Index wanted, Index most_bytes) {
      if (axis < 0 || axis == components || transforms(step, axis)) return;
      const Index extent = layout.global()[axis];
      while (units[axis] < std::min(wanted, extent) && 2 * bytes <= most_bytes) {
        units[axis] *= 2;
        bytes *= 2;
      }
    };
    widen(dims_ - 1, line_length, 4 * large_unit);
    widen(out, run_length, large_unit);
    widen(in, run_length, large_unit);
    // Before the norm of everything is known, each unit has a share of its own: many wave numbers should have it
    // together, or the small ones would be kept as exactly as the large ones.
    for (int a = dims_ - 1; a >= 0; --a)
      if (steps_[step].measures_norm && out >= 0 && !is_physical(step, a)) widen(a, layout.global()[a], large_unit);
    const bool along_memory = in < 0 && out < 0;  // nothing is encoded: units that lie together
    for (int a = 0; a < dims_; ++a) {
      const int axis = along_memory ? dims_ - 1 - a : a;
      widen(axis, layout.global()[axis], small_unit);
    }
    return units;
  }

  [[nodiscard]] const Layout& layout_of(std::size_t step) const {
    if (steps_[step].stage >= 0) return spec_.stages[static_cast<std::size_t>(steps_[step].stage)].in;
    return step == 0 ? spec_.from.layout : spec_.to.layout;
  }

  [[nodiscard]] Blocking blocking_of(std::size_t k, const std::vector<int>& runs) const {
    const int run = runs[k];
    Blocking blocking{.writer_steps = units_of(k, runs), .reader_steps = units_of(k + 1, runs)};
    for (const bool physical : {false, true})
      for (int a = 0; a < dims_ - 1; ++a)
        if (a != run && is_physical(k, a) == physical) blocking.order.push_back(a);
    if (run != dims_ - 1) blocking.order.push_back(run);
    blocking.order.push_back(dims_ - 1);
    return blocking;
  }

  const PipelineSpec& spec_;
  std::vector<RouteStep>& steps_;
  std::vector<ExchangeSpec>& exchanges_;
  int dims_;
};

}  // namespace

// Ends with the first rank that encodes; where none does, data stay within nodes, and each rank has few peers.
bool is_encoded(const PipelineSpec& spec, const ExchangeSpec& e) {
  if (!spec.encoding.codec || e.from.same_owners(e.to)) return false;
  for (int rank = 0; rank < e.from.ranks(); ++rank)
    for (const Piece& piece : pieces_to_send(e.from, e.to, e.chunks, rank))
      if (piece.peer != rank && spec.encoding.encodes(rank, piece.peer)) return true;
  return false;
}

void plan_blocking(const PipelineSpec& spec, std::vector<RouteStep>& steps, std::vector<ExchangeSpec>& exchanges) {
  Blocker(spec, steps, exchanges).plan();
}

}  // namespace shardfft
