// The calls of backends of GPUs, on the emulated device: pointers to its memory.
#include "heffte/arrays.hpp"
#include "shardfft/mpi.hpp"
#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
struct Emulated : heffte::backend::on_gpu<"emulated", "emulated"> {};
}  // namespace shardfft::testing
template <>
struct heffte::backend::is_enabled<shardfft::testing::Emulated> : std::true_type {};

namespace shardfft::testing {
namespace {

using C = std::complex<double>;

/// Memory of the device, as a program allocates it.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t count) : array_(maker_.make_array((count + 1) * sizeof(C))) {}
  C* data() { return reinterpret_cast<C*>(array_.data()); }
  void put(std::vector<C> from) { maker_.copy(from, View(array_.data(), from.size() * sizeof(C))); }
  std::vector<C> get(std::size_t count) {
    std::vector<C> to(count);
    maker_.copy(View(array_.data(), count * sizeof(C)), to);
    return to;
  }

 private:
  Plan maker_{mpi(MPI_COMM_WORLD), {.shape = {8, 8}}, {.device = "emulated"}};  // on the device of this rank
  Array array_;
};

TEST(HeffteOnDevices, TransformsMemoryOfTheDeviceInPlaceAndOutOfPlaceAndByBatches) {
  const Shape n{6, 7, 8};
  const auto me = static_cast<std::size_t>(world_rank());
  const Box3 in = heffte::split_world(world_of(n), {world_size(), 1, 1})[me];
  const Box3 part = heffte::split_world(world_of(n), {1, 1, world_size()})[me], out(part.low, part.high, {2, 0, 1});
  const Whole x = random_array(n, true, 30);
  const auto before = cut<C>(x, in), after = cut<C>(transformed(x), out);
  const heffte::fft3d<Emulated> fft(in, out, MPI_COMM_WORLD);
  DeviceMemory a(2 * std::max(before.size(), after.size())), b(2 * after.size());

  a.put(before);
  fft.forward(a.data(), b.data());
  expect_near(b.get(after.size()), after, "out of place");
  fft.backward(b.data(), a.data(), heffte::scale::full);
  expect_near(a.get(before.size()), before, "back");
  fft.forward(a.data(), a.data());
  expect_near(a.get(after.size()), after, "in place");

  auto twice = before, right = after;
  twice.insert(twice.end(), before.begin(), before.end());
  right.insert(right.end(), after.begin(), after.end());
  a.put(twice);
  fft.forward(2, a.data(), world_rank() == 0 ? a.data() : b.data());  // in place on one rank alone
  expect_near((world_rank() == 0 ? a : b).get(right.size()), right, "batch");
}

}  // namespace
}  // namespace shardfft::testing
