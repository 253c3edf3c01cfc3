#pragma once

#include <exception>
#include <stdexcept>

namespace dsk {

/// Input that no computation can be done with. The message is one line that names the value, its limit and its index.
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

/// A device that fails, or has too little memory, while it computes. Nothing is wrong with the input.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown where a callback asked to stop and there is no partial result.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

/// Thrown out of a computation after interrupt(). Not one of the standard library's errors: it must pass through code
/// that goes on after those.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Asks every computation of this process that is long enough to matter to end by throwing Interrupted, on whichever
/// thread it runs. May be called from signal handlers and other threads. Holds until allow_computation(). Solving for
/// the eigenvalues of one large matrix is not interrupted.
void interrupt() noexcept;
void allow_computation() noexcept;

}  // namespace dsk
