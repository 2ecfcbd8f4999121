// Arrays outside memory: in files, or wherever an object of yours reads and writes them; and transforms of those that
// are larger than memory, in passes: tiles are read ahead, transformed and written behind, through scratch files. Their
// results have the bits of a plan that transforms the whole array in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/operators/modes.hpp"
#include "shardfft/options.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/problem.hpp"

namespace shardfft::files {

/// Type of one element, as NumPy's `descr` spells it: byte order, kind, size.
struct Dtype {
  char kind = 'f';       ///< b bool, i signed, u unsigned, f real, c complex
  int size = 8;          ///< bytes of one element
  bool swapped = false;  ///< the other byte order than this machine's

  [[nodiscard]] bool complex() const { return kind == 'c'; }
  friend bool operator==(const Dtype&, const Dtype&) = default;
};
/// "<f8" to Dtype; throws Error(unsupported) for what has no numbers to transform (strings, records, objects, dates) or
/// is no float, double or integer.
[[nodiscard]] Dtype parse_dtype(std::string_view descr);
/// "float64", "complex64 (big-endian)"
[[nodiscard]] std::string to_string(const Dtype& dtype);
/// The type that arrays of plans have in memory.
[[nodiscard]] Dtype plan_dtype(Precision precision, bool complex);

/// What there is to know of an array before it is read.
struct ArrayInfo {
  Shape shape{};
  Dtype type{};
  std::vector<int> order{};  ///< of the axes, slowest first; empty: as they are numbered
};

/// Is told how far long work is. Any thread calls advance().
struct Watcher {
  virtual ~Watcher() = default;
  virtual void substage(std::string) {}  ///< "pass 1 of 2"
  virtual void expect(Index) {}          ///< so many parts from now on
  virtual void advance(Index) {}
};

/// What this rank has and wants of an array: its boxes lie in memory one after the other, in this order of axes.
struct FilePart {
  FilePart(const Layout& layout, int rank, Precision scalar, bool of_complex, int together)
      : FilePart(layout.global(), layout.order(), layout.boxes(rank), scalar, of_complex, together) {}
  FilePart(const Shape& all, std::vector<int> memory_order, std::vector<Box> own, Precision scalar, bool of_complex,
           int together)
      : global(all),
        order(std::move(memory_order)),
        boxes(std::move(own)),
        precision(scalar),
        complex(of_complex),
        threads(together) {}

  Shape global;            ///< of the array, or, of a flat file, of one with as many elements
  std::vector<int> order;  ///< of these axes in memory and in the file, slowest first
  std::vector<Box> boxes;
  Precision precision;
  bool complex;
  int threads;                         ///< that read and write together
  Index piece_bytes = Index{4} << 20;  ///< of one read or write
  bool streamed = false;               ///< past the system's cache of files
  [[nodiscard]] Index count() const {
    return std::accumulate(boxes.begin(), boxes.end(), Index{0}, [](Index n, const Box& b) { return n + b.count(); });
  }
};

/// An array that an object of yours reads and writes. One thread at a time reads, and one writes, beside the thread
/// that transforms. What they throw is Error(io_failed) on every rank.
struct ArrayOutside {
  virtual ~ArrayOutside() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< in messages
  [[nodiscard]] virtual ArrayInfo info() const = 0;
  /// The elements of a box, of info().type, in info().order, one after the other; their memory has any alignment.
  virtual void read(const Box& box, std::byte* to) = 0;
  virtual void write(const Box& box, const std::byte* from) = 0;
  /// Memory that one of these calls takes, at most.
  [[nodiscard]] virtual Index memory_bytes() const { return 0; }
};

/// An array outside memory. A value: copies are of the same array.
class File {
 public:
  /// Collective. A .npy file; or "file.h5:/dataset", where the program is linked with HDF5. Throws Error(io_failed) on
  /// every rank for what is no such file or is cut off, and Error(unsupported) for elements that are no numbers.
  [[nodiscard]] static File open(const Comm& comm, const std::string& path);
  /// Collective. A new file in C order, of its full size; `info.type` is one of plan_dtype(). `path` names it from
  /// commit() on; without commit() it never does. Throws Error(io_failed) on every rank.
  [[nodiscard]] static File create(const Comm& comm, const std::string& path, const ArrayInfo& info);
  /// Collective. Every rank has an object for the same array.
  File(const Comm& comm, std::shared_ptr<ArrayOutside> array);

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const ArrayInfo& info() const;  ///< with an order
  /// Fills `memory` with the elements of this rank, converted to the part's type. Not collective. Throws
  /// Error(io_failed).
  void read(const FilePart& part, std::byte* memory, Watcher* watcher = nullptr) const;
  /// Writes the elements of this rank, which have the array's type. Not collective. Throws Error(io_failed).
  void write(const FilePart& part, const std::byte* memory, Watcher* watcher = nullptr) const;
  /// Throws Error(io_failed) if a file is not as it was when it was opened. Not collective.
  void check_unchanged() const;
  /// Collective. When all ranks' bytes have reached the disk, the file has its name. Throws Error(io_failed).
  void commit();

