// SPDX-License-Identifier: Apache-2.0
#include "gui/app/source_shelf.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <QTest>

#include "gui/wait_for.h"
#include "in_project.h"

namespace mpm::gui {
namespace {

TEST(SourceShelf, KeepsPicturesOnlyWherePicturesMayBeKept) {
  const QTemporaryDir folder;
  AppOptions options;
  options.record = folder.filePath("record.sqlite");
  options.source = "scene:?clock=600x&hour=12&size=160x120&seed=61";
  options.model = QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx"));
  Settings settings = withOptions({}, options);
  Session session(settings);
  SourceShelf shelf(session);
  session.open();
  ASSERT_TRUE(waitFor([&] { return session.live().newest() != nullptr; }));
  shelf.note();
  shelf.finish();
  EXPECT_EQ(SourceShelf::pictureOf(*options.source).size(), QSize(160, 120));
  EXPECT_TRUE(SourceShelf::pictureOf("scene:?seed=62").isNull());
  EXPECT_TRUE(SourceShelf::pictureOf("scene:?seed=banana").isNull()) << "no address";
  const QString kept =
      QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/sources/";
  const auto file = [&](const QString& name) { return kept + name + ".png"; };
  ASSERT_TRUE(
      QFile::rename(file(sourceName(*options.source)), file(earlierSourceName(*options.source))));
  EXPECT_EQ(SourceShelf::pictureOf(*options.source).size(), QSize(160, 120)) << "as it was called";
  session.setPicturesPerHour(0);
  shelf.note();
  shelf.finish();
  EXPECT_TRUE(SourceShelf::pictureOf(*options.source).isNull());
}

}  // namespace
}  // namespace mpm::gui
