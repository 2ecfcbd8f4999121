// What long work is doing: one line on the terminal, a line a minute elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "shardfft/files.hpp"

namespace shardfft::cli {

/// Shows the stage, how much of it is done, and how long the rest will take, on stderr. On a terminal that is one line,
/// from one second after the start on, which is wiped when the object goes. Elsewhere (a log, a batch job) it is a line
/// of its own every `rare`.
class Progress : public files::Watcher {
 public:
  /// `shown`: false on all ranks but one, and where nothing is to be printed.
  explicit Progress(bool shown, std::chrono::milliseconds rare = std::chrono::minutes(1));
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void stage(std::string name);              ///< "reading"; its parts are not counted until expect()
  void substage(std::string name) override;  ///< another name, of some of the parts that are expected
  void expect(Index parts) override;
  void advance(Index parts) override { done_.fetch_add(parts, std::memory_order_relaxed); }  ///< any thread

 private:
  void run_on_terminal();
  void run_in_log(std::chrono::milliseconds rare);
  [[nodiscard]] std::string text() const;

  std::atomic<Index> done_{0}, all_{0};
  std::mutex lock_;
  std::condition_variable ended_;
  bool end_ = false;
  std::string stage_;
  std::chrono::steady_clock::time_point began_{};  ///< the parts that are expected
  std::thread thread_;
};

}  // namespace shardfft::cli
