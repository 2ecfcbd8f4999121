// One line on the terminal that says what long work is doing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "shardfft/box.hpp"

namespace shardfft::cli {

/// Shows the stage and how much of it is done on stderr, from one second after the start on and where stderr is a terminal; else it does
/// nothing. The line is wiped when the object goes.
class Progress {
 public:
  /// `shown`: false on all ranks but one.
  explicit Progress(bool shown);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void stage(std::string name);  ///< "reading"; its parts are not counted until expect()
  void expect(Index parts) { done_ = 0, all_ = parts; }
  void advance(Index parts) { done_.fetch_add(parts, std::memory_order_relaxed); }  ///< any thread

 private:
  void run();
  void draw();

  std::atomic<Index> done_{0}, all_{0};
  std::mutex lock_;
  std::condition_variable ended_;
  bool end_ = false, drawn_ = false;
  std::string stage_;
  std::thread thread_;
};

}  // namespace shardfft::cli
