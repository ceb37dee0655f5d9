// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>
#include <utility>

namespace mpm::gui {

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
