// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>
#include <utility>

namespace mpm::gui {

/// Lowers the priority of the calling thread, and of threads that it starts, by `steps` below the
/// window's. `nice` may have lowered the window's; they never rise above it. So the window is
/// answered first on few cores.
inline void standBehindTheWindow(int steps) {
#ifdef __linux__
  // The system limits it to 19. A process's id is also its first thread's id.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, static_cast<id_t>(getpid())) + steps);
#else
  static_cast<void>(steps);
#endif
}

/// Runs a long computation in a separate thread and passes the result to `take` in the window's
/// thread while `receiver` exists. Neither may throw; `compute` owns copies of its inputs.
template <class Receiver, class Compute, class Take>
void computeAside(Receiver* receiver, Compute compute, Take take) {
  QThreadPool::globalInstance()->start([alive = QPointer<QObject>(receiver),
                                        compute = std::move(compute),
                                        take = std::move(take)]() mutable {
    QMetaObject::invokeMethod(qApp, [alive, take = std::move(take), answer = compute()]() mutable {
      if (alive) take(std::move(answer));
    });
  });
}

}  // namespace mpm::gui
