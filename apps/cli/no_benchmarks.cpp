// Stands in for benchmarks/program.cpp in a program without `compare` and `report`.
#include "commands.hpp"

namespace shardfft::cli {

void add_benchmarks(const Command&, Action&) {}

}  // namespace shardfft::cli
