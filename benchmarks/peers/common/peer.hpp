// The seam between the benchmark and one library. A peer is a program: peer_main.cpp, the common part, and one adapter
// file that defines `this_library`. The library is only called through its public interface.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "shardfft/comm.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/problem.hpp"

namespace shardfft::peers {

/// What a library is and can; printed by --about. The lists hold the words of the command line.
struct About {
  std::string library, version;
  bool mpi = false;      ///< runs on several ranks
  bool threads = false;  ///< uses several threads of a rank
  bool batch = false;    ///< transforms several fields in one call
  bool grid = false;     ///< takes a process grid for its pencils
  bool axes = false;     ///< transforms some axes of an array, not all
  std::vector<std::string> kinds{"c2c", "r2c"}, precisions{"f64", "f32"}, layouts{};
  std::vector<int> dims{2, 3};
  bool available = true;
  std::string reason{};  ///< why not available
};

/// About::kinds of a library that has all that a case may name.
[[nodiscard]] inline std::vector<std::string> all_kinds() {
  std::vector<std::string> words{"c2c", "r2c"};
  for (int kind = static_cast<int>(AxisKind::cosine1); kind <= static_cast<int>(AxisKind::hartley); ++kind)
    words.push_back(to_string(static_cast<AxisKind>(kind)));
  return words;
}

/// best: as fast as the library gets; standard ("default" on the command line): as the first example of its
/// documentation.
enum class Call { best, standard };

/// What is asked of a library: `batch` fields of `shape`, one after the other in memory. The kind is c2c, r2c or r2r.
struct Task {
  Shape shape{};
  Kind kind = c2c;
  AxisKind axis_kind = AxisKind::fourier;  ///< of r2r, along every axis
  Precision precision = f64;
  std::string layout = "natural";
  int threads = 1;
  Call call = Call::best;
  double plan_seconds = 60;
  std::string scratch{};  ///< folder in which measured plans are kept for the next launch; empty: nowhere
  std::uint64_t seed = 1;
  Index batch = 1;
  Coord grid{};  ///< processes along the two cut axes of pencils, their product is the number of ranks; empty: the
                 ///< library's own choice
  std::vector<int> axes{};  ///< of a field that are transformed, the real one of r2c last; empty: all

  /// Numbers of the transformed axes of a field, and of the arrays.
  [[nodiscard]] std::vector<int> transformed() const;
  [[nodiscard]] std::vector<int> transformed_of_array() const;
  /// Whether reals and spectrum may share memory: rows of reals that have room for those of the half spectrum.
  [[nodiscard]] bool can_be_in_place() const { return kind != r2c || transformed().back() == shape.dims() - 1; }
  /// "r2c", "cosine2"
  [[nodiscard]] std::string kind_word() const { return kind == r2r ? to_string(axis_kind) : to_string(kind); }
  /// Points of one transform.
  [[nodiscard]] Index points() const;
  /// By what an unscaled transform and its inverse multiply.
  [[nodiscard]] double unscaled_gain() const;
  /// Extents of the transform of one field; a half spectrum for r2c.
  [[nodiscard]] Shape spectrum() const;
  /// Extents of the global arrays: the fields along an axis in front, of which there is none for a single field.
  [[nodiscard]] Shape input_array() const { return behind_batch(shape, batch); }
  [[nodiscard]] Shape spectrum_array() const { return behind_batch(spectrum(), batch); }
  /// The number of the first transformed axis in these.
  [[nodiscard]] int first_axis() const { return batch > 1 ? 1 : 0; }
  /// One number per axis of a field as one per axis of an array, `first` for the axis of the fields where there is one.
  [[nodiscard]] Coord behind_batch(const Coord& of_field, Index first) const;
  /// Bytes of one element of the input and of the spectrum.
  [[nodiscard]] Index input_element() const { return real_bytes() * (kind == c2c ? 2 : 1); }
  [[nodiscard]] Index spectrum_element() const { return real_bytes() * (kind == r2r ? 1 : 2); }
  /// Bytes of one real number.
  [[nodiscard]] Index real_bytes() const { return precision == f32 ? 4 : 8; }
};

/// A name for files that belong to one task on so many ranks: "256x256x256-c2c-f64-natural-2x1",
/// "...-4x1-batch3-grid2x2".
[[nodiscard]] std::string name_of(const Task& task, int ranks);

/// Thrown on all ranks alike when the library cannot do what is asked; the text says why.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a library was called, in words.
struct Description {
  std::string configuration, layout_in, layout_out;
};

/// Facts of one run on this rank, as far as the library tells.
struct RunFacts {
  std::vector<std::pair<std::string, double>> phases{};  ///< label and seconds, the same labels on all ranks
  Index bytes_sent_network = -1, messages_sent = -1;     ///< -1: not known
};

/// A library's plan for a task, with its memory. forward takes the input to the spectrum (exponent -1, not scaled),
/// backward takes it back and may destroy it. Both are timed, and return when all is done, on a device too.
class Transform {
 public:
  virtual ~Transform() = default;
  /// Collective, called once after planning and not timed: memory that the plan itself did not need yet.
  virtual void allocate() {}
  /// The arrays' memory now. In place, both are the same memory. Asked again after each run.
  [[nodiscard]] virtual std::vector<LocalPart> input() = 0;
  [[nodiscard]] virtual std::vector<LocalPart> spectrum() = 0;
  /// For arrays on a device: input() and spectrum() show mirrors in memory of the host, and these two copy; neither is
  /// timed. to_device: called when the host has filled what input() shows. to_host: called after a run, before the host
  /// looks at its result.
  virtual void to_device() {}
  virtual void to_host() {}
  virtual void forward() = 0;
  virtual void backward() = 0;
  /// backward(forward(x)) / x: the number of points where nothing is scaled, 1 where backward is.
  [[nodiscard]] virtual double gain() const = 0;
  [[nodiscard]] virtual Description describe() const = 0;
  [[nodiscard]] virtual RunFacts last_forward() const { return {}; }
  [[nodiscard]] virtual std::string recipe_json() const { return "{}"; }
  /// The plan that runs, for people; empty where a library does not tell.
  [[nodiscard]] virtual std::string plan_text() const { return {}; }

  /// Other ways of calling the library that were tried and were wrong, with their errors; set by fastest(), known on
  /// rank 0.
  std::vector<std::string> wrong_ways{};
  bool small_pages = false;  ///< it is faster, or was found to be, where no memory lies in huge pages; set by fastest()
};

/// What an adapter offers. `plan` is collective and throws Unsupported, or any std::exception for a failure.
class Library {
 public:
  virtual ~Library() = default;
  [[nodiscard]] virtual About about() const = 0;
  /// Called once, after MPI was started and before anything is timed or memory is counted: what an interpreter imports,
  /// for example.
  virtual void load(const Task&) {}
  [[nodiscard]] virtual std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) = 0;
};

/// Defined by the adapter of a C++ peer.
[[nodiscard]] std::unique_ptr<Library> this_library();

}  // namespace shardfft::peers
