// How much memory the tables of kernels take.
#pragma once

#include <cstddef>
#include <map>

namespace shardfft {

/// A table that several kernels share counts once.
class TableBytes {
 public:
  void add(const void* table, std::size_t bytes) { bytes_of_[table] = bytes; }
  /// A vector's numbers.
  template <class Vector>
  void add(const Vector& table) {
    add(table.data(), table.size() * sizeof(typename Vector::value_type));
  }
  [[nodiscard]] std::size_t sum() const {
    std::size_t all = 0;
    for (const auto& [table, bytes] : bytes_of_) all += bytes;
    return all;
  }

 private:
  std::map<const void*, std::size_t> bytes_of_{};
};

}  // namespace shardfft
