// What the model of a device decides, and what it expects, where the device was measured.
#pragma once

#include <string>
#include <vector>

#include "planner/decide/decompose.hpp"
#include "planner/decide/recipe.hpp"

namespace shardfft {

/// Whether there is one: else everything is as the registry and the rules of the host have it.
[[nodiscard]] bool has_device_model(const Recipe& recipe);

/// Tiles under way at once on the device.
[[nodiscard]] int streams_of(const Options& options);

/// Bytes of all axes of one sweep, where they are transformed one plane or volume after the other.
[[nodiscard]] Index room_on_device(const Recipe& recipe, const Comm& comm);

/// Whether a sweep of the last two axes and one of the others are two passes over the device's memory, where one sweep
/// of three axes would be three: planes are tiles that stay in the device's cache, and volumes are not.
[[nodiscard]] bool takes_two_passes(const Recipe& recipe);

/// `host`: the model of the recipe's other choices.
[[nodiscard]] DeviceModel device_model_of(const Recipe& recipe, const Model& host);

/// Chooses for arrays on a device what nobody named: the order of transports, from cheap to dear for an exchange of the
/// whole array among all ranks, and the number of chunks that suits the first one.
void choose_ways(Recipe& recipe, const Model& host);

/// The steps of analysis in turn and what each should take; together as long as the path was found to be.
[[nodiscard]] std::vector<ExpectedStep> expected_steps(const Decomposition& path, const DeviceModel& model,
                                                       double bytes_per_element);

}  // namespace shardfft
