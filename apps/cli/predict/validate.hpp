// Published results beside predictions.
#pragma once

#include <string>

#include "output/costs.hpp"

namespace shardfft::cli {

/// A row of published.json with its prediction. One gap between messages is fitted for each machine, to all of its
/// times of runs on several nodes.
struct ValidatedRow {
  std::string machine{}, what{}, source{};
  std::string not_predicted{};  ///< why; then nothing below has a meaning
  std::string quantity{};       ///< "seconds", "ranks" of a crossover, "efficiency"
  double published = 0, predicted = 0;
  bool by_messages = false;  ///< the published time is more than twice what the model has without messages
  double limit = 1.5;        ///< that the ratio may have, either way
  [[nodiscard]] double ratio() const { return predicted / published; }
  [[nodiscard]] bool misses() const { return ratio() > limit || ratio() * limit < 1; }
};

struct FittedGap {
  std::string machine{};
  double seconds = 0, in_file = 0;
  int rows = 0;  ///< that it was fitted to
};

struct Validation {
  std::vector<ValidatedRow> rows{};
  std::vector<FittedGap> gaps{};
};

[[nodiscard]] Validation validate();
[[nodiscard]] std::string to_text(const Validation& v);
[[nodiscard]] Json to_json(const Validation& v);

}  // namespace shardfft::cli
