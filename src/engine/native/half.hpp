// One half of a long pencil: tiles of columns, or of lines, transformed in cache.
#pragma once

#include "engine/native/program.hpp"

namespace shardfft::native {

template <class T>
class Half {
 public:
  Half(Index n, bool backward, const Routines<T>& routines) : program_(decompose(n), backward, routines), n_(n), step_(2 * routines.lanes) {}

  [[nodiscard]] Index tile_scalars() const { return program_.elements() * step_; }
  [[nodiscard]] Index scratch_scalars() const { return (program_.elements() - n_) * step_; }  ///< of these, behind the elements
  [[nodiscard]] const Index* places() const { return program_.places(); }
  [[nodiscard]] const std::string& describe() const { return program_.describe(); }

  void in_place(T* tile) const { passes().run(tile, tile); }          ///< filled by places()
  void between(const T* in, T* out) const { passes().run(in, out); }  ///< both in natural order

 private:
  [[nodiscard]] const Passes<T>& passes() const { return *program_.only_passes(); }

  Program<T> program_;
  Index n_, step_;
};

}  // namespace shardfft::native
