#pragma once

#include <dsk/errors.hpp>

#include <nanobind/nanobind.h>

#include <exception>

namespace dsk::python {

/// While it lives, Ctrl-C ends the library's computations as well as the Python code around them. Does something on the
/// main thread only, where Python handles signals, and only while Ctrl-C means KeyboardInterrupt: a program with a
/// handler of its own shall go on as it wants.
class InterruptibleByUser {
 public:
  InterruptibleByUser();
  InterruptibleByUser(const InterruptibleByUser&) = delete;
  InterruptibleByUser& operator=(const InterruptibleByUser&) = delete;
  ~InterruptibleByUser();

 private:
  bool installed_ = false;
};

/// Throws what Python's handler of the signal raises: KeyboardInterrupt.
[[noreturn]] void raise_keyboard_interrupt();

/// Returns work(), which runs without Python's lock and can be ended by Ctrl-C.
template <class Work>
auto compute(const Work& work) {
  const InterruptibleByUser interruptible;
  try {
    const nanobind::gil_scoped_release release;
    return work();
  } catch (const Interrupted&) {
    raise_keyboard_interrupt();
  }
}

/// A Python function, or None, that is called with the progress of a computation, from any thread, by one at a time. An
/// exception that it raises ends the computation and is raised again afterwards.
class Listener {
 public:
  explicit Listener(nanobind::object function) : function_(std::move(function)) {}

  /// Returns whether to go on.
  template <class... Arguments>
  bool report_progress(Arguments... arguments) {
    if (function_.is_none()) return true;
    const nanobind::gil_scoped_acquire acquire;
    try {
      function_(arguments...);
      return true;
    } catch (...) {
      error_ = std::current_exception();
      return false;
    }
  }
  void raise_again() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  nanobind::object function_;
  std::exception_ptr error_;
};

}  // namespace dsk::python
