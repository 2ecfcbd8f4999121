#include "planner/wisdom/engine_wisdom.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "planner/wisdom/cache_files.hpp"
#include "planner/wisdom/share_text.hpp"
#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/kept_file.hpp"

namespace shardfft {
namespace {

namespace fs = std::filesystem;

fs::path file_of(const Engine& engine) {
  const fs::path folder = cache_folder();
  return folder.empty() ? folder : folder / fmt::format("{}.wisdom", engine.name());
}

constexpr std::size_t most_engine_bytes = 16 << 20;

/// A file that cannot be read is as good as none, too.
std::string read(const fs::path& file) {
  try {
    return read_kept(file, most_engine_bytes).value_or("");
  } catch (const FileTrouble&) { return {}; }
}

// A file that another version of the engine wrote is as good as none.
void try_to_load(const Engine& engine, const std::string& text) {
  try {
    engine.load_wisdom(text);
  } catch (const Error&) {}
}

void write(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  try {
    replace_kept(place_of(file), text);
  } catch (const FileTrouble&) {  // it is measured again
  }
}

}  // namespace

void with_shared_wisdom(const Comm& comm, const Engine& engine, const std::function<void()>& make) {
  if (!engine.measures()) return collectively(comm, make);
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    const fs::path file = file_of(engine);
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
