// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace mpm::gui {

/// What the files and settings of a source are called, and the source in its record, so that each
/// address has a history of its own: letters, digits, - and _, without secrets, and a part of the
/// address's digest. std::invalid_argument where it is no address.
QString sourceName(const QString& address);

/// The same without the digest, as earlier versions had it, which took some addresses for one
/// ("cam 1" and "cam_1", or names in Chinese). What was kept by that name is read where there is
/// nothing by the other.
QString earlierSourceName(const QString& address);

/// A file of one of these names, but for its ending, of sixteen letters at most: cut where an
/// address is longer than the name of a file may be.
QString fileNameOf(const QString& name);

/// What a source is called in a record (empty: none): sourceName, or what it was called before,
/// where that was never another address's there. Reads the record.
QString nameInRecord(const QString& address, const QString& record);

}  // namespace mpm::gui
