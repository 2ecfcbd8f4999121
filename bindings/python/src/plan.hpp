// A plan as Python holds it.
#pragma once

#include <mutex>
#include <optional>

#include "memory.hpp"
#include "request.hpp"

namespace shardfft::python {

[[nodiscard]] inline Direction direction_of(bool forward) { return forward ? Direction::forward : Direction::backward; }

class PythonPlan {
 public:
  PythonPlan(const Comm& comm, const Request& request) : PythonPlan(comm, problem_of(request), options_of(request)) {}
  PythonPlan(const Comm& comm, const Problem& problem, const Options& options) : moves_(problem.kind == Kind::move) {
    const nb::gil_scoped_release free;
    plan_.emplace(comm, problem, options);
  }
  ~PythonPlan() { destroy(); }

  void destroy() {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    plan_.reset();
  }
  [[nodiscard]] const Plan& plan() const { return const_cast<PythonPlan*>(this)->plan(); }
  [[nodiscard]] Plan& plan() {
    if (!plan_) throw Error(Status::invalid_argument, "this plan was destroyed; make a new one");
    return *plan_;
  }
  /// work(plan) without the interpreter's lock; a second thread waits for the first one.
  template <class Work>
  auto run(Work work) {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    return work(plan());
  }
  template <class Array>
  [[nodiscard]] View view(const Array& array) const {
    return moves_ ? plain(view_of(array)) : view_of(array);
  }

 private:
  std::mutex mutex_;
  std::optional<Plan> plan_{};
  bool moves_;
};

}  // namespace shardfft::python
