// The arrays of solvers: reals, box after box.
#pragma once

#include <functional>

#include "shardfft/plan.hpp"

namespace shardfft::solvers {

/// Throws Error(invalid_argument) for options that such arrays have no use for. `devices`: they may be on one, as they
/// may not with a stretched axis.
void check_field_options(const Options& options, bool devices);
/// Collective. Throws Error(invalid_argument) on every rank unless f and u are memory for fields of this plan: apart,
/// or the same where `in_place`.
void check_fields(const Plan& plan, const View& f, const View& u, bool in_place);
/// Collective. Calls work(f, u). If the plan is on a device and arrays of some rank are of the host, it gets copies
/// there, and u is copied back.
void where_plan_is(const Plan& plan, const View& f, const View& u, const std::function<void(View, View)>& work);

}  // namespace shardfft::solvers
