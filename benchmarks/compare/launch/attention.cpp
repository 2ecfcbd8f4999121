#include "attention.hpp"

#include <cerrno>
#include <cstdint>
#include <iterator>

#include <sys/eventfd.h>
#include <unistd.h>

namespace shardfft::compare {
namespace {

volatile std::sig_atomic_t deadly = 0;
volatile std::sig_atomic_t wake = -1;

void note(int signal) {
  const int saved = errno;
  if (signal != SIGCHLD) deadly = signal;
  const std::uint64_t one = 1;
  (void)!::write(wake, &one, sizeof one);
  errno = saved;
}

}  // namespace

Attention::Attention() {
  deadly = 0;
  wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action{};
  action.sa_handler = note;
  for (std::size_t i = 0; i < std::size(watched); ++i) {
    ::sigaction(watched[i], &action, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN && watched[i] != SIGCHLD)
      ::sigaction(watched[i], &before_[i], nullptr);  // nohup stays nohup
  }
}

Attention::~Attention() {
  for (std::size_t i = 0; i < std::size(watched); ++i) ::sigaction(watched[i], &before_[i], nullptr);
  ::close(wake);
  wake = -1;
}

int Attention::wake_fd() const { return wake; }

void Attention::drain() const {
  std::uint64_t count = 0;
  (void)!::read(wake, &count, sizeof count);
}

int Attention::asked_to_end() const { return deadly; }

}  // namespace shardfft::compare
