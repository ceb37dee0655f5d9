// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/csv_writer.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QLocale>
#include <cmath>

namespace mpm::gui {
namespace {

TEST(CsvWriter, QuotesWhatNeedsIt) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  CsvWriter csv(buffer);
  csv.cell(QString("plain")).cell(QString("a,b")).cell(QString("say \"no\"")).cell(QString("x\ny"));
  csv.endLine();
  csv.cell(QString()).cell(QString("Straße"));
  csv.endLine();
  EXPECT_TRUE(csv.finish());
  EXPECT_EQ(buffer.data(), "plain,\"a,b\",\"say \"\"no\"\"\",\"x\ny\"\r\n,Straße\r\n");
}

TEST(CsvWriter, NumbersReadBackTheSameInAnyLocale) {
  const QLocale before;
  QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  CsvWriter csv(buffer);
  csv.cell(0.1).cell(1234567.5).cell(std::nan("")).cell(std::int64_t{-3}).time(1'740'960'000'123);
  csv.endLine();
  EXPECT_TRUE(csv.finish());
  QLocale::setDefault(before);
  EXPECT_EQ(buffer.data(), "0.1,1234567.5,,-3,2025-03-03T00:00:00.123Z\r\n");
}

/// A disk with room for so many bytes.
class FullDisk : public QIODevice {
 public:
  qint64 room = 100'000;

 protected:
  qint64 readData(char*, qint64) override { return -1; }
  qint64 writeData(const char*, qint64 size) override {
    if (size > room) return -1;
    room -= size;
    return size;
  }
};

TEST(CsvWriter, SaysWhenADiskIsFull) {
  FullDisk disk;
  disk.open(QIODevice::WriteOnly | QIODevice::Unbuffered);
  CsvWriter csv(disk);
  for (int i = 0; i < 30'000; ++i) {
    csv.cell(std::int64_t{i});
    csv.endLine();
  }
  EXPECT_FALSE(csv.finish());
}

}  // namespace
}  // namespace mpm::gui
