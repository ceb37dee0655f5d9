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

/// From now on the calling thread, and those that come of it, have so many steps less of priority
/// than the window's thread has, which `nice` may have lowered: they are never above it, and the
/// window is answered first where cores are few.
inline void standBehindTheWindow(int steps) {
#ifdef __linux__
  // Up to 19 (the system cuts it there). The id of a process is that of its first thread, too.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, static_cast<id_t>(getpid())) + steps);
#else
  static_cast<void>(steps);
#endif
}

/// Computes in a thread of its own what takes long, and hands it to `take` in the window's thread
/// while `receiver` is there. Neither throws; what `compute` needs it has as copies.
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
