#include "results_file.hpp"

#include <cstring>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "shardfft/programs/files.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::compare {
namespace {

std::string text_of(const std::string& option, const std::string& path) {
  constexpr std::size_t most_bytes = 256 << 20;
  try {
    return read_named(path, most_bytes);
  } catch (const FileTrouble& trouble) {
    throw Error(Status::io_failed, fmt::format("{} must name a file that can be read; '{}': {}; check the name", option,
                                               path, trouble.code == 0 ? trouble.what() : std::strerror(trouble.code)));
  }
}

Json parsed(const std::string& option, const std::string& path) {
  const Json json = parse_outside<Json>(text_of(option, path));
  const bool ours = json.is_object() && json.value("format", Json()) == "shardfft-results";
  if (!ours)
    throw Error(
        Status::invalid_argument,
        fmt::format("{} must name a results file of shardfft compare; '{}' is not one; name what compare --json wrote",
                    option, path));
  if (const Json version = json.value("format_version", Json()); version != 1)
    throw Error(
        Status::invalid_argument,
        fmt::format("{} must name a results file of format 1; '{}' is of format {}; use the shardfft that wrote it",
                    option, path, version.dump()));
  return json;
}

template <class Value>
void require_equal(const char* what, const Value& before, const Value& now) {
  if (before == now) return;
  throw Error(
      Status::mismatch,
      fmt::format(
          "--resume needs the {} that the file was begun with, {}; got {}; give the same, or begin another file", what,
          before, now));
}

std::string machine_text(const Results& results, const char* name) {
  return results.machine.value(name, Json()).dump();
}

}  // namespace

Results read_results(const std::string& option, const std::string& path) {
  const Json json = parsed(option, path);
  const auto damaged = [&](const char* why) {
    return Error(
        Status::invalid_argument,
        fmt::format("{} must name a whole results file; '{}' is damaged: {}; begin another one", option, path, why));
  };
  try {
    return results_from(json);
  } catch (const Json::exception& e) { throw damaged(e.what()); } catch (const Error& e) {
    throw damaged(e.what());
  }
}

void write_results(const std::string& path, const Results& results) {
  // What programs say on standard error need not be UTF-8.
  const std::string text = to_json(results).dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
  files::write_whole(local(), path, text);
}

void require_resumable(const Results& before, const Results& now) {
  const Settings &a = before.settings, &b = now.settings;
  require_equal("--iterations", a.iterations, b.iterations);
  require_equal("--warmup", a.warmup, b.warmup);
  require_equal("--plan-seconds", a.plan_seconds, b.plan_seconds);
  require_equal("--seed", a.seed, b.seed);
  require_equal("version of shardfft", before.version, now.version);
  for (const char* name : {"processor", "cores", "mpi"})
    require_equal(name, machine_text(before, name), machine_text(now, name));
  if (b.launches < a.launches)
    throw Error(
        Status::mismatch,
        fmt::format(
            "--resume needs at least the --launches that the file was begun with, {}; got {}; give the same or more",
            a.launches, b.launches));
}

}  // namespace shardfft::compare
