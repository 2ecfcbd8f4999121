// The faster of several ways of calling a library.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "peer.hpp"

namespace shardfft::peers {

/// One way of calling a library, for example "in place".
struct Way {
  std::string name;
  std::function<std::unique_ptr<Transform>()> make;  ///< collective
};

/// Collective. Makes every way in turn, with huge pages allowed (pages.hpp), runs it three times forward and backward,
/// does so once more in small pages with the one whose best sum on the slowest rank was the least, and makes the faster
/// one again; so libraries should remember their plans. Stops trying when the task's plan_seconds have passed. Before a
/// way is taken for the fastest so far its answer is checked: one that is wrong is left out, and Transform::wrong_ways
/// of what is returned says so; when no way is right, the fastest of all is returned. The choice is kept in the task's
/// scratch folder under `library`, and taken from there by the next launch. Ways that throw Unsupported are left out;
/// when all do, so does this.
[[nodiscard]] std::unique_ptr<Transform> fastest(const Comm& comm, const std::string& library, const Task& task,
                                                 const std::vector<Way>& ways);

}  // namespace shardfft::peers
