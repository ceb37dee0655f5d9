// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace mpm::python {

/// Other threads of Python's may run while it lives. Before 3.14 Python ends a thread that asks for
/// the interpreter when that is going down, by unwinding its stack; what stands on ours must not be
/// let go without the interpreter, so such a thread (a daemon) waits for the process's end instead.
class Released {
 public:
  Released() : state_(PyEval_SaveThread()) {}
  ~Released() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  PyThreadState* state_;
};

/// Takes a turn for a caller that holds the GIL, so one that is taken is a call in another thread.
inline std::unique_lock<std::mutex> takeTurn(std::mutex& mutex, const char* busy) {
  std::unique_lock turn(mutex, std::try_to_lock);
  if (!turn) throw std::runtime_error(busy);
  return turn;
}

}  // namespace mpm::python