  struct Impl;
  explicit File(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

/// How passes are made.
struct OutOfCore {
  Index memory_bytes = 0;              ///< that each rank may take; 0: three quarters of what is free
  std::vector<std::string> scratch{};  ///< folders; empty: beside the output, without one the system's for such files
  /// Go on where a run of the same call was killed, and let this one be killed so. The output is a file that create()
  /// made.
  bool resume = false;
  std::string resumed_with{};  ///< what decides over the result beside all other arguments, as the name of an operator
  bool verify = false;         ///< measure the error of each tile
  Watcher* watcher = nullptr;
};

/// One pass over the array, and how long it took: seconds of its slowest rank. Reading and writing go on beside the
/// rest.
struct PassReport {
  std::string does{};       ///< "forward", "backward", "apply" (forward, the operator, backward), "move"
  std::vector<int> axes{};  ///< in the order in which they are transformed
  Index tiles = 0;
  Shape tile{};  ///< the largest; where an axis is longer than the memory, of the array with that axis as two factors
  double total = 0, reading = 0, transforming = 0, verifying = 0, writing = 0;
};
struct PassesReport {
  std::vector<PassReport> passes{};
  std::string plan{};  ///< Plan::describe_json() of a plan of the whole array
  Index memory_bytes = 0;
  Index bytes_read = 0, bytes_written = 0, calls = 0;  ///< of all ranks, with those of scratch files
  Index scratch_bytes = 0;                             ///< room that scratch files take
  Index tiles_done_before = 0;                         ///< by a run that was killed
  std::uint64_t hash = 0;                              ///< of the result
  Verdict verdict{};  ///< with OutOfCore::verify: sums over the passes of their worst tiles
  bool right = true;  ///< whether every tile is within its bound
};

/// Makes an operator for a plan of the whole array, which is a dry run with options.apply = to_outputs.
using OperatorFor = std::function<Operator(const Plan&)>;
/// Gets a box of the result, in C order, of plan_dtype(). One thread of each rank calls it, tile after tile.
using Visit = std::function<void(const Box& box, const std::byte* elements)>;

/// A transform in passes that is chosen, and of which nothing is read yet: for programs that say what will be done.
class Passes {
 public:
  /// Collective. Throws Error(out_of_memory) on every rank where no passes fit into the memory, Error(invalid_argument)
  /// where the array is not that of the problem.
  ///   options  layouts and the order of axes decide over the bits, as in a plan; what is said of exchanges is ignored
  Passes(const Comm& comm, const File& in, const Problem& problem, Direction direction, const Options& options,
         const OutOfCore& how = {});
  /// Collective. Forward, the operator of one component, backward.
  Passes(const Comm& comm, const File& in, const Problem& problem, const OperatorFor& operator_for,
         const Options& options, const OutOfCore& how = {});
  ~Passes();
  Passes(Passes&&) noexcept;

  [[nodiscard]] static ArrayInfo result_of(const Problem& problem, Direction direction);
  [[nodiscard]] const PassesReport& report() const;
  /// Collective: makes the scratch files.
  void start(const File& out);
  /// Collective. Writes all of the output. Throws Error(io_failed) on every rank, also where a scratch file does not
  /// give back what was written to it.
  void run();
  /// Collective: commits the output, and removes what a killed run would go on from.
  void finish();

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// Collective. out = forward(in) or backward(in), committed unless OutOfCore::verify finds an error (report.right).
/// Throws as Passes does.
PassesReport transform(const Comm& comm, const File& in, const File& out, const Problem& problem,
                       Direction direction = Direction::forward, const Options& options = {},
                       const OutOfCore& how = {});
/// Collective. out = backward(f(forward(in))), with the bits of Plan::apply. A 3-D array takes three passes.
PassesReport apply(const Comm& comm, const File& in, const File& out, const Problem& problem,
                   const OperatorFor& operator_for, const Options& options = {}, const OutOfCore& how = {});
/// Collective. Hands the spectrum to `visit`, tile by tile; it is not written.
PassesReport reduce(const Comm& comm, const File& in, const Problem& problem, const Visit& visit,
                    const Options& options = {}, const OutOfCore& how = {});
/// Collective. spectral::power_spectrum of an array in a file, with the same bits.
[[nodiscard]] std::vector<double> power_spectrum(const Comm& comm, const File& in, const Problem& problem,
                                                 std::span<const double> lengths, double width = 0,
                                                 const Options& options = {}, const OutOfCore& how = {});

}  // namespace shardfft::files
