// What a plan does, what a run cost, what tuning found.
#include <nlohmann/json.hpp>

#include "handles.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/text.hpp"

using namespace shardfft::c;
using nlohmann::ordered_json;

namespace {

ordered_json json_of(const shardfft::TuneRow& row) {
  return {{"recipe", row.recipe}, {"seconds", row.seconds}, {"model_seconds", row.model_seconds},
          {"rounds", row.rounds}, {"untuned", row.untuned}, {"dropped", row.dropped}};
}

ordered_json json_of(const shardfft::TuneReport& report) {
  ordered_json rows = ordered_json::array();
  for (const shardfft::TuneRow& row : report.rows) rows.push_back(json_of(row));
  return {{"key", report.key},
          {"candidates", report.candidates},
          {"rounds", report.rounds},
          {"finished", report.finished},
          {"wisdom_file", report.wisdom_file},
          {"notice", report.notice},
          {"rows", rows}};
}

const char* name_of(shardfft::Span::What what) {
  constexpr const char* names[] = {"run", "step", "chunk", "send", "room", "wait", "flight"};
  static_assert(std::size(names) == std::size_t(shardfft::Span::What::flight) + 1);
  return names[static_cast<std::size_t>(what)];
}

ordered_json json_of(const shardfft::Span& span) {
  return {{"what", name_of(span.what)}, {"label", span.label},       {"run", span.run},      {"chunk", span.chunk},
          {"bytes", span.bytes},        {"begin_ns", span.begin_ns}, {"end_ns", span.end_ns}};
}

shardfft_step step_of(const shardfft::StepReport& report) {
  shardfft_step step{};
  report.label.copy(step.label, sizeof step.label - 1);
  step.seconds = report.seconds;
  step.bytes_memory = report.bytes_memory;
  step.bytes_network = report.bytes_network;
  step.bytes_shared = report.bytes_shared;
  step.bytes_link = report.bytes_link;
  step.messages = report.messages;
  step.seconds_to_device = report.seconds_to_device;
  step.seconds_kernels = report.seconds_kernels;
  step.seconds_from_device = report.seconds_from_device;
  step.seconds_staging = report.seconds_staging;
  return step;
}

}  // namespace

int shardfft_describe(shardfft_plan p, char** text) {
  return give_text(text, [&] { return there(p).describe(); });
}
int shardfft_describe_json(shardfft_plan p, char** text) {
  return give_text(text, [&] { return there(p).describe_json(); });
}

int shardfft_steps(shardfft_plan p, int* count) {
  return attempt([&] {
    const auto steps = there(p).last_run().size();
    there(count, "`count`") = static_cast<int>(steps);
  });
}

int shardfft_step_at(shardfft_plan p, int i, shardfft_step* s) {
  return attempt([&] {
    const auto& steps = there(p).last_run();
    check_result(s, "`s`");
    if (i < 0 || i >= static_cast<int>(steps.size()))
      refuse("the last run had " + shardfft::counted(static_cast<shardfft::Index>(steps.size()), "step") +
             ", counted from 0; got step " + std::to_string(i));
    write_result(step_of(steps[static_cast<std::size_t>(i)]), s);
  });
}

int shardfft_record(shardfft_plan p, size_t runs) {
  return attempt([&] { there(p).record(runs); });
}
int shardfft_recorded_json(shardfft_plan p, char** text) {
  return give_text(text, [&] {
    ordered_json spans = ordered_json::array();
    for (const shardfft::Span& span : there(p).recorded()) spans.push_back(json_of(span));
    return spans.dump();
  });
}

int shardfft_tune(shardfft_comm c, shardfft_problem p, shardfft_options o, char** report_json) {
  return attempt([&] {
    const shardfft::Comm& comm = there(c);
    shardfft::Options options;
    shardfft::collectively(comm, [&] {
      const shardfft::Problem& problem = there(p);
      if (o) options = o->complete(problem.shape.dims(), comm.size());
    });
    const std::string report = json_of(shardfft::tune(comm, p->problem, options)).dump(2);
    if (report_json) *report_json = text_of(report);
  });
}
