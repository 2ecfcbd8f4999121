#include "html.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace shardfft::report {

HtmlTable::HtmlTable(std::string_view caption, const std::vector<std::string>& heads) : caption_(escaped(caption)) {
  for (const std::string& head : heads) {
    const bool number = head.starts_with('#');
    heads_ +=
        fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"n\"" : "", escaped(head.substr(number ? 1 : 0)));
  }
}

void HtmlTable::begin_row(std::string_view classes) {
  if (!rows_.empty()) rows_ += "</tr>\n";
  rows_ += classes.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", classes);
}

void HtmlTable::head_cell(const std::string& html) { rows_ += fmt::format("<th scope=\"row\">{}</th>", html); }
void HtmlTable::cell(const std::string& html) { rows_ += fmt::format("<td>{}</td>", html); }

void HtmlTable::number(const std::string& html, double value, std::string_view classes) {
  rows_ += fmt::format("<td class=\"n{}{}\" data-v=\"{}\">{}</td>", classes.empty() ? "" : " ", classes, value, html);
}

void HtmlTable::missing(std::string_view text) { rows_ += fmt::format("<td class=\"n none\">{}</td>", escaped(text)); }
void HtmlTable::wide(const std::string& html, std::size_t columns) {
  rows_ += fmt::format("<td colspan=\"{}\">{}</td>", columns, html);
}

std::string HtmlTable::finish() const {
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table><caption>{0}</caption>\n<thead><tr>{1}</tr></thead>\n<tbody>{2}{3}"
      "</tbody></table></div>\n",
      caption_, heads_, rows_, rows_.empty() ? "" : "</tr>\n");
}

}  // namespace shardfft::report
