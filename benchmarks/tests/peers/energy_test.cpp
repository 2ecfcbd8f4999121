#include "peers/measure/energy.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace shardfft::peers {
namespace {

/// A folder like /sys/class/powercap that goes away with the test.
class Counters : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& package, const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(root_ / package);
    std::ofstream(root_ / package / file) << text << '\n';
  }
  void add(const std::string& package, const std::string& name, std::uint64_t microjoules) const {
    write(package, "name", name);
    write(package, "max_energy_range_uj", "1000000");
    set(package, microjoules);
  }
  void set(const std::string& package, std::uint64_t microjoules) const {
    write(package, "energy_uj", std::to_string(microjoules));
  }

  const std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("shardfft-energy-" + std::to_string(std::random_device()()));
};

TEST_F(Counters, AddUpOverPackagesAndTimedParts) {
  add("intel-rapl:0", "package-0", 100);
  add("intel-rapl:1", "package-1", 0);
  EnergyCounter energy(local(), root_);
  energy.start();
  set("intel-rapl:0", 600);
  set("intel-rapl:1", 1000);
  energy.stop();
  set("intel-rapl:0", 900);  // between two timed parts: not counted
  energy.start();
  set("intel-rapl:0", 1000);
  energy.stop();
  ASSERT_TRUE(energy.joules());
  EXPECT_DOUBLE_EQ(*energy.joules(), 1600e-6);
}

TEST_F(Counters, StartAgainAtTheEndOfTheirRange) {
  add("intel-rapl:0", "package-0", 999990);
  EnergyCounter energy(local(), root_);
  energy.start();
  set("intel-rapl:0", 20);
  energy.stop();
  EXPECT_DOUBLE_EQ(energy.joules().value_or(-1), 30e-6);
}

TEST_F(Counters, OfPartsOfAPackageAreNotCountedTwice) {
  add("intel-rapl:0", "package-0", 0);
  add("intel-rapl:0:0", "core", 0);
  EnergyCounter energy(local(), root_);
  energy.start();
  set("intel-rapl:0", 10);
  set("intel-rapl:0:0", 8);
  energy.stop();
  EXPECT_DOUBLE_EQ(energy.joules().value_or(-1), 10e-6);
}

TEST_F(Counters, GiveNothingWhereThereAreNone) {
  EXPECT_FALSE(EnergyCounter(local(), root_).joules());
  EXPECT_FALSE(EnergyCounter(local(), root_ / "missing").joules());
}

}  // namespace
}  // namespace shardfft::peers
