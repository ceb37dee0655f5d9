// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/paint_writer.h"

#include <gtest/gtest.h>

#include <QStringList>
#include <future>
#include <stdexcept>

namespace mpm::gui {
namespace {

// As where a disk is busy: whoever paints goes on, and what is written then is what was painted
// last.
TEST(PaintWriter, KeepsNobodyWaitingAndWritesTheNewestOfEachFrame) {
  QStringList written, told;
  std::promise<void> diskIsFree, isBegun;
  PaintWriter writer;
  QObject::connect(&writer, &PaintWriter::written,
                   [&](const QString& name, const QString& fault) { told << name + ":" + fault; });
  writer.put("a", [&] {
    isBegun.set_value();
    diskIsFree.get_future().wait();
    written << "a1";
  });
  isBegun.get_future().wait();
  writer.put("a", [&] { written << "a2"; });
  writer.put("b", [&] { throw std::runtime_error("the disk is full"); });
  writer.put("a", [&] { written << "a3"; });
  EXPECT_EQ(written, QStringList());
  diskIsFree.set_value();
  writer.finish();
  EXPECT_EQ(written, (QStringList{"a1", "a3"}));
  EXPECT_EQ(told, (QStringList{"a:", "a:", "b:the disk is full"}));
  writer.finish();
  EXPECT_EQ(told.size(), 3) << "each is told once";
}

}  // namespace
}  // namespace mpm::gui
