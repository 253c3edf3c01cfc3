#pragma once

#include <dsk/errors.hpp>

#include <span>
#include <string>
#include <string_view>

namespace dsk::detail {

// Tables of things with a name and an alias, of which either may be empty: rows have the members `name` and `alias`.

/// "power (p), coefficient (c)", for help texts and messages.
template <class Row>
std::string choices(std::span<const Row> rows) {
  std::string list;
  for (const Row& row : rows) {
    if (!list.empty()) list += ", ";
    list += row.name;
    if (!row.alias.empty()) list.append(" (").append(row.alias).append(")");
  }
  return list;
}

/// The row of this name or alias. Throws InvalidInput, listing all choices; `what` says what they are.
template <class Row>
const Row& find_by_name(std::span<const Row> rows, std::string_view text, std::string_view what) {
  for (const Row& row : rows)
    if (!text.empty() && (text == row.name || text == row.alias)) return row;
  std::string message("unknown ");
  message.append(what).append(" '").append(text).append("'; use one of ").append(choices(rows));
  throw InvalidInput(message);
}

/// The row of this value. Throws InvalidInput for a number that is no value of the enumeration.
template <class Row, class Value>
const Row& find_by_value(std::span<const Row> rows, Value value, std::string_view what) {
  for (const Row& row : rows)
    if (row.value == value) return row;
  throw InvalidInput(std::string(what) + " number " + std::to_string(static_cast<int>(value)) + " is unknown");
}

}  // namespace dsk::detail
