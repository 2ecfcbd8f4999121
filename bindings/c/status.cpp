#include "status.hpp"

#include <cstdlib>
#include <exception>
#include <new>

#include "shardfft/text.hpp"

namespace shardfft::c {
namespace {

// Without a destructor: handlers of atexit() run after those of thread-local objects, and call shardfft, too.
thread_local char last[4096] = "";

void keep(std::string_view text) noexcept {
  const std::string_view end = text.size() < sizeof last ? "" : "...";
  const std::size_t kept = std::min(text.size(), sizeof last - 1 - end.size());
  text.copy(last, kept);
  end.copy(last + kept, end.size());
  last[kept + end.size()] = '\0';
}

int remember(Status status, const char* text) noexcept {
  try {
    keep(with_short_echoes(text));
  } catch (...) { keep(text); }
  return static_cast<int>(status);
}

}  // namespace

int status_of_exception() noexcept {
  try {
    throw;
  } catch (const Error& e) { return remember(e.status(), e.what()); } catch (const std::bad_alloc&) {
    return remember(Status::out_of_memory, "an allocation failed; use more nodes or a smaller array");
  } catch (const std::exception& e) { return remember(Status::internal, e.what()); } catch (...) {
    return remember(Status::internal, "unknown exception");
  }
}

const char* last_error() noexcept { return last; }
void forget_last_error() noexcept { *last = '\0'; }

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
