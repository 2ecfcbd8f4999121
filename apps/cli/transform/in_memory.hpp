// The transform of a file whose arrays fit into memory.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "options/task.hpp"
#include "shardfft/files.hpp"
#include "shardfft/plan.hpp"
#include "transform/moved_file.hpp"
#include "transform/parts_clock.hpp"

namespace shardfft::cli {

/// This rank's elements of a file.
struct FileSide {
  LayoutSpec spec{};
  Shape shape{};
  bool complex = true;
  std::optional<MovedFile> moved{};  ///< where the file is not read or written as `spec` says
  [[nodiscard]] std::vector<Placement> memory(const Comm& comm) const {
    return moved ? std::vector<Placement>{} : box_after_box(spec, shape, comm);
  }
};
/// Both files, and the plan between them.
struct FilePlan {
  FileSide in{}, out{};
  Options options{};
};
[[nodiscard]] FilePlan file_plan(const Comm& comm, const TransformWords& words, const Task& task,
                                 const FileLayouts& layouts);

/// Memory of each rank: what --memory leaves it, or what there is.
struct Room {
  Index each = 0;
  bool asked = false;
};

/// Collective: the plan of the whole array, where there is room for it; none where passes are to be made instead.
/// Throws Error(out_of_memory) on every rank where they cannot.
[[nodiscard]] std::optional<Plan> plan_that_fits(const Comm& comm, const TransformWords& words, const Task& task,
                                                 const FilePlan& files, const Room& room);

/// The array in OUT.
[[nodiscard]] files::ArrayInfo info_of_result(const Task& task);

/// Why this transform is not made in passes; empty where it can be.
[[nodiscard]] std::string why_no_passes(const TransformWords& words);

/// Says that the result is wrong. Returns the exit status.
int complain(const Comm& comm, const TransformWords& words, const Verdict& verdict,
             std::unique_ptr<Progress>& progress);

/// Collective: an array without elements becomes one, as in NumPy. Checks the words as for one that has some. Returns
/// the exit status.
[[nodiscard]] int transform_nothing(const Comm& comm, const TransformWords& words, const files::File& input,
                                    const Task& task, PartsClock& clock, std::unique_ptr<Progress>& progress);

/// Collective. Returns the exit status.
[[nodiscard]] int transform_in_memory(Plan& plan, const TransformWords& words, const files::File& input,
                                      const Task& task, const FilePlan& files, PartsClock& clock,
                                      std::unique_ptr<Progress>& progress);

}  // namespace shardfft::cli
