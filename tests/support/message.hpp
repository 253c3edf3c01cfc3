#pragma once

#include <dsk/matrices.hpp>

#include <string>

namespace dsk::test {

/// What InvalidInput or NumericalFailure says, or "" if nothing is thrown.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const InvalidInput& error) {
    return error.what();
  } catch (const NumericalFailure& error) {
    return error.what();
  }
  return "";
}

}  // namespace dsk::test
