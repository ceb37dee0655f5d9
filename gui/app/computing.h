// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace mpm::gui {

/// What computes a net's layers. Where a device that was asked for is not there, the processor
/// does, in a precision that it has.
struct Computing {
  QString device, precision;  ///< as in LiveOptions
  QString name;               ///< "NVIDIA H200", "cpu"
  QString fault;              ///< why it is not what was asked for; empty: it is
};

/// For what was asked for, "" included. May take seconds the first time.
Computing computingOf(const QString& device, const QString& precision);

}  // namespace mpm::gui
