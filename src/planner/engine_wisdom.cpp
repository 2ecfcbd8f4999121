#include "planner/engine_wisdom.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "planner/cache_files.hpp"
#include "planner/share_text.hpp"
#include "shardfft/error.hpp"
#include "support/agree.hpp"

namespace shardfft {
namespace {

namespace fs = std::filesystem;

fs::path wisdom_file(const Engine& engine) {
  const fs::path folder = cache_folder();
  return folder.empty() ? folder : folder / fmt::format("{}.wisdom", engine.name());
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
  std::ofstream out(partial);
  out << text;
  out.close();
  if (out) fs::rename(partial, file, ignored);
  if (!out || ignored) fs::remove(partial, ignored);  // a full disk leaves no empty files behind
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
  const std::string decided = text_of_first(comm, comm.rank() == 0 ? engine.wisdom() : std::string());
  collectively(comm, [&] {
    if (comm.rank() == 0) return;
    engine.load_wisdom(decided);
    make();
  });
}

}  // namespace shardfft
