// Tells how far a comparison is: one line that is written over on a terminal, else a line per launch, on standard
// error.
#pragma once

#include <chrono>
#include <string>

namespace shardfft::compare {

class ProgressLines {
 public:
  explicit ProgressLines(std::size_t launches);
  ~ProgressLines();
  ProgressLines(const ProgressLines&) = delete;
  ProgressLines& operator=(const ProgressLines&) = delete;

  void begin(
      const std::string& launch);  ///< on a terminal: what runs now, how much is done, about how long the rest takes
  void end(const std::string& launch, const std::string& outcome);
  void skip(std::size_t launches);  ///< that will not run
  void wipe();                      ///< before something else is printed
  void note(const std::string& text);

 private:
  bool terminal_, drawn_ = false;
  std::size_t all_, done_ = 0, run_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace shardfft::compare
