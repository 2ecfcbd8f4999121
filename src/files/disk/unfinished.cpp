#include "files/disk/unfinished.hpp"

#include <atomic>
#include <utility>

#include <unistd.h>

#include "shardfft/programs/whole_files.hpp"

namespace shardfft::files {
namespace {

std::atomic<UnfinishedFiles*> told{nullptr};

}  // namespace

void tell_unfinished(UnfinishedFiles* files) { told = files; }

bool Unfinished::begin(const std::string& path) {
  UnfinishedFiles* const program = told;
  if (program && !program->begin(path)) return false;
  path_ = path;
  return true;
}

void Unfinished::forget() {
  const std::string path = std::exchange(path_, {});
  UnfinishedFiles* const program = told;
  if (program && !path.empty()) program->end(path);
}

Unfinished::~Unfinished() {
  if (exists_ && !path_.empty()) ::unlink(path_.c_str());
  forget();
}

}  // namespace shardfft::files
