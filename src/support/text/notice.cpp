#include "support/text/notice.hpp"

#include <atomic>
#include <cstdio>
#include <functional>

#include "shardfft/environment.hpp"

namespace shardfft {
namespace {

void print(const std::string& line) { std::fputs((line + '\n').c_str(), stderr); }

// No lock: a child of fork() would find it held for ever. Earlier ones stay, for a thread may be in them.
struct Listener {
  std::function<void(const std::string&)> say;
  const Listener* before = nullptr;
};

std::atomic<const Listener*>& current() {
  static std::atomic<const Listener*>& it = *new std::atomic<const Listener*>(new Listener{print});
  return it;  // never destroyed: plans may be static objects
}

}  // namespace

void on_notice(std::function<void(const std::string& line)> say) {
  auto* next = new Listener{std::move(say), current().load()};
  while (!current().compare_exchange_weak(next->before, next)) {}
}

void notice(const std::string& text) noexcept {
  try {
    const Listener& listener = *current().load();
    if (listener.say) listener.say("shardfft: " + text);
  } catch (...) {  // lost
  }
}

}  // namespace shardfft
