// Plans on devices with fewer modes and points.
#include "plan/device/device_plan_case.hpp"

namespace shardfft::testing {
namespace {

TEST(DevicePruned, InPlaceAreThoseOfTheHost) {
  for (const Problem& p : {Problem{.shape = {12, 10, 14}, .modes = {7, 10, 5}, .support = {12, 6, 14}},
                           Problem{.shape = {64, 9}, .axes = {0}, .modes = {43, 9}},
                           Problem{.shape = {16, 12, 20}, .kind = r2c, .modes = {11, 7, 13}},
                           Problem{.shape = {12, 10, 14}, .modes = {8, 10, 6}},
                           Problem{.shape = {16, 12, 20}, .kind = r2c, .modes = {10, 8, 12}}})
    for (const int ranks : {1, 3})
      for (const int fuse : {1, 2})
        on_ranks(ranks, [&](const Comm& comm) {
          Options o{.input = slabs(0), .output = slabs(0), .in_place = true, .expert = {.fuse = fuse}};
          Plan here(comm, p, o);
          o.device = space();
          Plan there(comm, p, o);
          run_in_place(here, there, [&](Direction direction, const auto& x, const auto& y) {
            const std::size_t bytes = direction == Direction::forward ? here.output_bytes() : here.input_bytes();
            for (std::size_t i = 0; i < bytes / sizeof(double); ++i)
              ASSERT_NEAR(x[i], y[i], 1e-12) << to_string(p) << " on " << ranks << " ranks, number " << i;
          });
        });
}

}  // namespace
}  // namespace shardfft::testing
