#pragma once

#include <exception>
#include <stdexcept>

namespace dsk {

/// Invalid input. The message is one line that names the value, the limit and the index where there is one.
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A computation that left the range of double precision, or met a matrix that is not numerically positive definite.
/// The input was acceptable; a step of learning that ends so is simply too long.
class NumericalFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A device failed or ran out of memory during a computation. The input is valid.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown if a callback requests a stop and there is no partial result.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

/// Thrown by a computation after interrupt(). Not derived from std::runtime_error or std::logic_error, so that code
/// which handles those and continues does not catch it.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Makes every long computation of this process, on any thread, throw Interrupted, until allow_computation() is called.
/// May be called from signal handlers and other threads. The eigendecomposition of a single large matrix is not
/// interrupted.
void interrupt() noexcept;
void allow_computation() noexcept;

}  // namespace dsk
