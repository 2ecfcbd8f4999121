#include "passes/tile_operator.hpp"

#include <array>
#include <utility>
#include <vector>

#include "shardfft/error.hpp"

namespace shardfft::files {

struct TileOperator::Whole {
  Operator f;
  std::array<std::vector<double>, max_dims> wave{};
  Coord strides{};  ///< of an array of make_middle(), in elements
};

TileOperator::TileOperator(const Plan& whole, Operator f) {
  if (f.components_in > 1 || f.components_out > 1)
    throw Error(Status::unsupported,
                "an operator in passes takes one component and leaves one; got one of several; transform the "
                "components one by one");
  Whole all{.f = std::move(f), .strides = whole.middle().global()};
  for (int a = 0; a < all.strides.dims(); ++a) {
    const auto wave = whole.wave(a);
    all.wave[static_cast<std::size_t>(a)].assign(wave.begin(), wave.end());
  }
  Index stride = 1;
  const std::vector<int>& order = whole.middle().order();
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) stride *= std::exchange(all.strides[*axis], stride);
  whole_ = std::make_shared<const Whole>(std::move(all));
}

Operator TileOperator::of_tile(const Coord& first) const {
  return [whole = whole_, first](const Modes& of_tile) {
    Modes modes = of_tile;
    modes.place = 0;
    for (int a = 0; a < first.dims(); ++a) {
      modes.first[a] += first[a];
      modes.wave[static_cast<std::size_t>(a)] = whole->wave[static_cast<std::size_t>(a)].data();
      modes.place += modes.first[a] * whole->strides[a];
    }
    modes.step = whole->strides[modes.axis];
    modes.component_step = 0;
    whole->f.run(whole->f.self.get(), modes);
  };
}

}  // namespace shardfft::files
