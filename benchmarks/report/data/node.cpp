#include "node.hpp"

#include <cmath>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::report {
namespace {

/// What stands there, short enough for one line.
std::string shown(const Json& value) {
  constexpr std::size_t most = 40;
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() > most ? text.substr(0, most) + "…" : text;
}

}  // namespace

void Node::complain(const std::string& rule) const {
  throw Error(Status::invalid_argument,
              fmt::format("{}: {} must be {}; got {}; write the file again with shardfft compare --json", file_,
                          place_.empty() ? "the file" : place_, rule, shown(*value_)));
}

void Node::must_be_object() const {
  if (!value_->is_object()) complain("an object");
}

Node Node::child(const Json& value, const std::string& key) const {
  return {value, file_, place_.empty() ? key : place_ + '.' + key};
}

Node Node::at(const std::string& key) const {
  must_be_object();
  const auto found = value_->find(key);
  if (found != value_->end()) return child(*found, key);
  throw Error(
      Status::invalid_argument,
      fmt::format("{}: {} must have the field '{}'; it has none; write the file again with shardfft compare --json",
                  file_, place_.empty() ? "the file" : place_, key));
}

std::optional<Node> Node::find(const std::string& key) const {
  must_be_object();
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return {};
  return child(*found, key);
}

std::vector<Node> Node::items() const {
  if (!value_->is_array()) complain("a list");
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < value_->size(); ++i)
    nodes.emplace_back((*value_)[i], file_, fmt::format("{}[{}]", place_, i));
  return nodes;
}

std::string Node::text() const {
  if (!value_->is_string()) complain("a text");
  return value_->get<std::string>();
}

double Node::number() const {
  if (!value_->is_number()) complain("a number");
  const auto value = value_->get<double>();
  if (!std::isfinite(value) || value < 0) complain("a number that is finite and not negative");
  return value;
}

std::int64_t Node::count() const {
  if (!value_->is_number_integer() || value_->get<std::int64_t>() < 1) complain("a whole number of at least 1");
  return value_->get<std::int64_t>();
}

std::string Node::text_of(const std::string& key) const {
  const auto node = find(key);
  return node ? node->text() : "";
}

std::optional<double> Node::number_of(const std::string& key) const {
  const auto node = find(key);
  return node ? std::optional(node->number()) : std::nullopt;
}

}  // namespace shardfft::report
