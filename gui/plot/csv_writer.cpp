// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/csv_writer.h"

#include <QDateTime>
#include <QLocale>
#include <cmath>

namespace mpm::gui {
namespace {

constexpr qsizetype kFlushBytes = 64 * 1024;

}  // namespace

CsvWriter::CsvWriter(QIODevice& device, std::initializer_list<const char*> headers)
    : CsvWriter(device) {
  for (const char* header : headers) cell(QString::fromLatin1(header));
  endLine();
}

CsvWriter& CsvWriter::cell(const QString& text) {
  QByteArray bytes = text.toUtf8();
  if (bytes.contains(',') || bytes.contains('"') || bytes.contains('\n') || bytes.contains('\r'))
    bytes = '"' + bytes.replace('"', "\"\"") + '"';
  raw(bytes);
  return *this;
}

CsvWriter& CsvWriter::cell(double number) {
  raw(std::isfinite(number) ? QByteArray::number(number, 'g', QLocale::FloatingPointShortest)
                            : QByteArray());
  return *this;
}

CsvWriter& CsvWriter::cell(std::int64_t number) {
  raw(QByteArray::number(static_cast<qlonglong>(number)));
  return *this;
}

CsvWriter& CsvWriter::time(std::int64_t utcMs) {
  raw(QDateTime::fromMSecsSinceEpoch(utcMs).toUTC().toString(Qt::ISODateWithMs).toLatin1());
  return *this;
}

void CsvWriter::endLine() {
  waiting_ += "\r\n";
  lineBegun_ = false;
  if (waiting_.size() >= kFlushBytes) flush();
}

bool CsvWriter::finish() {
  flush();
  return good_;
}

void CsvWriter::raw(const QByteArray& bytes) {
  if (lineBegun_) waiting_ += ',';
  lineBegun_ = true;
  waiting_ += bytes;
}

void CsvWriter::flush() {
  if (good_ && device_.write(waiting_) != waiting_.size()) good_ = false;
  waiting_.clear();
}

}  // namespace mpm::gui
