// What was destroyed on a thread that MPI does not serve ends on one that it does.
#pragma once

#include <cstddef>
#include <memory>

namespace shardfft {

/// Keeps it until end_what_was_put_off(). Any thread.
void put_off(std::shared_ptr<void> what);
/// Called at the start of every call on a group of MPI, on a thread that may make it. Cheap when there is nothing.
void end_what_was_put_off();
/// For tests.
[[nodiscard]] std::size_t how_many_are_put_off();

}  // namespace shardfft
