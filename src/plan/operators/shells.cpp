#include "plan/operators/shells.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "plan/operators/owned_rows.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/team.hpp"
#include "support/comm/agree.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

const Layout& layout_of_spectrum(const Plan& plan) { return plan.problem().kind == c2r ? plan.input() : plan.output(); }

// What is wrong with an array of the spectrum is an error of this rank.
void require_spectrum(const Plan& plan, const View& spectrum, const WaveNumbers& waves, const char* call) {
  const std::size_t scalar = waves.precision() == f32 ? 4 : 8, element = scalar * (waves.complex() ? 2 : 1),
                    bytes = static_cast<std::size_t>(layout_of_spectrum(plan).count(plan.comm().rank())) * element,
                    of_plan = plan.problem().kind == c2r ? plan.input_bytes() : plan.output_bytes();
  if (bytes != of_plan)
    refuse_argument(
        fmt::format("{}() reads arrays without gaps; got a plan that was told where its spectrum lies; copy it", call));
  if (spectrum.scalar != 0 && (spectrum.scalar != scalar || spectrum.complex != waves.complex()))
    refuse_argument(fmt::format("{}() takes {} f{} numbers here; got {} f{}; convert them", call,
                                waves.complex() ? "complex" : "real", 8 * scalar, spectrum.complex ? "complex" : "real",
                                8 * spectrum.scalar));
  if (bytes > 0 && (!spectrum.data || spectrum.bytes < bytes))
    refuse_argument(fmt::format("{}() takes an array of {} bytes on this rank; got {}; make it with make_output()",
                                call, bytes, spectrum.data ? fmt::format("{}", spectrum.bytes) : "a null pointer"));
}

/// A spectrum in the host's memory, copied there from a device.
class Here {
 public:
  Here(const Plan& plan, const View& spectrum, std::size_t bytes)
      : data_(static_cast<const std::byte*>(spectrum.data)) {
    if (plan.space() == Space::host) return;
    copy_ = Array(bytes);
    plan.copy(spectrum, copy_);
    data_ = copy_.data();
  }
  [[nodiscard]] const std::byte* data() const { return data_; }

 private:
  const std::byte* data_;
  Array copy_{};
};

int threads_of_rank(const Comm& comm) {
  int sharers = 0;
  for (int rank = 0; rank < comm.size(); ++rank) sharers += comm.node(rank) == comm.node(comm.rank()) ? 1 : 0;
  return std::max(1, allowed_threads() / sharers);
}

}  // namespace

Shells::Shells(WaveNumbers waves, double width, bool centred, bool usual_is_longest)
    : waves_(std::move(waves)), offset_(centred ? 0.5 : 0) {
  const double side = waves_.extreme_period(usual_is_longest);
  unit_ = 2 * std::numbers::pi / side;
  if (!(width >= 0 && std::isfinite(width)))
    refuse_argument(fmt::format("the width of a shell is positive and finite, or 0 for the usual one; got {}", width));
  width_ = width == 0 ? 1 : width / unit_;
  double most = 0;
  for (int a = 0; a < waves_.dims(); ++a) {
    AxisTable& table = squares_.emplace_back(waves_.periods_in_box(a));
    for (double& number : table) {
      const double k = waves_.transforms(a) ? number * (side / waves_.period(a)) : 0;
      number = k * k;
    }
    most += *std::max_element(table.begin(), table.end());
  }
  constexpr double limit = 1 << 20;
  if (const double shells = std::floor(std::sqrt(most) / width_ + offset_) + 1; !(shells <= limit))
    refuse_argument(fmt::format("a power spectrum has at most {} shells; got {} of width {}; make them wider", limit,
                                shells, width_ * unit_));
  count_ = shell_of(most) + 1;
}

ShellSums::ShellSums(const Shells& shells, int sums)
    : shells_(&shells),
      kinds_(sums),
      sums_(static_cast<std::size_t>(sums) * shells.count()),
      modes_(shells.count(), 0) {}

void ShellSums::add(const Modes& modes) { modes.precision == f32 ? add_row<float>(modes) : add_row<double>(modes); }

