#include "program.hpp"

namespace shardfft::cli {

void add_benchmarks(const Command& program, Action& chosen) {
  add_compare(program, chosen);
  add_report(program, chosen);
}

}  // namespace shardfft::cli
