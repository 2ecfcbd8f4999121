// The plans that programs hold: which are ours, and what is done with them. Nothing throws out of here.
#pragma once

#include <string>

#include "request.hpp"

namespace shardfft::fftw_mpi {

/// A plan as the program holds it. Copies are handles of the same plan.
struct Handle;

/// What shardfft answers to a request. Without a plan: why, and whether FFTW may have one.
struct Answer {
  Handle* plan = nullptr;
  std::string refused{};
  bool others_may = false;
};

/// Collective over the communicator of the request.
Answer ask(const Request& request) noexcept;
/// After an answer without a plan: counts what FFTW made of it, and says on rank 0 why there is none if it is nullptr.
/// `loaded`: whether FFTW's library is there.
void settle(const Request& request, const Answer& answer, const void* theirs, bool loaded, double seconds) noexcept;

/// Ours, or nullptr. Told by the addresses of all plans that live.
Handle* find(const void* plan) noexcept;
void run(Handle* plan) noexcept;
void run(Handle* plan, void* in, void* out) noexcept;
Handle* copy(Handle* plan) noexcept;
void destroy(Handle* plan) noexcept;
double flops(Handle* plan) noexcept;
/// Text that the caller frees.
char* text_of(Handle* plan) noexcept;

/// FFTW's own MPI plans, if there is a report: that of a run needs to know them.
void forget_theirs(const void* plan) noexcept;
bool is_theirs(const void* plan, What& what) noexcept;

/// For functions that return nothing: prints the message and ends the program.
[[noreturn]] void die(const std::string& text) noexcept;

}  // namespace shardfft::fftw_mpi
