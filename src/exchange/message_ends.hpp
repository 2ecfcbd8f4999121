// The two ends of encoded messages as a pipeline knows them, wherever they are made and read: by a processor while data
// are in cache, or by a device.
#pragma once

#include <cstddef>
#include <functional>

#include "shardfft/box.hpp"

namespace shardfft {

struct ErrorBudget;

/// Writes one rank's encoded messages of an exchange.
class MessageWriter {
 public:
  using Said = std::function<void(std::size_t number, Index bytes)>;
  virtual ~MessageWriter() = default;
  /// A run begins, and the memory of the messages is this rank's to write.
  virtual void begin(const ErrorBudget& terms) = 0;
  /// The sweep has done `chunk`, or was asked for it: makes its messages whole, and calls said(number in Round::out,
  /// bytes) for each.
  virtual void seal(int chunk, const Said& said) = 0;
  /// Sum of squares of all losses of this run so far, and bytes of all sealed messages.
  [[nodiscard]] virtual double lost2() const = 0;
  [[nodiscard]] virtual Index bytes() const = 0;
  [[nodiscard]] virtual Index values() const = 0;  ///< real numbers that this rank encodes in a run
};

class MessageReader {
 public:
  using Received = std::function<Index(std::size_t number)>;
  virtual ~MessageReader() = default;
  /// Messages of `chunk` have arrived, `received(number in Round::in)` bytes of each. Throws Error(transport_failed)
  /// when one of them is damaged, and names its sender.
  virtual void open(int chunk, const Received& received) = 0;
  /// After a sweep: throws Error(transport_failed) when a message that looked whole could not be decoded.
  virtual void check() = 0;
};

}  // namespace shardfft
