// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QIODevice>
#include <QString>
#include <cstdint>
#include <initializer_list>

namespace mpm::gui {

/// RFC 4180 in UTF-8, cell by cell.
class CsvWriter {
 public:
  explicit CsvWriter(QIODevice& device) : device_(device) {}
  CsvWriter(QIODevice& device, std::initializer_list<const char*> headers);

  CsvWriter& cell(const QString& text);
  CsvWriter& cell(double number);  ///< the shortest that reads back the same; nothing for NaN
  CsvWriter& cell(std::int64_t number);
  CsvWriter& time(std::int64_t utcMs);  ///< "2025-03-03T14:00:00.000Z"
  void endLine();

  /// Writes what is left; whether all of it was written.
  bool finish();

 private:
  void raw(const QByteArray& bytes);
  void flush();

  QIODevice& device_;
  QByteArray waiting_;
  bool lineBegun_ = false, good_ = true;
};

}  // namespace mpm::gui
