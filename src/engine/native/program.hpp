// From a request to the list of steps that computes it.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/native/factors.hpp"
#include "engine/native/passes/contiguous.hpp"
#include "engine/native/passes/passes.hpp"
#include "engine/native/step.hpp"

namespace shardfft::native {

/// Steps and the tables they point to. Movable; not copied, because of the pointers.
template <class T>
class Program {
 public:
  /// `routines` must outlive the program (they live as long as the process).
  Program(Index n, Transform1d transform, const Routines<T>& routines, bool strided = false);  // as in KernelRequest
  /// A complex transform with a given decomposition.
  Program(const Decomposition& how, bool backward, const Routines<T>& routines);
  Program(Program&&) noexcept = default;
  Program& operator=(Program&&) noexcept = default;

  /// Transforms the tile in `a`; returns `a` or `b`, whichever holds the result.
  T* run(T* a, T* b) const {
    for (const Step<T>& step : steps_) {
      step.run(step.args, a, step.moves ? b : a);
      if (step.moves) std::swap(a, b);
    }
    return a;
  }
  /// The passes, if there is nothing else to do; nullptr otherwise.
  [[nodiscard]] const Passes<T>* only_passes() const {
    return steps_.size() == 1 ? steps_.front().args.passes : nullptr;
  }
  /// The passes for a pencil that is contiguous in memory; nullptr if there is no code for it.
  [[nodiscard]] const ContiguousPasses<T>* contiguous() const { return contiguous_ ? &*contiguous_ : nullptr; }
  [[nodiscard]] Index elements() const { return elements_; }  ///< complex elements that each buffer must hold
  /// The place of element k in the input of run(); nullptr: natural order.
  [[nodiscard]] const Index* places() const { return places_.empty() ? nullptr : places_.data(); }
  [[nodiscard]] const std::string& describe() const { return text_; }
  void add_tables(TableBytes& found) const {
    for (const auto& [table, bytes] : tables_) found.add(table.get(), bytes);
    for (const auto& order : orders_) found.add(order);
    found.add(places_);
  }

 private:
  void add_real(Index n, Transform1d transform);
  void add_complex(const Decomposition& how, bool swapped);
  /// With the widest vectors for which there is code; false where there is none.
  bool add_contiguous(const Decomposition& how, bool swapped);
  void add_rader(Index radix, Convolution<T>& to);
  void add_bluestein(Index radix, Convolution<T>& to);
  const Passes<T>& passes(const std::vector<Index>& radices, bool swapped);
  void add_in_place(Routine<T> routine, StepArgs<T> args) { steps_.push_back({routine, args, false}); }
  void add_moving(Routine<T> routine, StepArgs<T> args) { steps_.push_back({routine, args, true}); }
  void need(Index elements) { elements_ = std::max(elements_, elements); }
  template <class Table>
  const T* keep(std::shared_ptr<const Table> table) {
    const T* data = table->data();
    const std::size_t bytes = table->size() * sizeof(T);
    tables_.emplace_back(std::move(table), bytes);
    return data;
  }
  const T* keep(std::vector<T> table) { return keep(std::make_shared<const std::vector<T>>(std::move(table))); }

  friend class Passes<T>;  // asks for these three
  const T* twiddles(Index radix, Index done);
  const T* matrix(Index radix);
  const Convolution<T>* convolution(Index radix);
  friend class ContiguousPasses<T>;  // asks for these
  const T* lane_twiddles(Index radix, Index done, Index lanes);
  const T* lane_pairs(const T* table, Index n, Index lanes);

  const Routines<T>* routines_;
  std::vector<Step<T>> steps_{};
  std::vector<std::pair<std::shared_ptr<const void>, std::size_t>> tables_{};  // and their bytes
  std::map<std::pair<Index, Index>, const T*> twiddles_{};
  std::deque<Passes<T>> passes_{};  // where these stand, steps and passes point
  std::optional<ContiguousPasses<T>> contiguous_{};
  std::deque<std::vector<Index>> orders_{};
  std::vector<Index> places_{};
  std::map<Index, Convolution<T>> convolutions_{};
  Index elements_ = 1;
  std::string text_{};
};

}  // namespace shardfft::native
