// Which devices there are, as programs ask.
#include "shardfft/programs/inventory.hpp"

#include <gtest/gtest.h>

#include "device/device.hpp"

namespace shardfft {
namespace {

TEST(Devices, OfEverySpaceAreThereOrItIsSaidWhyNot) {
  for (const DeviceDriver* driver : device_drivers()) {
    EXPECT_EQ(device_count(driver->space()), driver->count()) << driver->space();
    EXPECT_EQ(why_no_device(driver->space()).empty(), driver->count() > 0) << driver->space();
  }
}

TEST(Devices, OfASpaceThatIsNotCompiledInAreNone) {
  EXPECT_EQ(device_count("abacus"), 0);
  EXPECT_NE(why_no_device("abacus").find("compiled in: "), std::string::npos) << why_no_device("abacus");
  EXPECT_NE(why_no_device("abacus").find("got 'abacus'"), std::string::npos) << why_no_device("abacus");
}

}  // namespace
}  // namespace shardfft
