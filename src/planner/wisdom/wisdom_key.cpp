// What a measurement depends on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/decide/rank_device.hpp"
#include "planner/model/machine.hpp"
#include "planner/options/choices.hpp"
#include "planner/options/option_table.hpp"
#include "planner/wisdom/wisdom.hpp"
#include "shardfft/version.hpp"
#include "transport/transport.hpp"

namespace shardfft {
namespace {

/// FNV-1a, for what is too long to be spelled out.
std::string digest(const std::string& text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return fmt::format("{:016x}", hash);
}

std::string layout_text(const LayoutSpec& spec, const std::vector<Placement>& memory) {
  std::string text = to_string(spec), boxes, places;
  for (const auto& of_rank : spec.boxes) {
    for (const Box& box : of_rank) boxes += to_string(box);
    boxes += ';';
  }
  for (const Placement& p : memory) places += fmt::format("{}+{};", p.offset, to_string(p.strides));
  if (!boxes.empty()) text += fmt::format(" {}", digest(boxes));
  if (!places.empty()) text += fmt::format(" in memory {}", digest(places));
  return text;
}

/// What moves bytes where shared memory does not. Plans that are only looked at stand for those of processes.
std::string group_text(const Comm& comm) {
  if (comm.size() == 1) return "alone";
  if (comm.kind() == "threads") return "threads";
  const Transport* mpi = find_transport("mpi_p2p");
  return mpi ? std::string(mpi->library()) : "processes";
}

std::string device_text(const std::string& device) {
  const std::string kind = device_kind(device.substr(0, device.find(':')));
  return kind.empty() ? device : kind;
}

// The options that make a difference for this problem.
Options that_count(const Options& given, const CheckedProblem& p) {
  Options o = given;
  o.destroy_input = o.destroy_input && p.real;
  if (!has_tolerance(o) && o.expert.codec.empty()) o.guarantee.clear(), o.expert.encode_near = false;
  o.device = device_text(o.device);
  if (o.arrays == "device") o.arrays.clear();
  return o;
}

std::string asked_text(const Options& options) {
  std::string text;
  for (const OptionEntry& entry : option_entries())
    if (entry.row.in_wisdom == InWisdom::asked && entry.is_set(options))
      text += fmt::format(" | {} {}", entry.row.name, entry.text(options));
  return text;
}

}  // namespace

std::string id_of(const std::string& key) { return digest(key).substr(0, 8); }

std::string wisdom_key(const Comm& comm, const CheckedProblem& p, const Options& given, int threads) {
  std::string text = fmt::format("{} {} {} axes {}", to_string(p.asked.shape), to_string(p.asked.kind),
                                 to_string(p.asked.precision), fmt::join(p.axes, ","));
  if (!p.asked.kinds.empty()) text += " kinds";
  for (const AxisKind kind : p.asked.kinds) text += fmt::format(" {}", to_string(kind));
  if (p.modes != p.points) text += fmt::format(" modes {}", to_string(p.modes));
  if (p.support != p.points) text += fmt::format(" support {}", to_string(p.support));
  if (p.moves()) text += fmt::format(" of {} bytes", p.asked.element_bytes);
  text += fmt::format(" | {} -> {}", layout_text(given.input, given.input_memory),
                      layout_text(given.output, given.output_memory));
  text += asked_text(that_count(given, p));
  text += fmt::format(" | {}, {} thread{} | {} | {} | {}", ranks_text(comm), threads, threads > 1 ? "s" : "",
                      group_text(comm), processor_text(), SHARDFFT_VERSION);
  if (const std::string made = given_text(given); !made.empty()) text += " | given " + made;
  return text;
}

}  // namespace shardfft
