// What came of tuning, as a table.
#pragma once

#include <string>
#include <vector>

#include "output/costs.hpp"
#include "shardfft/tune.hpp"

namespace shardfft::cli {

/// One problem, tuned.
struct Tuned {
  Problem problem{};
  TuneReport report{};
};

/// The columns of Takahashi's lecture on tuning parallel FFTs: N, N1, N2, NB, NDIV and the rate before tuning, then the
/// same after it; N1 x N2 is the process grid, NB the pencils gathered together, NDIV the parts of an exchange.
/// `markdown`: as a table of Markdown, else in columns.
[[nodiscard]] std::string report_table(const std::vector<Tuned>& all, bool markdown);
/// The candidates of one problem, the chosen one first.
[[nodiscard]] std::string candidates_table(const TuneReport& report);
/// What was chosen, why, and where it is kept: two lines.
[[nodiscard]] std::string conclusion(const TuneReport& report);
/// Why later plans will not find it; empty where they will.
[[nodiscard]] std::string why_not_kept(const TuneReport& report);
/// Whether that is against the will of whoever asked.
[[nodiscard]] bool is_lost(const TuneReport& report);
/// Whether there is a fastest candidate.
[[nodiscard]] bool found(const TuneReport& report);

[[nodiscard]] Json report_json(const Tuned& tuned);

}  // namespace shardfft::cli
