// Problems with given layouts on a device, and the check of one on ranks that are threads.
#pragma once

#include "plan/checked_plan.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {

inline std::shared_ptr<Device> device_of(int rank) { return find_device(space(), rank); }

/// Against the definition, in both directions.
inline void check_on_devices(const Case& c, bool arrays_there = true) {
  on_ranks(c.ranks, [&](Comm comm) {
    Rank rank{c, comm, std::mt19937_64(c.seed * 1000 + static_cast<std::uint64_t>(comm.rank())), arrays_there ? device_of(comm.rank()) : nullptr};
    c.problem.precision == f32 ? rank.check<float>() : rank.check<double>();
  });
}

}  // namespace shardfft::testing
