// What may be chosen.
#include "handles.hpp"
#include "shardfft/text.hpp"

using namespace shardfft::c;
using shardfft::LayoutSpec;
using shardfft::Options;

LayoutSpec shardfft_options_s::Asked::of(int dims, int ranks) const {
  return words.empty() ? spec.on(ranks) : shardfft::parse_layout(words, dims);
}

Options shardfft_options_s::complete(int dims, int ranks) const {
  Options all = options;
  all.input = input.of(dims, ranks);
  all.output = output.of(dims, ranks);
  return all;
}

namespace {

std::vector<shardfft::Placement> placements(int dims, int boxes, const int64_t* offset, const int64_t* strides) {
  std::vector<shardfft::Placement> all;
  axes_at_most(dims, "strides of a box");
  for (const int64_t first : list_of(offset, boxes, "`offset`")) {
    all.push_back({first, coord_of(&there(strides, "`strides`"), dims, "`strides`")});
    strides += dims;
  }
  return all;
}

/// The table of options knows no layouts.
[[noreturn]] void unknown(std::string_view option) {
  std::vector<std::string> names = {"input", "output"};
  std::string list = "input, output";
  for (const shardfft::OptionRow& row : shardfft::option_table()) {
    names.emplace_back(row.name);
    list.append(", ").append(row.name);
  }
  refuse("an option is one of " + list + "; got '" + std::string(option) + "'" + shardfft::did_you_mean(option, names) +
         "; name one of these");
}

bool is_known(std::string_view option) {
  const auto rows = shardfft::option_table();
  return !option.empty() && std::any_of(rows.begin(), rows.end(), [&](const shardfft::OptionRow& row) {
    return option == row.name || option == row.variable || option == row.flag;
  });
}

}  // namespace

int shardfft_options_create(shardfft_options* out) {
  return make_handle(out, [] { return shardfft_options_s{}; });
}

int shardfft_options_set(shardfft_options o, const char* name, const char* value) {
  return attempt([&] {
    shardfft_options_s& h = there(o);
    const std::string_view option = &there(name, "`name`"), text = &there(value, "`value`");
    if (option == "input" || option == "output")
      (option == "input" ? h.input : h.output) = shardfft_options_s::Asked{.words = std::string(text)};
    else if (is_known(option))
      shardfft::set_option(h.options, option, text);
    else
      unknown(option);
  });
}

int shardfft_options_input(shardfft_options o, shardfft_spec s) {
  return attempt([&] { there(o).input = {.spec = there(s)}; });
}
int shardfft_options_output(shardfft_options o, shardfft_spec s) {
  return attempt([&] { there(o).output = {.spec = there(s)}; });
}

int shardfft_options_input_memory(shardfft_options o, int dims, int boxes, const int64_t* offset,
                                  const int64_t* strides) {
  return attempt([&] { there(o).options.input_memory = placements(dims, boxes, offset, strides); });
}
int shardfft_options_output_memory(shardfft_options o, int dims, int boxes, const int64_t* offset,
                                   const int64_t* strides) {
  return attempt([&] { there(o).options.output_memory = placements(dims, boxes, offset, strides); });
}

int shardfft_options_workspace(shardfft_options o, void* memory, size_t bytes) {
  return attempt([&] {
    Options& options = there(o).options;
    if (!memory && bytes > 0) refuse("a workspace of " + std::to_string(bytes) + " bytes lies somewhere; got NULL");
    options.workspace = memory;
    options.workspace_bytes = bytes;
  });
}

int shardfft_options_queue(shardfft_options o, void* stream) {
  return attempt([&] { there(o).options.queue = stream; });
}

void shardfft_options_destroy(shardfft_options o) { delete o; }
