// Problems with given layouts on a device, and the check of one on ranks that are threads.
#pragma once

#include "plan/checked_plan.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {

inline std::shared_ptr<Device> device_of(int rank) { return find_device(space(), rank); }

/// The place of a test's arrays: the host, a device, or the host with a device that they go through.
struct Where {
  const char* name;
  const char* arrays;  ///< as in Options::arrays; nullptr: no device
  int problems;        ///< that random tests take for one that they list
  Index most_elements;
  int most_ranks;
};
/// The host alone if there is no device.
inline std::vector<Where> places() {
  std::vector<Where> all{{"host", nullptr, 12, 2500, 12}};
  if (!find_driver(space())) return all;
  all.push_back({"on_device", "device", 6, 1500, 8});
  all.push_back({"through_device", "host", 4, 1500, 8});
  return all;
}

/// Choices of the host make no sense there, or mean something else.
inline Case on_device(Case c, std::mt19937_64& random, const std::string& arrays) {
  const auto any_of = [&](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
  c.options.device = space();
  c.options.arrays = arrays;
  c.options.expert.engine = arrays != "host" && space() == "emulated" ? any_of("", "fused") : "";
  c.options.expert.transport = "";
  c.options.expert.fuse = any_of(-1, 1, 2, 3);
  c.options.expert.tile = any_of(0, 0, 1, 3, 16, 1000);
  c.options.expert.chunks = any_of(0, 1, 2, 3);
  c.options.expert.non_temporal = NonTemporal::automatic;
  c.options.expert.streams = any_of(0, 1, 2, 3, 5);
  if (arrays != "host") c.options.expert.transport = any_of("", "peer_kernel", "peer_copy", "via_host", "staged");
  return c;
}

/// Against the definition, in both directions.
inline void check_on_devices(const Case& c, bool arrays_there = true) {
  on_ranks(c.ranks, [&](Comm comm) {
    Rank rank{c, comm, std::mt19937_64(c.seed * 1000 + static_cast<std::uint64_t>(comm.rank())),
              arrays_there ? device_of(comm.rank()) : nullptr};
    c.problem.precision == f32 ? rank.check<float>() : rank.check<double>();
  });
}

/// Both directions in place of f64 arrays, by both plans and from the same random numbers: compare(direction, what this
/// rank's array holds here, what there) after each.
template <class Compare>
void run_in_place(Plan& here, Plan& there, const Compare& compare) {
  Array mine = here.make_input(), its = there.make_input();
  ASSERT_EQ(mine.bytes(), its.bytes());
  std::mt19937_64 random(static_cast<std::uint64_t>(here.comm().rank()));
  std::vector<double> x(mine.bytes() / sizeof(double)), y(x.size());
  for (double& v : x) v = std::uniform_real_distribution<>(-1, 1)(random);
  const View host(x.data(), mine.bytes()), back(y.data(), mine.bytes());
  here.copy(host, mine), there.copy(host, its);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    for (const auto& [plan, array] : {std::pair(&here, &mine), {&there, &its}})
      direction == Direction::forward ? plan->forward(*array, *array) : plan->backward(*array, *array);
    here.copy(mine, host), there.copy(its, back);
    compare(direction, x, y);
  }
}

}  // namespace shardfft::testing
