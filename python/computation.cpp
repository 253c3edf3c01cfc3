#include "computation.hpp"

#include <csignal>

namespace nb = nanobind;

namespace dsk::python {
namespace {

struct sigaction pythons_own;
bool is_installed = false;

extern "C" void interrupt_both(int signal) {
  interrupt();
  pythons_own.sa_handler(signal);
}

/// Functions of Python, found once: to look them up takes longer than the distances of a few small matrices. They are
/// never given back, as Python may end before this library does.
nb::handle current_thread, main_thread, getsignal, default_int_handler;

/// With Python's lock, as all that follows. The module `signal` looks for an enumerator in what `_signal` returns,
/// which takes longer than all the rest.
void find_functions() {
  const nb::module_ threading = nb::module_::import_("threading"), signal = nb::module_::import_("_signal");
  current_thread = nb::object(threading.attr("current_thread")).release();
  main_thread = nb::object(threading.attr("main_thread")).release();
  getsignal = nb::object(signal.attr("getsignal")).release();
  default_int_handler = nb::object(signal.attr("default_int_handler")).release();
}

bool raises_keyboard_interrupt() {
  if (!default_int_handler.is_valid()) find_functions();
  return current_thread().is(main_thread()) && getsignal(SIGINT).is(default_int_handler);
}

}  // namespace

InterruptibleByUser::InterruptibleByUser() {
  if (is_installed || !raises_keyboard_interrupt()) return;
  struct sigaction both = {};
  if (sigaction(SIGINT, nullptr, &pythons_own) != 0 || (pythons_own.sa_flags & SA_SIGINFO) != 0) return;
  both.sa_handler = interrupt_both;
  both.sa_flags = pythons_own.sa_flags;
  both.sa_mask = pythons_own.sa_mask;
  installed_ = is_installed = sigaction(SIGINT, &both, nullptr) == 0;
}

InterruptibleByUser::~InterruptibleByUser() {
  if (!installed_) return;
  sigaction(SIGINT, &pythons_own, nullptr);
  is_installed = false;
  allow_computation();
}

void raise_keyboard_interrupt() {
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

}  // namespace dsk::python
