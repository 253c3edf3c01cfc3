#pragma once

#include <dsk/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace dsk::detail {

/// "1 component", "3 components": for nouns whose plural ends in s.
template <class Count>
std::string counted(Count count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// The options are valid, but these data leave the result undefined: a class is too small for a criterion, or a value
/// leaves the range of double. Whoever tries several ways on parts of a data set may go on with the next one.
class UndefinedForData : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// Returns work(). Puts what context() returns in front of the message of an InvalidInput or a NumericalFailure.
template <class Context, class Work>
auto in_context(const Context& context, const Work& work) {
  try {
    return work();
  } catch (const UndefinedForData& error) {
    throw UndefinedForData(context() + ": " + error.what());
  } catch (const InvalidInput& error) {
    throw InvalidInput(context() + ": " + error.what());
  } catch (const NumericalFailure& error) {
    throw NumericalFailure(context() + ": " + error.what());
  }
}

// Tables of things with a name and an alias, of which either may be empty: rows have the members `value`, `name` and
// `alias`. Several aliases are separated by ", ".

/// A row with nothing else in it.
template <class Value>
struct NameRow {
  Value value;
  std::string_view name;
  std::string_view alias = {};
};

/// Whether this is its name or one of its aliases.
template <class Row>
bool is_called(const Row& row, std::string_view text) {
  if (text.empty()) return false;
  if (text == row.name) return true;
  for (std::string_view rest = row.alias; !rest.empty();) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    if (text == rest.substr(0, end)) return true;
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return false;
}

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
    if (is_called(row, text)) return row;
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
