// Arrays outside memory as Python names them: files, and those that Python reads and writes.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "module.hpp"
#include "request.hpp"
#include "shardfft/files.hpp"

namespace shardfft::python {

/// read(lo, hi, memory) and write(lo, hi, memory) of Python give the text of what went wrong, or nothing.
class PythonArray final : public files::ArrayOutside {
 public:
  PythonArray(std::string called, const Numbers& shape, const std::string& dtype, nb::callable copy, Index bytes)
      : name_(std::move(called)),
        info_{Coord(shape), files::parse_dtype(dtype), {}},
        copy_(std::move(copy)),
        bytes_(bytes) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] files::ArrayInfo info() const override { return info_; }
  void read(const Box& box, std::byte* to) override { copy(box, to); }
  void write(const Box& box, const std::byte* from) override { copy(box, const_cast<std::byte*>(from)); }
  [[nodiscard]] Index memory_bytes() const override { return bytes_; }

 private:
  void copy(const Box& box, std::byte* memory);

  std::string name_;
  files::ArrayInfo info_;
  nb::callable copy_;
  Index bytes_;
};

/// Between tiles the main thread runs handlers of signals. What they raise ends the transform, on a rank that is alone:
/// others would wait for it.
struct Interruptible final : files::Watcher {
  explicit Interruptible(const Comm& comm) : alone(comm.size() == 1) {}
  void advance(Index) override {
    if (!alone) return;
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  bool alone;
};

/// A path, or (name, shape, dtype, copy, bytes) of an array that Python reads or writes.
using End = std::variant<std::string, std::shared_ptr<PythonArray>>;
[[nodiscard]] End read_end(const nb::object& given);
/// Collective; without the interpreter's lock.
[[nodiscard]] files::File opened(const Comm& comm, const End& end);
[[nodiscard]] files::File created(const Comm& comm, const End& end, const files::ArrayInfo& info);

}  // namespace shardfft::python
