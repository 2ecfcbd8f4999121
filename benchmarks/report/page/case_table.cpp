// The table of one case: every entry, right or not.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "html.hpp"
#include "page.hpp"
#include "text.hpp"

namespace shardfft::report {
namespace {

const std::vector<std::string> heads{"library",           "call",    "#forward",     "#backward", "#ratio",
                                     "#of limit",         "#plan",   "#first call",  "#error",    "#memory",
                                     "#sent in messages", "#energy", "configuration"};

std::string small(const std::string& html) { return fmt::format("<small>{}</small>", html); }

void add_time(HtmlTable& table, const Times& t) {
  const std::string interval = small(fmt::format("{} – {}", seconds_text(t.low), seconds_text(t.high))),
                    least = small(fmt::format("min {}", seconds_text(t.min)));
  table.number(fmt::format("{}{}{}", seconds_text(t.median), interval, least), t.median);
}

void add_ratio(HtmlTable& table, const Entry& e) {
  const bool itself = e.library == "shardfft" && (!e.ratio || (e.ratio->low == 1 && e.ratio->high == 1));
  if (itself) return table.number(ratio_text(1), 1);
  if (!e.ratio) return table.missing();
  const Interval& r = *e.ratio;
  const char* classes = e.ours() ? "" : outcome_class(outcome(r));
  const std::string to = e.reference == "shardfft" ? "" : small(escaped("to " + e.reference));
  table.number(fmt::format("{}{}{}", ratio_text(r.median),
                           small(fmt::format("{} – {}", ratio_text(r.low), ratio_text(r.high))), to),
               r.median, classes);
}

void add_error(HtmlTable& table, const Entry& e) {
  if (!e.error) return table.missing();
  std::string more = e.error_backward ? small(fmt::format("back {:.1e}", *e.error_backward)) : "";
  if (e.bound) more += small(fmt::format("bound {:.1e}", *e.bound));
  table.number(fmt::format("{:.2e}{}", *e.error, more), *e.error);
}

template <class Text>
void add(HtmlTable& table, const std::optional<double>& value, Text&& text) {
  value ? table.number(text(*value), *value) : table.missing();
}

std::string joules(double j) { return j < 1 ? fmt::format("{:.0f} mJ", 1e3 * j) : fmt::format("{:.2f} J", j); }

void add_figures(HtmlTable& table, const Entry& e) {
  add_time(table, *e.forward);
  add_time(table, *e.backward);
  add_ratio(table, e);
  add(table, e.share(), percent_text);
  add(table, e.plan_s, seconds_text);
  add(table, e.first_call_s, seconds_text);
  add_error(table, e);
  add(table, e.memory_bytes, bytes_text);
  add(table, e.sent_bytes, bytes_text);
  add(table, e.energy_j, joules);
  table.cell(fmt::format("<span class=\"free\">{}</span>", escaped(e.configuration)));
}

/// Why there are no times.
std::string excuse(const Entry& e) {
  std::string text =
      fmt::format("<span class=\"why\"><span class=\"badge {0}\">{0}</span> {1}", escaped(e.status), escaped(e.reason));
  if (e.status == "wrong" && e.error)
    text += fmt::format(" <span class=\"none\">relative L2 error {:.2e}{}; its times are discarded</span>", *e.error,
                        e.bound ? fmt::format(", bound {:.1e}", *e.bound) : "");
  return text + "</span>";
}

/// Right ones first, the fastest of them at the top.
std::vector<const Entry*> in_order(const Case& c) {
  std::vector<const Entry*> list;
  for (const Entry& e : c.entries) list.push_back(&e);
  std::ranges::stable_sort(list, {}, [](const Entry* e) { return e->ok() ? e->forward->median : 1e300; });
  return list;
}

/// What the intervals are, where launches were too few for what the page says of all.
std::string note(const Case& c) {
  std::set<std::string> kinds;
  double least = 1, least_of_ratios = 1;
  const auto add = [&](const Interval& i, double& smallest) {
    kinds.insert(interval_text(i)), smallest = std::min(smallest, i.coverage);
  };
  for (const Entry& e : c.entries) {
    if (e.ok()) add(*e.forward, least), add(*e.backward, least);
    if (e.ratio && e.library != "shardfft") add(*e.ratio, least_of_ratios);
  }
  if (std::min(least, least_of_ratios) >= 0.95) return {};
  return fmt::format("<p class=\"note muted\">The intervals of this case: {}.{}</p>\n", fmt::join(kinds, "; "),
                     least_of_ratios < enough_coverage ? " Launches were too few to tell libraries apart." : "");
}

}  // namespace

std::string case_table_html(const Merged& merged, const Case& c) {
  HtmlTable table(case_text(c), heads);
  for (const Entry* e : in_order(c)) {
    table.begin_row(e->ours() ? "ours" : e->ok() ? "" : "bad");
    const std::string file = merged.file_label(c, *e), between = e->version.empty() || file.empty() ? "" : " · ";
    table.head_cell(
        fmt::format("{}{}", escaped(e->library), small(escaped(fmt::format("{}{}{}", e->version, between, file)))));
    table.cell(escaped(e->call));
    if (e->ok())
      add_figures(table, *e);
    else
      table.wide(excuse(*e), heads.size() - 2);
  }
  return table.finish() + note(c);
}

}  // namespace shardfft::report
