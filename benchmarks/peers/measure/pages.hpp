// Which pages a library's memory lies in: small ones of 4 KiB, or huge ones of 2 MiB, which spare translations of
// addresses.
#pragma once

#include <optional>
#include <string>

namespace shardfft::peers {

/// What GLIBC_TUNABLES must be for large allocations of glibc to ask Linux for huge pages, where it is `now`; nothing
/// where `now` already says whether they do.
[[nodiscard]] std::optional<std::string> tunables_with_huge_pages(const char* now);

/// Starts this program anew, with its words, where its large allocations do not ask for huge pages yet: glibc reads
/// whether they do only when a program starts. For whoever measures a library at its best: with huge pages it is what
/// it would be on the many systems that give them to all. To be called before MPI is started. Changes nothing without
/// glibc 2.35 or Linux's huge pages.
void restart_with_huge_pages();

/// Whether memory that is touched for the first time from now on may lie in huge pages, where it asks for them or the
/// system gives them to all.
void allow_huge_pages(bool allowed);

}  // namespace shardfft::peers
