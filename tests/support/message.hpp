#pragma once

#include <dsk/matrices.hpp>

#include <string>

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

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
