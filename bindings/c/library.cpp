// Version, parts, errors, notices.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "handles.hpp"
#include "shardfft/environment.hpp"
#include "shardfft/programs/parts.hpp"

namespace {

/// All that Options can name, and "mpi".
std::set<std::string, std::less<>> all_parts() {
  const std::vector<std::string> built = shardfft::parts_of_build();
  std::set<std::string, std::less<>> parts(built.begin(), built.end());
  if (std::any_of(parts.begin(), parts.end(), [](const auto& name) { return name.starts_with("mpi_"); }))
    parts.insert("mpi");
  return parts;
}

}  // namespace

int shardfft_version(void) {
  return 10000 * SHARDFFT_VERSION_MAJOR + 100 * SHARDFFT_VERSION_MINOR + SHARDFFT_VERSION_PATCH;
}

const char* shardfft_version_text(void) { return SHARDFFT_VERSION; }

int shardfft_has(const char* part) {
  return shardfft::c::look(part, "`part`", 0, [&](const char&) {
    static const auto parts = all_parts();
    return static_cast<int>(parts.contains(std::string_view(part)));
  });
}

const char* shardfft_status_name(int status) {
  static const auto names = [] {
    std::vector<std::string> all;
    for (int number = 0; number <= static_cast<int>(shardfft::Status::device_failed); ++number)
      all.emplace_back(shardfft::name(static_cast<shardfft::Status>(number)));
    return all;
  }();
  return status >= 0 && status < static_cast<int>(names.size()) ? names[static_cast<std::size_t>(status)].c_str()
                                                                : nullptr;
}

const char* shardfft_error(void) { return shardfft::c::last_error(); }

void shardfft_free(void* text) { std::free(text); }

void shardfft_on_notice(void (*say)(const char* line, void* user), void* user) {
  shardfft::c::attempt([&] {
    if (say)
      shardfft::on_notice([=](const std::string& line) { say(line.c_str(), user); });
    else
      shardfft::on_notice({});
  });
}

int shardfft_device_count(const char* space, int* count) {
  return shardfft::c::attempt(
      [&] { shardfft::c::there(count, "`count`") = shardfft::device_count(&shardfft::c::there(space, "`space`")); });
}

int shardfft_why_no_device(const char* space, char** text) {
  return shardfft::c::give_text(text, [&] { return shardfft::why_no_device(&shardfft::c::there(space, "`space`")); });
}
