#include "passes/tile_operator.hpp"

#include <array>
#include <utility>
#include <vector>

#include "shardfft/error.hpp"

namespace shardfft::files {

struct TileOperator::Whole {
  Operator f;
  TwoSpectra of_two;
  std::array<std::vector<double>, max_dims> wave{};
  Coord strides{};  ///< of an array of make_middle(), in elements
};

TileOperator::TileOperator(const Plan& whole, Operator f) {
  if (f.components_in > 1 || f.components_out > 1)
    throw Error(Status::unsupported,
                "an operator in passes takes one component and leaves one; got one of several; transform the "
                "components one by one");
  Whole all{.f = std::move(f), .of_two = {}, .strides = whole.middle().global()};
  for (int a = 0; a < all.strides.dims(); ++a) {
    const auto wave = whole.wave(a);
    all.wave[static_cast<std::size_t>(a)].assign(wave.begin(), wave.end());
  }
  Index stride = 1;
  const std::vector<int>& order = whole.middle().order();
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) stride *= std::exchange(all.strides[*axis], stride);
  whole_ = std::make_shared<const Whole>(std::move(all));
}

TileOperator::TileOperator(const Plan& whole, TwoSpectra f) : TileOperator(whole, Operator([](const Modes&) {})) {
  *this = with(std::move(f));
}

TileOperator TileOperator::with(TwoSpectra f) const {
  Whole all = *whole_;
  all.of_two = std::move(f);
  TileOperator other;
  other.whole_ = std::make_shared<const Whole>(std::move(all));
  return other;
}

Operator TileOperator::of_tile(const Coord& first, const SecondTile& second) const {
  return [whole = whole_, first, second](const Modes& of_tile) {
    Modes modes = of_tile;
    modes.place = 0;
    for (int a = 0; a < first.dims(); ++a) {
      modes.first[a] += first[a];
      modes.wave[static_cast<std::size_t>(a)] = whole->wave[static_cast<std::size_t>(a)].data();
      modes.place += modes.first[a] * whole->strides[a];
    }
    modes.component_step = 0;
    if (second.elements) {
      Coord strides = second.box.lo;
      Index stride = 1;
      for (int a = strides.dims() - 1; a >= 0; --a) strides[a] = stride, stride *= second.box.extent(a);
      modes.place = 0;
      for (int a = 0; a < strides.dims(); ++a) modes.place += (modes.first[a] - second.box.lo[a]) * strides[a];
      modes.step = strides[modes.axis];
      const Index element = (modes.precision == f32 ? 4 : 8) * (modes.complex ? 2 : 1);
      return whole->of_two(modes, second.elements + modes.place * element);
    }
    modes.step = whole->strides[modes.axis];
    whole->f.run(whole->f.self.get(), modes);
  };
}

}  // namespace shardfft::files
