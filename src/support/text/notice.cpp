#include "support/text/notice.hpp"

#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>

#include "shardfft/environment.hpp"

namespace shardfft {
namespace {

using Listener = std::function<void(const std::string&)>;

void print(const std::string& line) { std::fputs((line + '\n').c_str(), stderr); }

struct Current {
  std::mutex lock{};
  std::shared_ptr<const Listener> listener = std::make_shared<const Listener>(print);
};
/// Never destroyed: plans may be static objects.
Current& current() {
  static Current& it = *new Current;
  return it;
}

}  // namespace

void on_notice(std::function<void(const std::string& line)> say) {
  auto next = std::make_shared<const Listener>(std::move(say));
  const std::lock_guard guard(current().lock);
  current().listener = std::move(next);
}

void notice(const std::string& text) noexcept {
  try {
    std::shared_ptr<const Listener> listener;
    {
      const std::lock_guard guard(current().lock);
      listener = current().listener;
    }
    if (*listener) (*listener)("shardfft: " + text);
  } catch (...) {  // lost
  }
}

}  // namespace shardfft
