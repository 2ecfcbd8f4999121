// Nothing throws through the C interface: what is thrown becomes a number and a text of this thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "shardfft/box.hpp"
#include "shardfft/error.hpp"

namespace shardfft::c {

/// Inside a catch (...): its number; its text is this thread's last one from now on.
int status_of_exception() noexcept;
/// "" if there is none.
const char* last_error() noexcept;
void forget_last_error() noexcept;

/// The status of `work`.
template <class Work>
int attempt(const Work& work) noexcept {
  try {
    work();
    return 0;
  } catch (...) { return status_of_exception(); }
}

[[noreturn]] void refuse(const std::string& text);  ///< throws Error(invalid_argument)

/// What a handle or another pointer of the caller's points to. `name`: as in shardfft.h
template <class T>
T& there(T* pointer, std::string_view name) {
  if (!pointer) refuse(std::string(name) + " points to what a call needs; got NULL; pass what an earlier call gave");
  return *pointer;
}

/// A look-up: the answer, or `otherwise` of NULL and of what the handle does not have.
template <class Handle, class Answer, class Ask>
Answer look(Handle* handle, std::string_view name, Answer otherwise, const Ask& ask) noexcept {
  try {
    return ask(there(handle, name));
  } catch (...) {
    (void)status_of_exception();
    return otherwise;
  }
}

/// Writes a new handle to `out` if `make` gives what it holds.
template <class Handle, class Make>
int make_handle(Handle** out, const Make& make) noexcept {
  return attempt([&] {
    there(out, "`out`");
    *out = new Handle(make());
  });
}

/// `count` values from `values` on.
template <class T>
std::span<T> list_of(T* values, int count, std::string_view name) {
  if (count < 0) refuse("the number of " + std::string(name) + " is 0 or more; got " + std::to_string(count));
  if (count > 0) (void)there(values, name);
  return {values, static_cast<std::size_t>(count)};
}

/// One number for each axis.
Coord coord_of(const Index* values, int dims, std::string_view name);
void write_coord(const Coord& coord, Index* values);

/// A copy that shardfft_free() frees.
char* text_of(std::string_view text);
/// Writes a copy of what `ask` gives to `out`.
template <class Ask>
int give_text(char** out, const Ask& ask) noexcept {
  return attempt([&] {
    there(out, "`text`");
    *out = text_of(ask());
  });
}

/// Throws if a result has no `bytes`.
template <class Result>
void check_result(Result* result, std::string_view name) {
  if (there(result, name).bytes < sizeof result->bytes)
    refuse(std::string(name) + "->bytes is the size of the struct, set by the caller; got " +
           std::to_string(result->bytes));
}
/// Fills the caller's struct as far as it goes: one of an older header is shorter than `full`.
template <class Result>
void write_result(Result full, Result* out) {
  full.bytes = std::min(out->bytes, sizeof full);
  std::memcpy(static_cast<void*>(out), &full, full.bytes);
}

}  // namespace shardfft::c
