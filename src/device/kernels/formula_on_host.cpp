#include <memory>

#include "device/kernels/formula.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft {
namespace {

// One thread of a block does as many elements together as vectors like.
template <class T>
void run_on_threads(const RunFormula& task, int threads) {
  using Kernel = kernels::FormulaKernel<T, 1, 128>;
  const Kernel kernel(task);
  on_team(threads, [&](TeamMember me) {
    const auto shared = std::make_unique<typename Kernel::Shared>();
    for (Index block = me.begin(kernel.blocks()); block < me.end(kernel.blocks()); ++block)
      for (int phase = 0; phase < Kernel::phases; ++phase) kernel(phase, block, 0, *shared);
  });
}

template <class T>
void run_on_this_thread(const RunFormula& task) {
  using Kernel = kernels::FormulaKernel<T, 1, 128>;
  const Kernel kernel(task);
  typename Kernel::Shared shared;
  for (Index block = 0; block < kernel.blocks(); ++block)
    for (int phase = 0; phase < Kernel::phases; ++phase) kernel(phase, block, 0, shared);
}

}  // namespace

void run_formula_here(const RunFormula& task) {
  task.scalar == Scalar::f32 ? run_on_this_thread<float>(task) : run_on_this_thread<double>(task);
}

void run_formula_on_host(const RunFormula& task, int threads) {
  task.scalar == Scalar::f32 ? run_on_threads<float>(task, threads) : run_on_threads<double>(task, threads);
}

}  // namespace shardfft
