// SPDX-License-Identifier: Apache-2.0
#include "gui/app/shelf.h"

#include <gtest/gtest.h>

#include <QtWidgets>

#include "gui/app/options.h"
#include "gui/wait_for.h"
#include "in_project.h"

namespace mpm::gui {
namespace {

// Guards against an old time next to the present settings on the model's card.
TEST(ModelShelf, ATimeStandsBesideTheWayThatItWasMeasuredIn) {
  AppOptions options;
  options.record = "none";
  options.source = "scene:?clock=600x&hour=12&size=160x120";
  options.model = QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx"));
  options.noMemory = true;
  Settings settings = withOptions({}, options);
  const QString model = settings.live.model;
  Session session(settings);
  Shelf shelf(session);
  session.open();
  const auto noted = [&](const char* way) {
    return waitFor([&] {
      shelf.note();
      shelf.finish();
      const Shelf::Model kept = Shelf::model(model);
      return kept.ms && kept.way.endsWith(way);
    });
  };
  ASSERT_TRUE(waitFor([&] { return session.live().newest() != nullptr; }));
  session.setSchedule("1");
  ASSERT_TRUE(noted("merged before 1"));
  const double before = *Shelf::model(model).ms;
  EXPECT_GT(before, 0);
  session.setSchedule("none");
  shelf.note();
  shelf.finish();
  EXPECT_EQ(*Shelf::model(model).ms, before);
  EXPECT_TRUE(Shelf::model(model).way.contains("float")) << "as the menu calls it";
  EXPECT_TRUE(Shelf::model(model).way.endsWith("merged before 1"))
      << qPrintable(Shelf::model(model).way);
  EXPECT_TRUE(noted("unmerged"));
}

TEST(SourceShelf, KeepsPicturesOnlyWherePicturesMayBeKept) {
  const QTemporaryDir folder;
  AppOptions options;
  options.record = folder.filePath("record.sqlite");
  options.source = "scene:?clock=600x&hour=12&size=160x120&seed=61";
  options.model = QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx"));
  Settings settings = withOptions({}, options);
  Session session(settings);
  Shelf shelf(session);
  session.open();
  ASSERT_TRUE(waitFor([&] { return session.live().newest() != nullptr; }));
  shelf.note();
  shelf.finish();
  EXPECT_EQ(Shelf::source(*options.source).size(), QSize(160, 120));
  EXPECT_TRUE(Shelf::source("scene:?seed=62").isNull());
  EXPECT_TRUE(Shelf::source("scene:?seed=banana").isNull()) << "no address";
  const QString kept =
      QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/sources/";
  const auto file = [&](const QString& name) { return kept + name + ".png"; };
  ASSERT_TRUE(
      QFile::rename(file(sourceName(*options.source)), file(earlierSourceName(*options.source))));
  EXPECT_EQ(Shelf::source(*options.source).size(), QSize(160, 120)) << "as it was called";
  session.setPicturesPerHour(0);
  shelf.note();
  shelf.finish();
  EXPECT_TRUE(Shelf::source(*options.source).isNull());
}

}  // namespace
}  // namespace mpm::gui
