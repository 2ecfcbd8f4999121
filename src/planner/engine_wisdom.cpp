#include "planner/engine_wisdom.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "support/agree.hpp"

namespace shardfft {
namespace {

namespace fs = std::filesystem;

fs::path wisdom_file(const Engine& engine) {
  const auto set = [](const char* variable) -> const char* {
    const char* value = std::getenv(variable);
    return value && *value ? value : nullptr;
  };
  fs::path folder;
  if (const char* own = set("SHARDFFT_WISDOM"))
    folder = own;
  else if (const char* cache = set("XDG_CACHE_HOME"))
    folder = fs::path(cache) / "shardfft";
  else if (const char* home = set("HOME"))
    folder = fs::path(home) / ".cache" / "shardfft";
  else
    return {};
  return folder / fmt::format("{}.wisdom", engine.name());
}

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A file that another version of the engine wrote is as good as none.
void try_to_load(const Engine& engine, const std::string& text) {
  try {
    engine.load_wisdom(text);
  } catch (const Error&) {
  }
}

// Whole or not at all: other runs may read it meanwhile.
void write(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const fs::path partial = file.string() + fmt::format(".{}", ::getpid());
  {
    std::ofstream out(partial);
    out << text;
    if (!out.flush()) return;
  }
  fs::rename(partial, file, ignored);
  if (ignored) fs::remove(partial, ignored);
}

std::string broadcast(const Comm& comm, std::string text) {
  std::uint64_t size = text.size();
  comm.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  text.resize(size);
  if (size > 0) comm.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

}  // namespace

void with_shared_wisdom(const Comm& comm, const Engine& engine, const std::function<void()>& make) {
  if (!engine.measures()) return collectively(comm, make);
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    const fs::path file = wisdom_file(engine);
    const std::string known = file.empty() ? "" : read(file);
    if (!known.empty()) try_to_load(engine, known);
    make();
    if (const std::string now = engine.wisdom(); !file.empty() && now != known) write(file, now);
  });
  const std::string decided = broadcast(comm, comm.rank() == 0 ? engine.wisdom() : std::string());
  collectively(comm, [&] {
    if (comm.rank() == 0) return;
    engine.load_wisdom(decided);
    make();
  });
}

}  // namespace shardfft
