#include "status.hpp"

#include <cstdlib>
#include <exception>
#include <new>

#include "shardfft/text.hpp"

namespace shardfft::c {
namespace {

thread_local std::string last_text;
// Not in the string, for it may be memory that is missing.
thread_local const char* last = "";

int remember(Status status, const std::string& text) noexcept {
  try {
    last_text = with_short_echoes(text);
    last = last_text.c_str();
  } catch (...) { last = "an error whose text found no memory"; }
  return static_cast<int>(status);
}

}  // namespace

int status_of_exception() noexcept {
  try {
    throw;
  } catch (const Error& e) { return remember(e.status(), e.what()); } catch (const std::bad_alloc&) {
    last = "an allocation failed; use more nodes or a smaller array";
    return static_cast<int>(Status::out_of_memory);
  } catch (const std::exception& e) { return remember(Status::internal, e.what()); } catch (...) {
    return remember(Status::internal, "unknown exception");
  }
}

const char* last_error() noexcept { return last; }
void forget_last_error() noexcept { last = ""; }

void refuse(const std::string& text) { throw Error(Status::invalid_argument, text); }

Coord coord_of(const Index* values, int dims, std::string_view name) {
  return Coord(std::span<const Index>(list_of(values, dims, name)));
}

void write_coord(const Coord& coord, Index* values) { std::copy(coord.begin(), coord.end(), values); }

char* text_of(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) throw std::bad_alloc();
  std::copy(text.begin(), text.end(), copy);
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace shardfft::c
