// What sweeps and exchanges cost on a machine, in seconds, for the rank that has most to do.
#pragma once

#include "pipeline/route/stages.hpp"
#include "planner/model/machine.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/layout.hpp"
#include "support/tuning.hpp"

namespace shardfft {

/// How bytes reach other ranks.
enum class Path { stores, mpi, mixed };

/// What the rank that has most to do sends in an exchange.
struct Sent {
  double bytes = 0;      ///< to others
  double far_share = 0;  ///< of them, to other nodes
  double messages = 0;
};
[[nodiscard]] Sent sent_between(const Comm& comm, const Layout& from, const Layout& to, double bytes_per_element);

struct Model {
  Machine machine{};
  const Comm* comm = nullptr;
  int sharers = 1;  ///< ranks of a node, which share its memory bandwidth
  int engine = 0;   ///< of the host: number in the registry
  Scalar scalar = Scalar::f64;
  Path path = Path::mixed;
  Tuning tuning{{.chunks = 1, .non_temporal = NonTemporal::all}};  ///< with the threads of rank 0
  bool fits_common_cache = false;                                  ///< the array fits the cache that the cores share
  bool stays_in_common_cache = false;  ///< with what is transformed: stores of lines that are there need no memory
  bool cached = false;                 ///< a core's share of the array stays in its cache from sweep to sweep
  double encoded_share = 1;  ///< bytes that a codec leaves of those that go to other nodes; 1: nothing is encoded

  /// One core of every rank is at it, all ranks at once: bytes read and written.
  [[nodiscard]] double moved(double read, double written) const;
  // `elements` of the next three are those of the result.

  /// Transforming along an axis in cache.
  [[nodiscard]] double computed(const AxisTransform& axis, double elements) const;
  /// From memory through cache to memory once, with a transform on the way.
  [[nodiscard]] double sweep(const AxisTransform& axis, double elements, double bytes) const;
  /// One more axis of a plane that is in cache already.
  [[nodiscard]] double more_of_sweep(const AxisTransform& axis, double elements, double bytes, bool short_lines) const;
  /// From memory to memory without a transform.
  [[nodiscard]] double copy(double elements, double bytes) const;
  /// From one layout to another; the bytes themselves are stored by the sweep before it.
  [[nodiscard]] double exchange(const Layout& from, const Layout& to, double bytes) const;
  [[nodiscard]] double exchange(const Sent& sent) const;

 private:
  [[nodiscard]] double place() const;
  [[nodiscard]] double team_seconds() const;
};

[[nodiscard]] int ranks_on_first_node(const Comm& comm);
/// Elements of the rank that owns most; in block and cyclic layouts that is rank 0.
[[nodiscard]] double largest_part(const Layout& layout);
/// Nominal operations of transforming `elements` along an axis of length n.
[[nodiscard]] double axis_flops(const AxisTransform& axis, double elements);

}  // namespace shardfft
