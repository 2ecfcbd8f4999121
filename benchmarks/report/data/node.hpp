// A value inside a JSON file that knows where it is, so that a complaint can name the place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace shardfft::report {

using Json = nlohmann::ordered_json;

/// Every look-up throws Error(invalid_argument): "FILE: PLACE must be RULE; got GOT; REMEDY".
class Node {
 public:
  Node(const Json& value, std::string file, std::string place = {})
      : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

  [[nodiscard]] Node at(const std::string& key) const;                   ///< a field that must be there
  [[nodiscard]] std::optional<Node> find(const std::string& key) const;  ///< empty when it is missing or null
  [[nodiscard]] std::vector<Node> items() const;                         ///< of a list

  [[nodiscard]] std::string text() const;
  [[nodiscard]] double number() const;       ///< finite and not negative: seconds, bytes, errors, ratios
  [[nodiscard]] std::int64_t count() const;  ///< at least 1

  /// Missing or null: "" and nothing.
  [[nodiscard]] std::string text_of(const std::string& key) const;
  [[nodiscard]] std::optional<double> number_of(const std::string& key) const;

  [[nodiscard]] const Json& json() const { return *value_; }
  [[noreturn]] void complain(const std::string& rule) const;

 private:
  [[nodiscard]] Node child(const Json& value, const std::string& key) const;
  void must_be_object() const;

  const Json* value_;
  std::string file_, place_;
};

}  // namespace shardfft::report
