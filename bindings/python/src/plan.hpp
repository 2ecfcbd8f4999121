// A plan as Python holds it.
#pragma once

#include <utility>

#include "held.hpp"
#include "memory.hpp"
#include "request.hpp"

namespace shardfft::python {

[[nodiscard]] inline Direction direction_of(bool forward) { return forward ? Direction::forward : Direction::backward; }

class PythonPlan : public Held<Plan> {
 public:
  PythonPlan(const Comm& comm, const Request& request) : PythonPlan(comm, agreed(comm, request)) {}
  PythonPlan(const Comm& comm, const Asked& asked) : PythonPlan(comm, asked.problem, asked.options) {}
  PythonPlan(const Comm& comm, const Problem& problem, const Options& options)
      : comm_(comm), moves_(problem.kind == Kind::move) {
    make(comm, problem, options);
  }

  void destroy() {
    require_no_operator();
    reset();
  }
  [[nodiscard]] const Plan& plan() const { return const_cast<PythonPlan*>(this)->plan(); }
  [[nodiscard]] Plan& plan() {
    if (!held_) throw Error(Status::invalid_argument, "this plan was destroyed; make a new one");
    return *held_;
  }
  /// work(plan) without the interpreter's lock; a second thread waits for the first one. Ranks agree on `call` before,
  /// unless it is empty.
  template <class Work>
  auto run(Work work, const std::string& call = {}) {
    const nb::gil_scoped_release free;
    if (!call.empty()) agree(comm_, call);
    return run_with_lock(work);
  }
  /// Keeps the interpreter's lock: for microseconds of work that calls no Python. A thread that gave the lock
  /// up for them might wait milliseconds for it.
  template <class Work>
  auto run_with_lock(Work work) {
    require_no_operator();
    const std::lock_guard lock(mutex_);
    return work(plan());
  }
  /// What an operator of this plan does on this thread: it cannot wait for the run that it is a part of.
  template <class Work>
  void run_operator(Work work) {
    struct Inside {
      const void* before;
      ~Inside() { operator_of_ = before; }  // also where work() throws
    } inside{std::exchange(operator_of_, this)};
    work();
  }
  template <class Array>
  [[nodiscard]] View view(const Given<Array>& array) const {
    return moves_ ? plain(array.view()) : array.numbers();
  }

 private:
  void require_no_operator() const {
    if (operator_of_ == this)
      throw Error(Status::invalid_argument, "an operator does not call the plan that runs it; use another plan");
  }

  static inline thread_local const void* operator_of_ = nullptr;
  Comm comm_;
  bool moves_;
};

}  // namespace shardfft::python
