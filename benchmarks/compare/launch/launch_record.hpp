// One launch of one library: how it is asked for, and what came back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compare/cases/settings.hpp"
#include "launcher.hpp"
#include "peers.hpp"
#include "process.hpp"

namespace shardfft::compare {

/// What one launch gave. `told` is the peer's own object, with "turn", "status" and "reason" in front.
struct LaunchRecord {
  int turn = 0;
  std::string status{};  ///< ok, wrong, unsupported, failed, timeout
  std::string reason{};
  std::vector<double> forward_s{}, backward_s{};  ///< one per iteration; empty unless ok
  Json told = Json::object();
  [[nodiscard]] bool ok() const { return status == "ok"; }
};

/// The process that runs `peer` on a case and writes its result to `result`. `scratch` is the library's own folder for
/// plans that it remembers.
[[nodiscard]] ProcessRequest request_for(const Peer& peer, const std::string& call, const Case& c,
                                         const Settings& settings, const Launcher& launcher,
                                         const std::filesystem::path& scratch, const std::filesystem::path& result);

/// Reads what the launch wrote. A launch that crashed, wrote nothing or wrote what is no result is `failed`; a result
/// whose error is above its bound (forward) or twice that (backward of forward) is `wrong` whatever it says; one that
/// says that it ran on another number of nodes than was asked for is `failed`. Times of what is not ok are dropped.
[[nodiscard]] LaunchRecord record_of(const ProcessOutcome& outcome, const std::filesystem::path& result,
                                     const Settings& settings, const Case& c, int turn);

[[nodiscard]] Json to_json(const LaunchRecord& record);
/// From a results file. Throws nlohmann's exceptions, and Error where a good launch has no times.
[[nodiscard]] LaunchRecord launch_record_from(const Json& json);

}  // namespace shardfft::compare
