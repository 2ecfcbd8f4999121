#include "summary.hpp"

#include <algorithm>

namespace shardfft::compare {
namespace {

/// One number of every launch; none when a launch lacks it.
std::vector<double> numbers(const Entry& entry, const char* name) {
  std::vector<double> found;
  for (const LaunchRecord& launch : entry.launches) {
    const auto at = launch.told.find(name);
    if (at == launch.told.end() || !at->is_number()) return {};
    found.push_back(at->get<double>());
  }
  return found;
}

double largest(const Entry& entry, const char* name) {
  const std::vector<double> all = numbers(entry, name);
  return all.empty() ? 0 : *std::ranges::max_element(all);
}

std::optional<double> largest_known(const Entry& entry, const char* name) {
  if (numbers(entry, name).empty()) return std::nullopt;
  return largest(entry, name);
}

std::optional<double> median_known(const Entry& entry, const char* name) {
  const std::vector<double> all = numbers(entry, name);
  if (all.empty()) return std::nullopt;
  return median(all);
}

std::optional<Sample> ratio(const Entry& entry, const Entry* reference, std::vector<double> LaunchRecord::* direction) {
  if (reference == nullptr || reference->status != "ok") return std::nullopt;
  const std::vector<double> ratios = turn_ratios(entry, *reference, direction);
  if (ratios.empty()) return std::nullopt;
  return sample_of_ratios(ratios);
}

double first_plan(const Entry& entry) {
  const auto first = std::ranges::min_element(entry.launches, {}, &LaunchRecord::turn);
  return first->told.value("plan_s", 0.0);
}

Json times_json(const Sample& s) {
  return {{"min", s.min},          {"median", s.median},      {"max", s.max},
          {"low", s.interval.low}, {"high", s.interval.high}, {"coverage", s.interval.coverage}};
}

Json ratio_json(const std::optional<Sample>& s) {
  if (!s) return nullptr;
  return {
      {"median", s->median}, {"low", s->interval.low}, {"high", s->interval.high}, {"coverage", s->interval.coverage}};
}

Json number_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json count_json(const std::optional<double>& value) { return value ? Json(static_cast<Index>(*value)) : Json(nullptr); }

}  // namespace

std::vector<double> turn_ratios(const Entry& entry, const Entry& reference,
                                std::vector<double> LaunchRecord::* direction) {
  std::vector<double> ratios;
  for (const LaunchRecord& launch : entry.launches) {
    const LaunchRecord* other = reference.at(launch.turn);
    if (launch.ok() && other != nullptr && other->ok())
      ratios.push_back(median(launch.*direction) / median(other->*direction));
  }
  return ratios;
}

std::optional<Summary> summary_of(const Entry& entry, const CaseResult& in) {
  if (entry.status != "ok" || entry.launches.empty()) return std::nullopt;
  Summary s;
  s.forward = sample_of(entry.forward());
  s.backward = sample_of(entry.backward());
  const Entry* reference = in.reference_for(entry);
  s.ratio = ratio(entry, reference, &LaunchRecord::forward_s);
  s.ratio_backward = ratio(entry, reference, &LaunchRecord::backward_s);
  s.plan_s = median(numbers(entry, "plan_s"));
  s.plan_first_s = first_plan(entry);
  s.first_call_s = median(numbers(entry, "first_call_s"));
  s.error = largest(entry, "error_rel_l2");
  s.error_backward = largest(entry, "error_backward_rel_l2");
  s.memory_peak_bytes = largest_known(entry, "memory_peak_bytes");
  s.bytes_sent_network = largest_known(entry, "bytes_sent_network");
  s.energy_j = median_known(entry, "energy_j");
  s.energy_gpus_j = median_known(entry, "energy_gpus_j");
  return s;
}

Json summary_json(const Entry& entry, const CaseResult& in) {
  const auto s = summary_of(entry, in);
  if (!s) return nullptr;
  return {{"forward_s", times_json(s->forward)},
          {"backward_s", times_json(s->backward)},
          {"plan_s", s->plan_s},
          {"plan_first_s", s->plan_first_s},
          {"first_call_s", s->first_call_s},
          {"error_rel_l2", s->error},
          {"error_backward_rel_l2", s->error_backward},
          {"memory_peak_bytes", count_json(s->memory_peak_bytes)},
          {"bytes_sent_network", count_json(s->bytes_sent_network)},
          {"energy_j", number_json(s->energy_j)},
          {"energy_gpus_j", number_json(s->energy_gpus_j)},
          {"ratio_to_shardfft", ratio_json(s->ratio)},
          {"ratio_backward_to_shardfft", ratio_json(s->ratio_backward)}};
}

}  // namespace shardfft::compare
