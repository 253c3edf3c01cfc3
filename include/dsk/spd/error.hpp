#pragma once

#include <stdexcept>

namespace dsk {

/// Input that no computation can be done with. The message is one line that names the value, its limit and its index.
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace dsk
