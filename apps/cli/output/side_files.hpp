// The files of --json and --trace, which are written when all else is done.
#pragma once

#include <string>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft::cli {

/// A file and what the command line calls it: {"--json", "times.json"}. No path: it was not asked for; "-": standard
/// output.
struct NamedFile {
  std::string name{}, path{};
};

/// Collective, before the work begins: rank 0 makes and removes a file beside each of `files` and opens pipes and
/// devices, which stay open until they are written to. It also sees that it is none of `others` and no other of
/// `files`, which it would overwrite. Throws Error(invalid_argument or io_failed) on every rank.
void check_side_files(const Comm& comm, const std::vector<NamedFile>& files, const std::vector<NamedFile>& others = {});

/// Collective: makes and removes a file as a result would be made. Throws what that would. Rank 0 names the files on
/// standard error that killed runs have left beside it; `resumes`: but for folders of --resume.
void probe_output(const Comm& comm, const std::string& path, const std::string& wanted, bool resumes = false);

/// Rank 0's alone: `text` becomes the file, whole or not at all, or goes into the pipe or device. Throws
/// Error(io_failed).
void write_side_file(const NamedFile& file, const std::string& text);

}  // namespace shardfft::cli
