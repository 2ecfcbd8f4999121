// The transforms of one factor of a long pencil: tiles of columns, or of lines, in cache.
#pragma once

#include <optional>
#include <string>

#include "engine/native/program.hpp"

namespace shardfft::native {

template <class T>
class FactorPass {
 public:
  /// `looks_only`: a long one has no tables.
  FactorPass(Index n, bool backward, const Routines<T>& routines, bool looks_only = false)
      : n_(n), step_(2 * routines.lanes) {
    constexpr Index longest_to_look_at = Index{1} << 16;
    const Decomposition how = decompose(n);
    text_ = how.describe();
    if (!looks_only || n <= longest_to_look_at) program_.emplace(how, backward, routines);
  }

  [[nodiscard]] Index tile_scalars() const { return elements() * step_; }
  [[nodiscard]] Index scratch_scalars() const { return (elements() - n_) * step_; }  ///< of these, behind the elements
  [[nodiscard]] const Index* places() const { return program_->places(); }
  [[nodiscard]] const std::string& describe() const { return text_; }

  void add_tables(TableBytes& found) const {
    if (program_) program_->add_tables(found);
  }

  void in_place(T* tile) const { passes().run(tile, tile); }          ///< filled by places()
  void between(const T* in, T* out) const { passes().run(in, out); }  ///< both in natural order

 private:
  [[nodiscard]] const Passes<T>& passes() const { return *program_->only_passes(); }
  [[nodiscard]] Index elements() const { return program_ ? program_->elements() : n_; }

  std::optional<Program<T>> program_{};
  std::string text_{};
  Index n_, step_;
};

}  // namespace shardfft::native