// The squares of the axes are added in the order of the axes, whichever the row lies along.
template <class T>
void ShellSums::add_row(const Modes& m) {
  const auto* a = reinterpret_cast<const T*>(m.data);
  const auto* b = reinterpret_cast<const T*>(m.data + m.component_bytes);
  const int half = shells_->waves().half_axis(), numbers = m.complex ? 2 : 1;
  for (Index i = 0; i < m.count; ++i, a += numbers, b += numbers) {
    double square = 0;
    for (const int axis : shells_->waves().axes())
      square += shells_->squares(axis)[static_cast<std::size_t>(m.first[axis] + (axis == m.axis ? i : 0))];
    const std::size_t shell = shells_->shell_of(square);
    const bool two = half >= 0 && shells_->stands_for_two(m.first[half] + (half == m.axis ? i : 0));
    const double weight = two ? 2 : 1, are = static_cast<double>(a[0]), aim = m.complex ? static_cast<double>(a[1]) : 0;
    modes_[shell] += two ? 2 : 1;
    sum(ShellSum::power, shell).add(weight * (are * are + aim * aim));
    if (kinds_ == 1) continue;
    sum(ShellSum::wave_number, shell).add(weight * std::sqrt(square));
    if (kinds_ == 2) continue;
    const double bre = static_cast<double>(b[0]), bim = m.complex ? static_cast<double>(b[1]) : 0;
    sum(ShellSum::power_b, shell).add(weight * (bre * bre + bim * bim));
    sum(ShellSum::cross_re, shell).add(weight * (are * bre + aim * bim));
    // The mode that this one stands for has the conjugate.
    if (!two) sum(ShellSum::cross_im, shell).add(aim * bre - are * bim);
  }
}

void ShellSums::add(const Box& box, const std::byte* elements, const std::byte* second) {
  const int last = box.dims() - 1;
  Modes row{.first = box.lo, .axis = last, .count = box.extent(last), .precision = shells_->waves().precision()};
  row.complex = shells_->waves().complex();
  if (second) row.component_bytes = second - elements;
  const Index row_bytes = row.count * (row.precision == f32 ? 4 : 8) * (row.complex ? 2 : 1);
  for (Index left = box.count(); left > 0; left -= row.count, elements += row_bytes) {
    row.data = const_cast<std::byte*>(elements);  // NOLINT: only read
    add(row);
    for (int a = last - 1; a >= 0 && ++row.first[a] == box.hi[a]; --a) row.first[a] = box.lo[a];
  }
}

void ShellSums::add(const ShellSums& other) {
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i].add(other.sums_[i]);
  for (std::size_t i = 0; i < modes_.size(); ++i) modes_[i] += other.modes_[i];
}

std::vector<double> ShellSums::over_ranks(const Comm& comm) {
  std::vector<ExactSum> all = std::move(sums_);
  for (const Index modes : modes_) all.emplace_back().add(static_cast<double>(modes));
  return values_of(comm, all);
}

std::vector<double> sum_shells(const Plan& plan, std::span<const View> spectra, const Shells& shells, int sums,
                               const char* call) {
  std::vector<ShellSums> of_threads;
  collectively(plan.comm(), [&] {
    for (const View& spectrum : spectra) require_spectrum(plan, spectrum, shells.waves(), call);
    const Layout& layout = layout_of_spectrum(plan);
    const bool complex = shells.waves().complex();
    const Index element = (shells.waves().precision() == f32 ? 4 : 8) * (complex ? 2 : 1),
                bytes = layout.count(plan.comm().rank()) * element;
    std::vector<Here> here;
    for (const View& spectrum : spectra) here.emplace_back(plan, spectrum, static_cast<std::size_t>(bytes));
    const int threads = team_of(threads_of_rank(plan.comm()));
    of_threads.assign(static_cast<std::size_t>(threads), ShellSums(shells, sums));
    if (bytes == 0) return;
    const Index beside = here.back().data() - here.front().data();
    for_each_owned_row(layout, plan.comm().rank(), threads,
                       [&](int thread, const Coord& first, int axis, Index count, Index place) {
                         Modes m{.first = first, .axis = axis, .count = count, .precision = shells.waves().precision()};
                         m.complex = complex;
                         m.component_bytes = beside;
                         m.data = const_cast<std::byte*>(here.front().data()) + place * element;  // NOLINT: only read
                         of_threads[static_cast<std::size_t>(thread)].add(m);
                       });
  });
  for (std::size_t t = 1; t < of_threads.size(); ++t) of_threads[0].add(of_threads[t]);
  return of_threads[0].over_ranks(plan.comm());
}

}  // namespace shardfft
