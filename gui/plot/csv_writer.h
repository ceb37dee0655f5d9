// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDateTime>
#include <QIODevice>
#include <QLocale>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "files/text.h"

namespace mpm::gui {

/// RFC 4180 in UTF-8, cell by cell.
class CsvWriter {
 public:
  CsvWriter(QIODevice& device, std::initializer_list<const char*> headers = {}) : device_(device) {
    for (const char* header : headers) cell(std::string_view(header));
    if (headers.size() > 0) endLine();
  }

  CsvWriter& cell(const QString& text) {
    return raw(QByteArray::fromStdString(files::csvField(text.toStdString())));
  }

  CsvWriter& cell(std::string_view text) { return cell(QString::fromUtf8(text)); }
  /// The shortest that reads back the same; nothing for NaN.
  CsvWriter& cell(double number) {
    return raw(std::isfinite(number)
                   ? QByteArray::number(number, 'g', QLocale::FloatingPointShortest)
                   : QByteArray());
  }

  CsvWriter& cell(std::int64_t number) {
    return raw(QByteArray::number(static_cast<qlonglong>(number)));
  }

  CsvWriter& time(std::int64_t utcMs) {  ///< "2025-03-03T14:00:00.000Z"
    return raw(
        QDateTime::fromMSecsSinceEpoch(utcMs).toUTC().toString(Qt::ISODateWithMs).toLatin1());
  }

  void endLine() {
    line_ += "\r\n";
    good_ = good_ && device_.write(line_) == line_.size();
    line_.clear();
    begun_ = false;
  }

  /// Whether all of it was written.
  bool finish() const { return good_; }

 private:
  CsvWriter& raw(const QByteArray& bytes) {
    if (begun_) line_ += ',';
    begun_ = true;
    line_ += bytes;
    return *this;
  }

  QIODevice& device_;
  QByteArray line_;
  bool begun_ = false, good_ = true;
};

}  // namespace mpm::gui
