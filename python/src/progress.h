// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <functional>

#include "released.h"

namespace mpm::python {

/// Runs work that takes minutes without the GIL. Calls `heard`, unless it is None, with the share
/// that is done. An exception that `heard` raises, or Ctrl-C, ends the work and is raised again;
/// `Stopped` is what the work throws when its progress returns false.
template <class Stopped, class Work>
void runHeard(const nanobind::object& heard, Work work) {
  std::exception_ptr raised;
  const std::function<bool(double)> progress = [&](double share) {
    const nanobind::gil_scoped_acquire held;
    try {
      if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
      if (!heard.is_none()) heard(share);
      return true;
    } catch (nanobind::python_error&) {
      raised = std::current_exception();
      return false;
    }
  };
  try {
    const Released released;
    work(progress);
  } catch (const Stopped&) {
    if (raised) std::rethrow_exception(raised);
    throw;
  }
}

}  // namespace mpm::python
