#include "common/fields.hpp"

#include <functional>

#include <fmt/format.h>

#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"

namespace shardfft::solvers {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw Error(Status::invalid_argument, text); }

}  // namespace

void check_field_options(const Options& options, bool devices) {
  const auto has_no = [&](const char* got, const char* remedy) {
    refuse(fmt::format("a solver's arrays lie box after box; got {}; {}", got, remedy));
  };
  if (!options.input_memory.empty() || !options.output_memory.empty() || options.padded_reals)
    has_no("places in memory, or padded rows", "leave them out");
  if (options.output.kind != LayoutSpec::Kind::any) has_no("a layout of the output", "say `input`, of f and u");
  if (!devices && !options.device.empty() && options.arrays != "host")
    refuse(
        "the host solves along a stretched axis, in arrays of its own; got arrays on a device; say arrays = \"host\"");
}

void check_fields(const Plan& plan, const View& f, const View& u, bool in_place) {
  collectively(plan.comm(), [&] {
    const std::size_t bytes = plan.input_bytes(), scalar = plan.problem().precision == f32 ? 4 : 8;
    for (const View& view : {f, u}) {
      if (view.bytes == View::refused) refuse(static_cast<const char*>(view.data));
      if (view.bytes < bytes || (bytes > 0 && !view.data))
        refuse(fmt::format("f and u have {} bytes each on this rank; got {}; make them with make_array()", bytes,
                           view.data ? view.bytes : 0));
      if (plan.space() == Space::host && view.space != Space::host && view.space != Space::unknown)
        refuse("f and u are memory of the host; got memory of a device; make the solver with the option device");
      if (view.scalar != 0 && (view.scalar != scalar || view.complex))
        refuse(
            fmt::format("f and u hold reals of {} bytes, as the problem says; got {} ones of {} bytes; say the other "
                        "precision, or convert them",
                        scalar, view.complex ? "complex" : "real", view.scalar));
    }
    const auto *from = static_cast<const std::byte*>(f.data), *to = static_cast<const std::byte*>(u.data);
    const bool overlap = bytes > 0 && std::less<>()(from, to + bytes) && std::less<>()(to, from + bytes);
    if (overlap && (from != to || !in_place))
      refuse(
          "f and u are different memory, or the same with the option in_place; got memory that overlaps; set it, or "
          "make another array");
  });
}

void where_plan_is(const Plan& plan, const View& f, const View& u, const std::function<void(View, View)>& work) {
  const bool copies = f.space == Space::host || u.space == Space::host;
  if (plan.space() == Space::host || all_max(plan.comm(), copies ? 1.0 : 0.0) == 0) return work(f, u);
  const bool together = f.data == u.data;
  Array from, to;
  collectively(plan.comm(), [&] {
    from = plan.make_array(plan.input_bytes());
    if (!together) to = plan.make_array(plan.input_bytes());
    plan.copy({f.data, plan.input_bytes()}, from);
  });
  work(from, together ? from : to);
  collectively(plan.comm(), [&] { plan.copy(together ? from : to, {u.data, plan.input_bytes()}); });
}

}  // namespace shardfft::solvers
