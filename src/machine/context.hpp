#pragma once

#include <dsk/errors.hpp>

#include <string>

namespace dsk::detail {

/// Returns work(). Puts what context() returns in front of the message of an InvalidInput or a NumericalFailure.
template <class Context, class Work>
auto in_context(const Context& context, const Work& work) {
  try {
    return work();
  } catch (const InvalidInput& error) {
    throw InvalidInput(context() + ": " + error.what());
  } catch (const NumericalFailure& error) {
    throw NumericalFailure(context() + ": " + error.what());
  }
}

}  // namespace dsk::detail
