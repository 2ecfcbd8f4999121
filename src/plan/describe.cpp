// What a plan will do, for people and for programs.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plan/bytes_of_ranks.hpp"
#include "plan/chirp/chirp_filter.hpp"
#include "plan/impl.hpp"
#include "planner/decide/backends.hpp"
#include "planner/decide/planner.hpp"
#include "planner/decide/variants.hpp"
#include "planner/options/variant.hpp"
#include "shardfft/version.hpp"
#include "support/text/text.hpp"
#include "transport/dry_run.hpp"

namespace shardfft {
namespace {

using nlohmann::json;

struct Total {
  Index memory = 0, network = 0, shared = 0, messages = 0, link = 0;
};

Total total_of(const Pipeline& p) {
  Total t;
  for (const StepReport& r : p.observer().report()) {
    t.memory += r.bytes_memory;
    t.network += r.bytes_network;
    t.shared += r.bytes_shared;
    t.messages += r.messages;
    t.link += r.bytes_link;
  }
  return t;
}

/// What leaves a rank once it is encoded, as the planner reckons; nothing where it does not, or a run has counted it.
std::optional<double> network_encoded(const Recipe& r, const Pipeline& p, Index before) {
  const auto bits = usual_bits(r.encoding, r.problem.scalar);
  if (!bits || !p.errors() || p.errors()->bytes_encoded() > 0) return {};
  const double size = static_cast<double>(size_of(r.problem.scalar)), all = static_cast<double>(before);
  double encoded = 0;
  for (const double n : p.errors()->encoded_values()) encoded += n * size;
  encoded = std::min(encoded, all);
  return all - encoded + encoded * *bits / (8 * size);
}

std::string network_text(const Recipe& r, const Pipeline& p, const Total& t) {
  const std::string sent = bytes_text(t.network), messages = counted(t.messages, "message");
  if (!r.encoding.codec || t.network == 0) return fmt::format("{} in {} through the network", sent, messages);
  if (p.errors() && p.errors()->bytes_encoded() > 0)
    return fmt::format("{} in {} through the network, as the last run encoded them", sent, messages);
  const auto encoded = network_encoded(r, p, t.network);
  const std::string after =
      encoded ? fmt::format("about {} after it ({:.3g} bits per real number instead of {})", bytes_text(*encoded),
                            *usual_bits(r.encoding, r.problem.scalar), 8 * size_of(r.problem.scalar))
              : std::string("fewer after it, depending on the data");
  return fmt::format("{} before encoding, {}, in {} through the network", sent, after, messages);
}

json steps_of(const Pipeline& p) {
  json steps = json::array();
  for (const StepReport& r : p.observer().report())
    steps.push_back({{"label", r.label},
                     {"bytes_memory", r.bytes_memory},
                     {"bytes_network", r.bytes_network},
                     {"bytes_shared", r.bytes_shared},
                     {"messages", r.messages},
                     {"bytes_link", r.bytes_link}});
  return steps;
}

json stages_of(const std::vector<Stage>& stages) {
  json list = json::array();
  for (const Stage& stage : stages) {
    json axes = json::array();
    for (const AxisTransform& axis : stage.axes) axes.push_back(axis.axis);
    list.push_back({{"axes", axes},
                    {"layout", stage.in.describe()},
                    {"grid", std::vector<Index>(stage.in.grid().begin(), stage.in.grid().end())}});
  }
  return list;
}

/// Order of the caller's axes: both halves of a split axis are one axis.
std::vector<int> order_of(const std::vector<Stage>& stages, const Recipe& r) {
  std::vector<int> order;
  for (const Stage& stage : stages)
    for (const AxisTransform& axis : stage.axes) {
      const int split = r.split ? r.split->axis : r.chirped ? r.chirped->axis : max_dims;
      const int callers = axis.axis - (axis.axis > split ? 1 : 0);
      if (std::find(order.begin(), order.end(), callers) == order.end()) order.push_back(callers);
    }
  return order;
}

// A transport that stands for those of ranks that run knows nothing of them, but wisdom may.
Choice transport_of(const Recipe& r, const Transport& transport) {
  const std::string name(transport.name()), origin = r.choices.origin("transport");
  if (!transport.stands_for_any() || origin != "model") return {"transport", name, origin};
  if (r.wisdom && !r.wisdom->transport.empty())
    return {"transport", r.wisdom->transport, fmt::format("wisdom of {}", r.wisdom->date)};
  return {"transport", name, "dry run: ranks that run choose theirs"};
}

std::vector<Choice> choices_of(const Recipe& r, const Transport& transport) {
  std::vector<Choice> list;
  const auto add = [&](const std::string& name, const std::string& value) {
    list.push_back({name, value, r.choices.origin(name)});
  };
  if (r.device) {
    add("device", fmt::format("{} {}, {}", r.device->space(), r.device->number(), r.device->name()));
    add("arrays", r.holder() ? "on the device" : "on the host");
  }
  for (Choice& choice : choices_of(r)) {
    list.push_back(choice.name == "transport" ? transport_of(r, transport) : std::move(choice));
    if (r.device && list.back().name == "engine") add("library", device_library(r.device->space()));
  }
  return list;
}

// Measured ones come from wisdom; else the cheapest recipe with one choice otherwise, by the model. Looked for only
// when somebody asks.
RunnerUp find_runner_up(const Recipe& r, const Comm& comm) {
  if (r.problem.moves()) return {};
  if (r.wisdom && !r.wisdom->runner_up.empty())
    return {r.wisdom->runner_up, r.wisdom->runner_up_changes, r.wisdom->runner_up_seconds, true};
  const auto all = ranked_variants(r, comm, Breadth::neighbours);
  if (all.size() < 2) return {};
  return {to_string(all[1].variant), changes(all[1].variant, all[0].variant), all[1].seconds, false};
}

std::string expected(const Recipe& r) {
  if (r.device && !r.device->is_measured())
    return "no times of this device are known yet: `shardfft tune` or `shardfft info --measure` measures them";
  if (!r.device)
    return fmt::format("{} expected, from {} rates of this machine", seconds_text(r.seconds),
                       r.machine.measured ? "measured" : "assumed");
  std::string text = fmt::format("{} expected, from measured rates of this device", seconds_text(r.seconds));
  for (const ExpectedStep& step : r.expected)
    text += fmt::format("{} {} {}", &step == &r.expected.front() ? ":" : ",", step.label, seconds_text(step.seconds));
  return text;
}

bool knows_times(const Recipe& r) { return !r.device || r.device->is_measured(); }

json expected_json(const Recipe& r) {
  json steps = json::array();
  for (const ExpectedStep& step : r.expected) steps.push_back({{"label", step.label}, {"seconds", step.seconds}});
  return steps;
}

json device_json(const Recipe& r) {
  json record;
  if (r.device)
    for (const auto& [name, number] : r.device->numbers()) record[name] = number;
  return record;
}

std::string text_of(const RunnerUp& next, const Recipe& r) {
  const double chosen = next.measured ? r.wisdom->seconds : r.seconds;
  if (next.recipe.empty()) return "no other recipe can run here";
  const char* how = next.measured ? "measured" : "expected";
  return fmt::format("{}, else as chosen: {} {}, {:.2f} times the {} time of this plan{}", next.changes,
                     seconds_text(next.seconds), how, next.seconds / std::max(chosen, 1e-300), how,
                     next.measured || next.seconds >= chosen
                         ? ""
                         : "; the planner changes this choice only after `shardfft tune` has measured both");
}

// Whose number it is; nothing where there is one rank.
std::string of_rank(const Comm& comm) { return comm.size() > 1 ? fmt::format(" on rank {}", comm.rank()) : ""; }

// How many there are, and where the one is that is shown.
std::string placed(const Comm& comm) {
  std::vector<Index> on_node(static_cast<std::size_t>(comm.nodes()));
  for (int rank = 0; rank < comm.size(); ++rank) ++on_node[static_cast<std::size_t>(comm.node(rank))];
  const auto [least, most] = std::ranges::minmax(on_node);
  std::string text = fmt::format("{} on {}", counted(comm.size(), "rank"), counted(comm.nodes(), "node"));
  if (comm.nodes() > 1)
    text += least == most ? fmt::format(", {} on each", most) : fmt::format(", {} to {} on each", least, most);
  if (comm.size() > 1) text += fmt::format("; this is rank {}, on node {}", comm.rank(), comm.node(comm.rank()));
  return text;
}

std::string choices_text(const std::vector<Choice>& choices, const Comm& comm) {
  std::string text;
  for (const Choice& c : choices)
    text += fmt::format("{}{} {}{} ({})", text.empty() ? "" : "; ", c.name, c.value,
                        c.name == "threads" ? of_rank(comm) : "", c.origin);
  return text;
}

json forward_and_backward(const json& forward, const json& backward) {
  return {{"forward", forward}, {"backward", backward}};
}

void add_problem(json& all, const Recipe& r) {
  const auto list = [](const Coord& c) { return std::vector<Index>(c.begin(), c.end()); };
  const CheckedProblem& p = r.problem;
  const json analysis = order_of(r.analysis, r), synthesis = order_of(r.synthesis, r);
  all["shape"] = list(p.asked.shape);
  all["modes"] = list(p.modes);
  all["support"] = list(p.support);
  all["kind"] = to_string(p.asked.kind);
  all["precision"] = to_string(p.asked.precision);
  all["axes"] = p.axes;
  all["axis_order"] =
      p.analysis_is_forward() ? forward_and_backward(analysis, synthesis) : forward_and_backward(synthesis, analysis);
}

void add_choices(json& all, const Recipe& r, const Transport& transport) {
  json recipe, origins;
  for (const Choice& c : choices_of(r, transport)) {
    recipe[c.name] = c.value;
    origins[c.name] = c.origin;
  }
  recipe["stages"] = stages_of(r.analysis);
  all["recipe"] = std::move(recipe);
  all["origins"] = std::move(origins);
}

json wisdom_json(const Recipe& r) {
  return r.wisdom ? json{{"date", r.wisdom->date}, {"measured_s", r.wisdom->seconds}} : json();
}

json json_of(const BytesOfRanks& sent) {
  return {{"all_ranks", sent.all}, {"most", sent.most}, {"rank_of_most", sent.rank}};
}

void add_traffic(json& all, const Recipe& r, const Comm& comm, const Pipeline& forward, const Pipeline& backward) {
  const Total f = total_of(forward), b = total_of(backward);
  const auto encoded = [&](const Pipeline& p, const Total& t) {
    const auto bytes = network_encoded(r, p, t.network);
    return bytes ? json(*bytes) : json();
  };
  all["forward"] = steps_of(forward);
  all["backward"] = steps_of(backward);
  all["bytes_moved_memory"] = forward_and_backward(f.memory, b.memory);
  all["bytes_sent_network"] = forward_and_backward(f.network, b.network);
  all["bytes_sent_network_encoded"] = forward_and_backward(encoded(forward, f), encoded(backward, b));
  all["bytes_stored_shared"] = forward_and_backward(f.shared, b.shared);
  const auto sent_f = sent_by_all(forward, comm), sent_b = sent_by_all(backward, comm);
  const auto sent = [&](bool there_are_some, BytesOfRanks SentByAll::* which) {
    return there_are_some && sent_f ? forward_and_backward(json_of(*sent_f.*which), json_of(*sent_b.*which))
                                    : forward_and_backward(json(), json());
  };
  all["bytes_to_other_nodes"] = sent(comm.nodes() > 1, &SentByAll::far);
  all["bytes_within_nodes"] = sent(some_share_a_node(comm), &SentByAll::near);
  all["messages_sent"] = forward_and_backward(f.messages, b.messages);
  all["bytes_link"] = forward_and_backward(f.link, b.link);
}

// The model does not tell all transports from each other.
template <class Impl>
std::string stands_for(const Impl& m) {
  if (!looks_only(*m.transport) || m.transport->stands_for_any() || m.comm.size() == 1) return {};
  const std::string as = priced_as(m.comm, *m.transport);
  return as.empty() ? as : fmt::format("; {} is priced as {}", m.transport->name(), as);
}

}  // namespace

const RunnerUp& Plan::Impl::runner_up() const {
  if (!next) next = find_runner_up(recipe, comm);
  return *next;
}

std::string Plan::describe() const {
  const Impl& m = there(impl_);
  const Recipe& r = m.recipe;
  std::string text = fmt::format("shardfft {} plan: {}\n", SHARDFFT_VERSION, to_string(problem()));
  const auto row = [&](std::string_view head, const std::string& what) {
    text += fmt::format("{:<10}{}\n", head, what);
  };
  row("ranks", placed(m.comm));
  row("input", m.arrays.input.layout.describe());
  row("output", m.arrays.output.layout.describe());
  row("choices", choices_text(choices_of(r, *m.transport), m.comm));
  row("model", expected(r) + stands_for(m));
  if (r.device && r.device->is_measured()) row("device", r.device->times());
  if (r.wisdom) row("wisdom", fmt::format("{} measured on {}", seconds_text(r.wisdom->seconds), r.wisdom->date));
  if (knows_times(r) || r.wisdom) row("next best", text_of(m.runner_up(), r));
  for (const std::string& notice : m.notices) row("notice", notice);
  if (r.applied)
    row("middle",
        fmt::format("operators act on {} as {}, without four-step axes{}", to_string(m.arrays.middle.layout.global()),
                    m.arrays.middle.layout.describe(),
                    r.encoding.codec ? "; the tolerance is relative to the largest factor times the input" : ""));
  const std::string of_this = m.comm.size() > 1 ? fmt::format("rank {}: ", m.comm.rank()) : "";
  for (const Pipeline* p : m.pipelines.all()) {
    const Total t = total_of(*p);
    const std::string link =
        m.home->has_tiles() ? fmt::format(", {} over the link to the device", bytes_text(t.link)) : "";
    std::string head = p == m.pipelines.forward.get()    ? "forward"
                       : p == m.pipelines.backward.get() ? "backward"
                                                         : "apply";
    if (const auto sent = sent_by_all(*p, m.comm))
      row(std::exchange(head, ""), "all ranks: " + text_of(*sent, m.comm, r.encoding.codec != nullptr));
    row(head,
        fmt::format("{}{} through {}, {}, {} into other ranks' memory{}", of_this, bytes_text(t.memory),
                    r.holder() ? "the device's memory" : "memory", network_text(r, *p, t), bytes_text(t.shared), link));
    text += p->describe();
  }
  std::string head = "memory";
  if (m.comm.size() > 1)
    row(std::exchange(head, ""),
        fmt::format("all ranks: {}; {}", held_by_all("input", m.arrays.input, r.problem.scalar),
                    held_by_all("output", m.arrays.output, r.problem.scalar)));
  row(head,
      fmt::format("{}{} input, {} output, {} workspace{}, {} windows shared with other ranks", of_this,
                  bytes_text(m.arrays.input.bytes), bytes_text(m.arrays.output.bytes), bytes_text(m.workspace_bytes),
                  r.holder() ? ", all of the device" : "", bytes_text(m.channel->shared_bytes())));
  if (m.home->has_tiles())
    row("tiles", fmt::format("{}{} of the device, {} of pinned memory of the host", of_this,
                             bytes_text(m.home->tiles().device_bytes), bytes_text(m.home->tiles().pinned_bytes)));
  return text;
}

std::string Plan::describe_json() const {
  const Impl& m = there(impl_);
  const RunnerUp& next = m.runner_up();
  const auto bits = usual_bits(m.recipe.encoding, m.recipe.problem.scalar);
  const auto chirps = static_cast<std::size_t>(chirp_bytes(m.recipe, m.comm.size()).tables);
  json all{{"ranks", m.comm.size()},
           {"rank", m.comm.rank()},
           {"nodes", m.comm.nodes()},
           {"threads", m.recipe.tuning.threads},
           {"input", to_string(m.arrays.input.layout.spec())},
           {"output", to_string(m.arrays.output.layout.spec())},
           {"notices", m.notices},
           {"model_s", knows_times(m.recipe) ? json(m.recipe.seconds) : json()},
           {"model_steps", expected_json(m.recipe)},
           {"device_machine", device_json(m.recipe)},
           {"machine_measured", m.recipe.machine.measured},
           {"wisdom", wisdom_json(m.recipe)},
           {"runner_up", {{"recipe", next.recipe}, {"seconds", next.seconds}, {"measured", next.measured}}},
           {"usual_bits_per_real", bits ? json(*bits) : json()},
           {"input_bytes", m.arrays.input.bytes},
           {"output_bytes", m.arrays.output.bytes},
           {"workspace_bytes", m.workspace_bytes},
           {"shared_bytes", m.channel->shared_bytes()},
           {"table_bytes", m.kernels.table_bytes() + chirps},
           {"tile_bytes_device", m.home->tiles().device_bytes},
           {"tile_bytes_pinned", m.home->tiles().pinned_bytes},
           {"version", SHARDFFT_VERSION}};
  add_problem(all, m.recipe);
  add_choices(all, m.recipe, *m.transport);
  add_traffic(all, m.recipe, m.comm, *m.pipelines.forward, *m.pipelines.backward);
  if (m.pipelines.both)
    all["apply"] = {{"middle", to_string(m.arrays.middle.layout.spec())}, {"steps", steps_of(*m.pipelines.both)}};
  return all.dump(2);
}

}  // namespace shardfft
